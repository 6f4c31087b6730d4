"""The paper, whole: triplets, kinds of sources, tensors, topics, structure, combining, theory, data, experiments."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carob.paper import combine as combine
    from carob.paper import datasets as datasets
    from carob.paper.balance import class_balance as class_balance
    from carob.paper.gold_fit import labeled as labeled
    from carob.paper.known import known_curve as known_curve
    from carob.paper.ratio import data_value_ratio as data_value_ratio
    from carob.paper.ratio import equivalent_labels as equivalent_labels
    from carob.paper.structure import dependent_pairs as dependent_pairs
    from carob.paper.tensor_fit import tensors as tensors
    from carob.paper.theory import bounds as bounds
    from carob.paper.theory import lemmas as lemmas
    from carob.paper.theory.asymptotics import asymptotics as asymptotics
    from carob.paper.theory.decomposition import average_decomposition as average_decomposition
    from carob.paper.theory.decomposition import decompose as decompose
    from carob.paper.theory.ising import Ising as Ising
    from carob.paper.theory.loss import expected_loss as expected_loss
    from carob.paper.topic_fit import Topics as Topics
    from carob.paper.topic_fit import topics as topics
    from carob.paper.triplet_fit import triplets as triplets
    from carob.posterior.naive_bayes import posterior as posterior

# Where each public name lives; loaded when first used.
_HOMES = {
    "Ising": "paper.theory.ising",
    "Topics": "paper.topic_fit",
    "asymptotics": "paper.theory.asymptotics",
    "average_decomposition": "paper.theory.decomposition",
    "bounds": "paper.theory.bounds",
    "class_balance": "paper.balance",
    "combine": "paper.combine",
    "data_value_ratio": "paper.ratio",
    "datasets": "paper.datasets",
    "decompose": "paper.theory.decomposition",
    "dependent_pairs": "paper.structure",
    "equivalent_labels": "paper.ratio",
    "expected_loss": "paper.theory.loss",
    "known_curve": "paper.known",
    "labeled": "paper.gold_fit",
    "lemmas": "paper.theory.lemmas",
    "posterior": "posterior.naive_bayes",
    "tensors": "paper.tensor_fit",
    "topics": "paper.topic_fit",
    "triplets": "paper.triplet_fit",
}
_MODULES = ("bounds", "combine", "datasets", "lemmas")
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'carob.paper' has no attribute {name!r}")
    module = importlib.import_module(f"carob.{_HOMES[name]}")
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
