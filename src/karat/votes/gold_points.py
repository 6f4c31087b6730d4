"""The points that have gold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from karat._types import AnyArray, Codes, Ints, Places
from karat.votes.gold import Gold
from karat.votes.votes import Votes


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
    """

    votes: Votes
    truth: Codes
    rows: Places

    @classmethod
    def of(cls, votes: Votes, gold: Gold) -> GoldPoints:
        """The points of these votes that have gold."""
        rows = np.flatnonzero(gold.known)
        return cls(votes.take(rows), gold.values[rows], rows)

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def counts(self) -> Ints:
        """How many points are of each class, shape (K,)."""
        return np.bincount(self.truth, minlength=len(self.votes.classes)).astype(np.int64)

    def take(self, places: AnyArray | slice) -> GoldPoints:
        """Some of the points."""
        return GoldPoints(self.votes.take(places), self.truth[places], self.rows[places])

    def select(self, sources: tuple[str, ...]) -> GoldPoints:
        """The same points with the votes of some of the sources."""
        return replace(self, votes=self.votes.select(sources))
