"""Votes and gold together: blended accuracies, and probabilities as sure as gold shows them to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats
from carob.paper.accuracy_blend import Blend, blend
from carob.paper.recalibrate import Recalibration, recalibrate
from carob.paper.votes_fit import VotesFit
from carob.posterior.naive_bayes import posterior
from carob.posterior.source_model import SourceModel
from carob.votes import GoldPoints, Votes

FOLDS = 5  # of gold, each labeled by a blend of the others
SHIFT = 0.3  # how far recalibration may move the log-odds of all points, as a standard deviation
SHIFT_BALANCE_GIVEN = 0.05  # the same where the class balance is given
VARIANCE = 0.03  # of a source's parameter around the multiple of its estimate from votes; see `blend`
COUNT = 1.0  # standard deviation of the weight of a plain count of votes; see `recalibrate`
LOG_SLOPE = -0.3  # expected logarithm of what log-likelihoods are multiplied by: votes repeat each other


@dataclass(frozen=True, eq=False)
class WithGold:
    """What votes and gold tell together.

    Parameters
    ----------
    model : SourceModel
    blend : Blend
    recalibration : Recalibration
    """

    model: SourceModel
    blend: Blend
    recalibration: Recalibration

    def posterior(self, votes: Votes) -> Floats:
        """Recalibrated probabilities of the points, shape (n, K)."""
        return self.recalibration.apply(posterior(votes, self.model), votes, self.model.class_balance)


def add_gold(votes_fit: VotesFit, points: GoldPoints, rng: np.random.Generator | int | None) -> WithGold:
    """Blend what votes tell with gold points, and recalibrate on them."""
    mixed = blend(votes_fit.solution, points, VARIANCE)
    # Each gold point is labeled by a blend that has not seen it: otherwise recalibration would trust gold twice.
    order = np.random.default_rng(rng).permutation(len(points))
    balance = votes_fit.solution.class_balance
    probabilities = np.empty((len(points), len(balance)))
    for fold in np.array_split(order, min(FOLDS, len(points))):
        others = np.setdiff1d(order, fold)
        without = blend(votes_fit.solution, points.take(others), VARIANCE)
        probabilities[fold] = posterior(points.votes.take(fold), votes_fit.model_of(without.x))
    shift = SHIFT if votes_fit.solution.settings.class_balance is None else SHIFT_BALANCE_GIVEN
    recalibration = recalibrate(probabilities, points, balance, shift, COUNT, LOG_SLOPE, votes_fit.counted_once)
    return WithGold(votes_fit.model_of(mixed.x), mixed, recalibration)
