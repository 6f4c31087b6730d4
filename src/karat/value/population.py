"""Vote patterns with the probability of every class on each: what gold is drawn from, and what risks are taken over."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karat._types import Floats, Ints
from karat.votes import GoldPoints, Votes

ROWS = 5_000  # distinct rows that risks are taken over


@dataclass(frozen=True, eq=False)
class Population:
    """A distribution of votes and classes.

    Parameters
    ----------
    rows : Votes
        P rows of votes.
    weight : array, shape (P,)
        Probability of each row.
    given : array, shape (P, K)
        Probability of each class given the votes.
    """

    rows: Votes
    weight: Floats
    given: Floats

    @cached_property
    def joint(self) -> Floats:
        """Probability of each row together with each class, shape (P, K)."""
        joint = self.weight[:, None] * self.given
        return joint / joint.sum()

    def draw(self, n: int, size: int, rng: np.random.Generator) -> Ints:
        """How many of n gold points have each row of votes and class, for `size` samples; shape (size, P, K)."""
        return rng.multinomial(n, self.joint.ravel(), size=size).reshape(size, *self.joint.shape)

    def points(self, n: int, rng: np.random.Generator) -> GoldPoints:
        """Draw n gold points, in random order."""
        cells = rng.choice(self.joint.size, size=n, p=self.joint.ravel())
        row, truth = np.divmod(cells, self.joint.shape[1])
        return GoldPoints(self.rows.take(row), truth.astype(np.int8), row)

    def expected(self, losses: Floats) -> Floats:
        """Mean of losses, shape (..., P, K), over the population."""
        return np.tensordot(losses, self.joint, axes=2)


def typical_rows(votes: Votes, rng: np.random.Generator) -> tuple[Votes, Floats]:
    """Rows of votes that stand for all, and the weight of each: all that differ, or, of many, a random sample."""
    patterns = votes.patterns
    if len(patterns) <= ROWS:
        return votes.distinct(), patterns.counts / len(votes)
    sample = votes.take(rng.permutation(len(votes))[:ROWS])
    return sample.distinct(), sample.patterns.counts / ROWS
