"""Cross-validation: how good labels are on gold that they were not learned from, class balance and all.

The readings of the votes have seen no gold at all, and all that gold tells is learned anew without each of five parts
of it. Majority vote, votes alone, gold alone, and votes and gold are measured on the same points by the same rule, and
these are the numbers that `fit`, `value`, `rate` and the report show.

The fits without each part also tell how much labels depend on which gold was seen: the mean divergence of their
probabilities from their mean, times the number of parts less one, is what the jackknife says the probabilities vary by
over draws of the gold labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from carob._types import AnyArray, Floats, Ints, Progress
from carob.label.model import Learned
from carob.label.readings import smoothed_count
from carob.posterior.gold_alone import gold_alone_probabilities
from carob.posterior.losses import CrossScore, entropy
from carob.posterior.settings import Settings
from carob.votes import GoldPoints

FOLDS = 5  # parts of gold
FEWEST_GOLD = 10  # labels, of two classes or more, from which on scores are told


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Probabilities of gold points by fits that have not seen their labels."""

    points: GoldPoints
    fold: Ints  # shape (g,): the part of gold that each gold point is in
    # majority, votes_alone, gold_alone, both: shape (g, K)
    majority: Floats
    votes_alone: Floats
    gold_alone: Floats
    both: Floats
    # shape (n, K): of all points by votes and gold: of gold points `both`, of others the mean over fits
    everyone: Floats
    variation: float  # what the probabilities vary by over draws of gold, as a mean divergence in nats

    def scores(self, level: float) -> tuple[CrossScore, ...]:
        """Accuracy and log loss of each way to label, with intervals."""
        ways = {
            "majority vote": self.majority,
            "votes alone": self.votes_alone,
            "gold alone": self.gold_alone,
            "votes and gold": self.both,
        }
        truth, weights = self.points.truth, self.points.weights
        return tuple(CrossScore.of(name, p, truth, weights, level) for name, p in ways.items())


def folds(truth: AnyArray, rng: np.random.Generator) -> Ints:
    """The part of gold that each gold point is in, with as many of each class in every part as can be."""
    order = rng.permutation(len(truth))
    order = order[np.argsort(truth[order], kind="stable")]
    fold = np.empty(len(truth), dtype=np.int64)
    fold[order] = np.arange(len(truth)) % FOLDS
    return fold


def can_validate(points: GoldPoints | None) -> TypeGuard[GoldPoints]:
    """Whether gold is enough to tell how good labels are."""
    return points is not None and len(points) >= FEWEST_GOLD and bool(np.count_nonzero(points.counts) > 1)


def cross_validate(
    learned: Learned, points: GoldPoints, settings: Settings, progress: Progress | None = None
) -> CrossValidation:
    """Correct the readings, which have seen no gold, by all gold but a part, for every part."""
    training, truth = learned.training, np.full(learned.training.n, -1, dtype=np.int8)
    truth[points.rows] = points.truth
    fold = folds(points.truth, settings.generator())
    parts = np.unique(fold)
    both, everyone = np.empty((len(points), training.K)), np.zeros((training.n, training.K))
    information = 0.0
    for done, part in enumerate(parts):
        own = points.rows[fold == part]
        seen = truth.copy()
        seen[own] = -1
        p = learned.probabilities(learned.with_gold(seen))
        both[fold == part] = p[own]
        everyone += p / len(parts)
        information -= float(entropy(p).mean()) / len(parts)
        if progress is not None:
            progress(done + 1, len(parts))
    variation = (len(parts) - 1) * (information + float(entropy(everyone).mean()))
    everyone[points.rows] = both
    given = settings.given_balance(training.votes.classes)
    others = fold != parts[:, None]
    gold_alone = gold_alone_probabilities(points, others, given, training.groups, points.votes)
    alone = learned.probabilities(learned.mixture(learned.prior, ()))
    return CrossValidation(
        points,
        fold,
        smoothed_count(training.tally[points.rows], 2.0),
        alone[points.rows],
        gold_alone[np.searchsorted(parts, fold), np.arange(len(points))],
        both,
        everyone,
        max(variation, 0.0),
    )
