"""What each triplet says of a source by itself: they agree where sources are independent given the class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats
from carob.count.moments import Moments
from carob.paper.kinds import Symmetric
from carob.paper.triplet_fit import Problem
from carob.posterior.settings import Positions


@dataclass(frozen=True, eq=False)
class TripletSpread:
    """Estimates of the accuracy of one source, one by every pair of other sources."""

    source: str
    accuracies: Floats  # shape (t,): in increasing order; as sources that are right equally often in all classes
    negative: int  # triplets that contradict themselves, which give no estimate

    @property
    def median(self) -> float:
        """What is taken for the accuracy."""
        return float(np.median(self.accuracies))

    @property
    def width(self) -> float:
        """Between a quarter and three quarters of the estimates."""
        low, high = np.quantile(self.accuracies, [0.25, 0.75])
        return float(high - low)


def widest_spread(moments: Moments, pairs: Positions = ()) -> TripletSpread | None:
    """The source whose triplets differ most; None where no source has three triplets or more.

    Parameters
    ----------
    pairs : sequence of pairs of int
        Sources known to depend on each other, which are in no triplet together.
    """
    kind = Symmetric()
    K = len(moments.classes)
    problem = Problem.of(kind, moments, np.full(K, 1 / K), pairs)
    found = [_spread(problem, i) for i in range(len(moments.sources))]
    told = [spread for spread in found if len(spread.accuracies) >= 3]
    return max(told, key=lambda spread: spread.width, default=None)


def _spread(problem: Problem, i: int) -> TripletSpread:
    b, allowed, K = problem.b, problem.features.allowed, len(problem.moments.classes)
    others = np.flatnonzero(allowed[i])
    place = np.triu_indices(len(others), 1)
    j, k = others[place[0]], others[place[1]]
    j, k = j[allowed[j, k]], k[allowed[j, k]]
    ratio = b[i, j] * b[i, k] / b[j, k]
    x = np.sort(np.minimum(np.sqrt(ratio[ratio > 0]), 1))
    return TripletSpread(problem.moments.sources[i], (1 + (K - 1) * x) / K, int((ratio <= 0).sum()))
