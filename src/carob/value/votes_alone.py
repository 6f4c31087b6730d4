"""What can be said of the value of data without gold: how far votes contradict that sources are independent.

Weaker than anything that gold says. Where sources are independent given the class, all triplets tell the same, and the
median of triplets explains the agreement of every pair up to noise. A pair that it does not explain depends on more
than the class. Dependence that all sources share is not seen this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from carob.notebook import Shown
from carob.paper.structure import DependentPair, dependent_pairs, unexplained
from carob.paper.votes_fit import VotesFit
from carob.value.decision import Kind
from carob.value.words import votes_alone_words
from carob.votes import GoldPoints


@dataclass(frozen=True, eq=False)
class VotesAlone(Shown):
    """What votes alone tell, where there are fewer than 20 gold labels or all are of one class.

    Parameters
    ----------
    n_unlabeled, n_gold : int
    p_value : float
        Of the test that all sources are independent given the class; Bonferroni over pairs.
    pairs : tuple of DependentPair
        Pairs that the test blames.
    spread : float
        Largest difference between a source's accuracy by the mean and by the median of triplets.
    standing_bias : float
        Loss in nats that those pairs cost where sources are taken to be independent: the sum of their mutual
        information given the class, in its normal form. An upper bound, and for those pairs only.
    aside : tuple of str
        What was set aside before, a sentence for each reason.
    """

    n_unlabeled: int
    n_gold: int
    p_value: float
    pairs: tuple[DependentPair, ...]
    spread: float
    standing_bias: float
    aside: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """Always "cannot tell": what a label is worth takes labels to tell."""
        return "cannot tell"

    @property
    def verdict(self) -> str:
        """In words."""
        return votes_alone_words(self.n_gold, self.pairs, self.standing_bias)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, with null for what only gold tells."""
        unknown = {"value": None, "low": None, "high": None}
        estimators = ("labeled", "unlabeled", "combined")
        return {
            "n_unlabeled": self.n_unlabeled,
            "n_gold": self.n_gold,
            "risk": {name: {"mean": None, "low": None, "high": None} for name in estimators},
            "equivalent_labels": unknown,
            "data_value_ratio": unknown,
            "advice": self.kind,
            "verdict": self.verdict,
            "curve": [],
            "votes_alone": {
                "p_value": self.p_value,
                "dependent_pairs": [vars(pair) for pair in self.pairs],
                "spread": self.spread,
                "standing_bias": self.standing_bias,
            },
            "aside": self.aside,
        }


def votes_alone(votes_fit: VotesFit, gold: GoldPoints | None, rng: np.random.Generator) -> VotesAlone:
    """Test the votes for dependence that the class does not explain."""
    solution = votes_fit.solution
    moments, model = solution.problem.moments, solution.model
    m = len(moments.sources)
    _, z = unexplained(moments, model)
    largest = float(np.abs(z[np.triu_indices(m, 1)]).max())
    p_value = min(1.0, m * (m - 1) * NormalDist().cdf(-largest))
    pairs = dependent_pairs(moments, model, known_pairs=votes_fit.balance.pairs)
    mean, median = (solution.again(moments, rng, aggregate).model.accuracy for aggregate in ("mean", "median"))
    bias = -0.5 * np.log1p(-np.minimum([pair.correlation**2 for pair in pairs], 0.999)).sum() if pairs else 0.0
    n_gold = 0 if gold is None else len(gold)
    return VotesAlone(moments.n, n_gold, p_value, tuple(pairs), float(np.abs(mean - median).max()), float(bias))
