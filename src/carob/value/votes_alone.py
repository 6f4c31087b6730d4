"""What can be said of the value of data without gold: how far votes contradict that sources are independent.

Weaker than anything that gold says. Sources are those of the default fit; where they are independent given the class,
they explain the agreement of every pair up to noise, and a pair that they do not explain depends on more than the
class. Dependence that all sources share is not seen this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from carob._types import Shown
from carob.count.digest import Digest
from carob.count.moments import MOST_OUTPUTS, Moments
from carob.label.fit import fit_digest
from carob.paper.structure import DependentPair, dependent_pairs, unexplained
from carob.posterior.settings import Settings
from carob.value.decision import Kind
from carob.value.dependence import explaining_model
from carob.value.words import votes_alone_words
from carob.votes.messages import Message


@dataclass(frozen=True, eq=False)
class VotesAlone(Shown):
    """What votes alone tell, where there are fewer than 20 gold labels or all are of one class.

    `p_value`: of the test that all sources are independent given the class; Bonferroni over pairs. NaN where sources
    are too few or too many to test. `pairs`: pairs that the test blames. `standing_bias`: loss in nats that those pairs
    cost where sources are taken to be independent: the sum of their mutual information given the class, in its normal
    form. An upper bound, and for those pairs only. `messages`: what of the data was dropped, what was guessed, and what
    to look at first.
    """

    n_unlabeled: int
    n_gold: int
    p_value: float
    pairs: tuple[DependentPair, ...]
    standing_bias: float
    messages: tuple[Message, ...] = ()

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
        return {
            "n_unlabeled": self.n_unlabeled,
            "n_gold": self.n_gold,
            "scores": [],
            "equivalent_labels": unknown,
            "data_value_ratio": unknown,
            "advice": self.kind,
            "verdict": self.verdict,
            "curve": [],
            "votes_alone": {
                "p_value": self.p_value,
                "dependent_pairs": [vars(pair) for pair in self.pairs],
                "standing_bias": self.standing_bias,
            },
            "messages": [vars(message) for message in self.messages],
        }


def votes_alone(digest: Digest, settings: Settings) -> VotesAlone:
    """Test the votes for dependence that the class does not explain."""
    fit = fit_digest(digest, settings)
    voted = digest.kept.as_voted(fit.bin_classes)
    pairs: list[DependentPair] = []
    p_value, m = np.nan, len(voted.sources)
    if m >= 3 and len(voted.outputs.source) <= MOST_OUTPUTS:
        known = settings.for_sources(digest.counts.sources, digest.sources).known_pairs
        moments = Moments.of(voted)
        model = explaining_model(moments, fit, digest.kept, known)
        pairs = dependent_pairs(moments, model, known_pairs=known)
        largest = float(np.abs(unexplained(moments, model)[1][np.triu_indices(m, 1)]).max())
        p_value = min(1.0, m * (m - 1) * NormalDist().cdf(-largest))
    bias = -0.5 * np.log1p(-np.minimum([pair.correlation**2 for pair in pairs], 0.999)).sum() if pairs else 0.0
    return VotesAlone(len(digest), fit.n_gold, p_value, tuple(pairs), float(bias), digest.messages)
