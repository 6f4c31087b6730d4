"""Weigh gold labels against unlabeled data: how good is each source, how sure is that, what is each label."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from karat import datasets as datasets
    from karat.errors import InputError as InputError
    from karat.errors import NotIdentifiedError as NotIdentifiedError
    from karat.estimate import combine as combine
    from karat.estimate.class_balance import class_balance as class_balance
    from karat.estimate.labeled import labeled as labeled
    from karat.estimate.structure import dependent_pairs as dependent_pairs
    from karat.estimate.tensor_fit import tensors as tensors
    from karat.estimate.topics import Topics as Topics
    from karat.estimate.topics import topics as topics
    from karat.estimate.triplets import triplets as triplets
    from karat.io.coding import Coding as Coding
    from karat.model import LabelModel as LabelModel
    from karat.model import load as load
    from karat.moments import Moments as Moments
    from karat.naive_bayes import posterior as posterior
    from karat.show.checked import check as check
    from karat.source_model import SourceModel as SourceModel
    from karat.sources import Source as Source
    from karat.sources import apply_sources as apply_sources
    from karat.sources import function as function
    from karat.sources import keyword as keyword
    from karat.sources import regex as regex
    from karat.theory import bounds as bounds
    from karat.theory import lemmas as lemmas
    from karat.theory.asymptotics import asymptotics as asymptotics
    from karat.theory.decomposition import average_decomposition as average_decomposition
    from karat.theory.decomposition import decompose as decompose
    from karat.theory.ising import Ising as Ising
    from karat.theory.loss import expected_loss as expected_loss
    from karat.value.data_value import data_value as data_value
    from karat.value.data_value import plan as plan
    from karat.value.known import known_combination as known_combination
    from karat.value.known import known_curve as known_curve
    from karat.value.pick import pick as pick
    from karat.value.rate import rate as rate
    from karat.value.ratio import data_value_ratio as data_value_ratio
    from karat.value.ratio import equivalent_labels as equivalent_labels
    from karat.votes import Gold as Gold
    from karat.votes import Patterns as Patterns
    from karat.votes import Votes as Votes
    from karat.votes import read_votes as read_votes

# Where each public name lives. Loaded when first used, so that `import karat` and `karat --help` are immediate.
_HOMES = {
    "datasets": "datasets",
    "Coding": "io.coding",
    "InputError": "errors",
    "NotIdentifiedError": "errors",
    "combine": "estimate.combine",
    "class_balance": "estimate.class_balance",
    "labeled": "estimate.labeled",
    "dependent_pairs": "estimate.structure",
    "tensors": "estimate.tensor_fit",
    "Topics": "estimate.topics",
    "topics": "estimate.topics",
    "triplets": "estimate.triplets",
    "LabelModel": "model",
    "load": "model",
    "check": "show.checked",
    "Moments": "moments",
    "posterior": "naive_bayes",
    "SourceModel": "source_model",
    "Source": "sources",
    "apply_sources": "sources",
    "function": "sources",
    "keyword": "sources",
    "regex": "sources",
    "read_votes": "votes",
    "bounds": "theory.bounds",
    "lemmas": "theory.lemmas",
    "asymptotics": "theory.asymptotics",
    "average_decomposition": "theory.decomposition",
    "decompose": "theory.decomposition",
    "Ising": "theory.ising",
    "expected_loss": "theory.loss",
    "data_value_ratio": "value.ratio",
    "equivalent_labels": "value.ratio",
    "known_combination": "value.known",
    "known_curve": "value.known",
    "data_value": "value.data_value",
    "plan": "value.data_value",
    "pick": "value.pick",
    "rate": "value.rate",
    "Gold": "votes",
    "Patterns": "votes",
    "Votes": "votes",
}
_MODULES = ("datasets", "combine", "bounds", "lemmas")
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    module = importlib.import_module(f"karat.{_HOMES[name]}")
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
