"""The points that have gold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from carob._types import AnyArray, Codes, Floats, Ints, Places
from carob.votes.gold import Gold
from carob.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class GoldPoints:
    """The points that have gold: all that a fit sees of single points.

    Parameters
    ----------
    votes : Votes
        The votes on them.
    truth : array of int8, shape (g,)
        Their classes; every one is known.
    rows : array of int, shape (g,)
        Which points of the data they are.
    weights : array, shape (g,)
        How many points of a random sample each stands for, 1 on average: other than 1 where points were picked.
    """

    votes: Votes
    truth: Codes
    rows: Places
    weights: Floats = field(default_factory=lambda: np.ones(0))

    def __post_init__(self) -> None:
        if not len(self.weights):
            object.__setattr__(self, "weights", np.ones(len(self.truth)))

    @classmethod
    def of(cls, votes: Votes, gold: Gold) -> GoldPoints:
        """The points of these votes that have gold."""
        rows = np.flatnonzero(gold.known)
        return cls(votes.take(rows), gold.values[rows], rows, gold.weights[rows])

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def counts(self) -> Ints:
        """How many points are of each class, shape (K,)."""
        return np.bincount(self.truth, minlength=len(self.votes.classes)).astype(np.int64)

    @property
    def weighted_counts(self) -> Floats:
        """How many points of each class a random sample would have, shape (K,)."""
        return np.asarray(np.bincount(self.truth, self.weights, len(self.votes.classes)), dtype=np.float64)

    @property
    def effective(self) -> float:
        """The number of random points that tell as much of a mean: fewer where weights differ (Kish)."""
        return float(self.weights.sum() ** 2 / (self.weights**2).sum()) if len(self) else 0.0

    def take(self, places: AnyArray | slice) -> GoldPoints:
        """Some of the points."""
        return GoldPoints(self.votes.take(places), self.truth[places], self.rows[places], self.weights[places])

    def select(self, sources: tuple[str, ...]) -> GoldPoints:
        """The same points with the votes of some of the sources."""
        return replace(self, votes=self.votes.select(sources))
