"""True classes, where somebody looked, and the points that have them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from carob._types import ABSTAIN, AnyArray, Bools, Codes, Floats, Ints, Label, Places, cached_property
from carob.errors import InputError, examples

if TYPE_CHECKING:
    from carob.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Gold:
    """The true class of each point, where somebody looked.

    Parameters
    ----------
    values : array of int8, shape (n,)
        Class index, -1 where the class is not known.
    classes : tuple
        Names of the classes.
    reference : bool
        True where it came with a data set to measure with, so that nobody expects it to be learned from.
    chances : array, shape (n,), optional
        The chance that one picked label falls on each point, as `carob.pick` says; NaN where points were chosen at
        random, which is a chance of 1 / n. Only how they compare matters.
    """

    values: Codes
    classes: tuple[Label, ...]
    reference: bool = False
    chances: Floats | None = None

    def __post_init__(self) -> None:
        if self.chances is None:
            return
        if len(self.chances) != len(self.values):
            raise InputError(
                f"there are {len(self.chances):,} chances for {len(self.values):,} points; give one per point, empty "
                "where a point was chosen at random."
            )
        said = self.chances[self.known]
        wrong = said[(said <= 0) | (said > 1)]
        if len(wrong):
            raise InputError(
                f"the chances of gold points to be picked are above 0 and at most 1, not {examples(wrong.tolist())}. "
                "Take the column that `carob pick` wrote (chances=; --chance)."
            )

    def __len__(self) -> int:
        return len(self.values)

    @property
    def known(self) -> Bools:
        """True where the class is known, shape (n,)."""
        return self.values != ABSTAIN

    @property
    def counts(self) -> Ints:
        """How many points of each class are known, shape (K,)."""
        return np.bincount(self.values[self.known], minlength=len(self.classes)).astype(np.int64)

    @cached_property
    def weights(self) -> Floats:
        """How many points of a random sample each point stands for if its class is known, shape (n,); 1 on average."""
        return self.weights_among(len(self))

    def weights_among(self, n: int) -> Floats:
        """The same where these points are some of n."""
        if self.chances is None:
            return np.ones(len(self))
        weights = 1 / np.where(np.isnan(self.chances), 1 / max(n, 1), self.chances)
        return np.asarray(weights / weights[self.known].mean()) if self.known.any() else weights

    def take(self, rows: AnyArray | slice) -> Gold:
        """Gold of some of the points."""
        return replace(self, values=self.values[rows], chances=None if self.chances is None else self.chances[rows])


@dataclass(frozen=True, eq=False)
class GoldPoints:
    """The points that have gold: all that a fit sees of single points."""

    votes: Votes  # the votes on them
    truth: Codes  # shape (g,): their classes; every one is known
    rows: Places  # shape (g,): which points of the data they are
    # shape (g,): how many points of a random sample each stands for, 1 on average: other than 1 where points were
    # picked
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

    def take(self, places: AnyArray | slice) -> GoldPoints:
        """Some of the points."""
        return GoldPoints(self.votes.take(places), self.truth[places], self.rows[places], self.weights[places])

    def select(self, sources: tuple[str, ...]) -> GoldPoints:
        """The same points with the votes of some of the sources."""
        return replace(self, votes=self.votes.select(sources))
