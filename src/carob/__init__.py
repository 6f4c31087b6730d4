"""Weigh gold labels against unlabeled data: how good is each source, how sure is that, what is each label."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.3.0.dev0"

if TYPE_CHECKING:
    from carob import paper as paper
    from carob.count.moments import Moments as Moments
    from carob.errors import InputError as InputError
    from carob.errors import NotIdentifiedError as NotIdentifiedError
    from carob.model.label_model import LabelModel as LabelModel
    from carob.model.label_model import load as load
    from carob.posterior.source_model import SourceModel as SourceModel
    from carob.read import ReadOptions as ReadOptions
    from carob.read import read_votes as read_votes
    from carob.read.rules import Source as Source
    from carob.read.rules import apply_sources as apply_sources
    from carob.read.rules import function as function
    from carob.read.rules import keyword as keyword
    from carob.read.rules import regex as regex
    from carob.show.check import check as check
    from carob.value.data_value import data_value as data_value
    from carob.value.data_value import plan as plan
    from carob.value.pick import pick as pick
    from carob.value.rate import rate as rate
    from carob.votes import Gold as Gold
    from carob.votes import Patterns as Patterns
    from carob.votes import Votes as Votes
    from carob.votes.coding import Coding as Coding

# Where each public name lives. Loaded when first used, so that `import carob` and `carob --help` are immediate.
_HOMES = {
    "Coding": "votes.coding",
    "Gold": "votes",
    "InputError": "errors",
    "LabelModel": "model.label_model",
    "Moments": "count.moments",
    "NotIdentifiedError": "errors",
    "Patterns": "votes",
    "ReadOptions": "read",
    "Source": "read.rules",
    "SourceModel": "posterior.source_model",
    "Votes": "votes",
    "apply_sources": "read.rules",
    "check": "show.check",
    "data_value": "value.data_value",
    "function": "read.rules",
    "keyword": "read.rules",
    "load": "model.label_model",
    "paper": "paper",
    "pick": "value.pick",
    "plan": "value.data_value",
    "rate": "value.rate",
    "read_votes": "read",
    "regex": "read.rules",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'carob' has no attribute {name!r}")
    module = importlib.import_module(f"carob.{_HOMES[name]}")
    value = module if name == "paper" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
