"""Cross-validation: how good labels are on gold that they were not learned from, class balance and all.

Everything that is learned is learned anew without each of five parts of gold: the sources, the class balance, and how
sure labels are. Majority vote, votes alone, gold alone, and votes and gold are all measured on the same points by the
same rule, and these are the numbers that `fit`, `value`, `rate` and the report show.

The fits without each part also tell how much labels depend on which gold was seen: the mean divergence of their
probabilities from their mean, times the number of parts less one, is what the jackknife says the probabilities vary by
over draws of the gold labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from carob._types import AnyArray, Floats, Ints, Progress
from carob.label.agreed import blind_fits, known_groups, votes_alone
from carob.posterior.gold_alone import gold_alone_probabilities
from carob.posterior.losses import CrossScore, entropy
from carob.posterior.settings import Settings
from carob.votes import GoldPoints, Votes

FOLDS = 5  # parts of gold
FEWEST_GOLD = 10  # labels, of two classes or more, from which on scores are told


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Probabilities of gold points by fits that have not seen their labels.

    Parameters
    ----------
    points : GoldPoints
    fold : array of int, shape (g,)
        The part of gold that each gold point is in.
    majority, votes_alone, gold_alone, both : arrays, shape (g, K)
    everyone : array, shape (n, K)
        Of all points by votes and gold: of gold points `both`, of others the mean over fits.
    variation : float
        What the probabilities vary by over draws of gold, as a mean divergence in nats.
    """

    points: GoldPoints
    fold: Ints
    majority: Floats
    votes_alone: Floats
    gold_alone: Floats
    both: Floats
    everyone: Floats
    variation: float

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
    votes: Votes, points: GoldPoints, settings: Settings, progress: Progress | None = None
) -> CrossValidation:
    """Learn anew without each part of gold."""
    fold = folds(points.truth, settings.generator())
    parts = np.unique(fold)
    both, everyone = np.empty((len(points), len(votes.classes))), np.zeros((len(votes), len(votes.classes)))
    information = 0.0
    for done, (part, p) in enumerate(zip(parts, blind_fits(votes, points, fold, settings), strict=True)):
        both[fold == part] = p[points.rows[fold == part]]
        everyone += p / len(parts)
        information -= float(entropy(p).mean()) / len(parts)
        if progress is not None:
            progress(done + 1, len(parts))
    variation = (len(parts) - 1) * (information + float(entropy(everyone).mean()))
    everyone[points.rows] = both
    groups = known_groups(votes, settings)
    given = settings.given_balance(votes.classes)
    others = fold != parts[:, None]
    gold_alone = gold_alone_probabilities(points, others, given, groups, points.votes)
    place = np.searchsorted(parts, fold)
    counted = points.votes.leanings(once=[group for group in groups if len(group) > 1]) + 2 / len(votes.classes)
    return CrossValidation(
        points,
        fold,
        counted / counted.sum(axis=1, keepdims=True),
        votes_alone(votes, settings).posterior(points.votes),
        gold_alone[place, np.arange(len(points))],
        both,
        everyone,
        max(variation, 0.0),
    )
