r"""Vote patterns with the probability of every class on each: what gold is drawn from, and what risks are taken over.

A sample of gold is one multinomial draw over (pattern, class). Many samples are learned from at once: the naive Bayes
model that the labeled estimator finds in each is a table of counts, a matrix product of counts and 0/1 features.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from karat._types import Floats
from karat.losses import log_losses
from karat.votes import Gold, Votes

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Population:
    """A distribution of votes and classes.

    Parameters
    ----------
    votes : Votes
        P patterns as points.
    weight : array, shape (P,)
        Probability of each pattern.
    given : array, shape (P, K)
        Probability of each class given the pattern.
    """

    votes: Votes
    weight: Floats
    given: Floats

    @cached_property
    def joint(self) -> Floats:
        """Probability of each pattern together with each class, shape (P, K)."""
        joint = self.weight[:, None] * self.given
        return joint / joint.sum()

    def draw(self, n: int, size: int, rng: np.random.Generator) -> Counts:
        """How many of n gold points have each pattern and class, for `size` samples; shape (size, P, K)."""
        return rng.multinomial(n, self.joint.ravel(), size=size).reshape(size, *self.joint.shape)

    def points(self, n: int, rng: np.random.Generator) -> tuple[Votes, Gold]:
        """Draw n gold points, in random order."""
        return points_in(self.votes, rng.choice(self.joint.size, size=n, p=self.joint.ravel()))

    def expected(self, losses: Floats) -> Floats:
        """Mean of losses, shape (..., P, K), over the population."""
        return np.tensordot(losses, self.joint, axes=2)


def points_in(votes: Votes, cells: npt.NDArray[np.integer]) -> tuple[Votes, Gold]:
    """Points of the given cells; cell p K + y is pattern p of `votes` with class y."""
    pattern, truth = np.divmod(cells, len(votes.classes))
    return votes.take(pattern), Gold(truth.astype(np.int8), votes.classes)


def labeled_losses(
    votes: Votes,
    counts: npt.NDArray[np.integer],
    class_balance: Floats,
    symmetric: bool,
    groups: tuple[tuple[int, ...], ...],
) -> Floats:
    """Log losses, shape (S, P, K), of the labeled models of S samples of gold given as counts, shape (S, P, K).

    The models are those of `karat.labeled`; besides, votes say nothing of a class that a sample does not show.
    """
    scores = np.broadcast_to(np.log(class_balance), counts.shape).copy()
    n = counts.sum(axis=(1, 2))
    floor = 1 / np.maximum(n, 2)
    number = counts.astype(np.float64)
    add = _add_symmetric if symmetric else _add_tables
    add(scores, votes.values, number, floor, groups)
    scores -= scores.max(axis=2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=2, keepdims=True)
    return log_losses(scores)


def _add_symmetric(
    scores: Floats, values: npt.NDArray[np.int8], number: Floats, floor: Floats, groups: tuple[tuple[int, ...], ...]
) -> None:
    K = scores.shape[2]
    votes_for = [(values == y).astype(np.float64) for y in range(K)]
    right = sum(number[:, :, y] @ votes_for[y] for y in range(K))
    cast = number.sum(axis=2) @ (values >= 0)
    p = np.where(cast > 0, right / np.maximum(cast, 1), 1 / K)
    p = np.clip(p, floor[:, None], 1 - floor[:, None])
    evidence = np.log(p * (K - 1) / (1 - p))
    for y in range(K):
        scores[:, :, y] += evidence @ votes_for[y].T


def _add_tables(
    scores: Floats, values: npt.NDArray[np.int8], number: Floats, floor: Floats, groups: tuple[tuple[int, ...], ...]
) -> None:
    K = scores.shape[2]
    of_class = number.sum(axis=1)[:, :, None]
    by_class = np.ascontiguousarray(number.transpose(0, 2, 1))
    for group in groups:
        outputs = np.ravel_multi_index(tuple(values[:, i] + 1 for i in group), (K + 1,) * len(group))
        kinds, place = np.unique(outputs, return_inverse=True)
        table = by_class @ (place[:, None] == np.arange(len(kinds)))
        seen = table.any(axis=1, keepdims=True)
        pooled = table.sum(axis=1, keepdims=True) / np.maximum(of_class.sum(axis=1, keepdims=True), 1)
        table = np.where(of_class > 0, table / np.maximum(of_class, 1), pooled)
        table = np.where(seen, np.clip(table, floor[:, None, None], 1 - floor[:, None, None]), 0)
        table /= np.maximum(table.sum(axis=2, keepdims=True), 1e-300)
        log_table = np.log(np.where(seen, table, 1))
        scores += log_table[:, :, place].transpose(0, 2, 1)
