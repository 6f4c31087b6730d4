"""Counts of outputs and of pairs of outputs: all that the method of moments needs to know of the votes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from karat.coding import ABSTAIN, Label
from karat.errors import InputError
from karat.votes import Votes


@dataclass(frozen=True, eq=False)
class Moments:
    """Exact counts over n points; ``a + b`` are the moments of both data sets together.

    Parameters
    ----------
    n : int
        Number of points.
    single : array of int64, shape (m, K)
        ``single[i, u]``: on how many points source i votes u.
    pair : array of int64, shape (m, K, m, K)
        ``pair[i, u, j, v]``: on how many points source i votes u and source j votes v.
    sources, classes : tuple
        Names.

    Examples
    --------
    >>> votes = Votes.from_array([[0, 0, 1], [1, 1, 1], [1, 0, 1], [0, 1, 0]])
    >>> moments = Moments.of(votes)
    >>> moments.single[:, 1].tolist()
    [2, 2, 3]
    >>> moments == Moments.of(votes.take(slice(0, 1))) + Moments.of(votes.take(slice(1, 4)))
    True
    """

    n: int
    single: npt.NDArray[np.int64]
    pair: npt.NDArray[np.int64]
    sources: tuple[str, ...]
    classes: tuple[Label, ...]

    @classmethod
    def of(cls, votes: Votes) -> Moments:
        """Count the votes."""
        from karat._kernels import THREADS, in_threads, pair_counts, spans

        n, m, K = len(votes), len(votes.sources), len(votes.classes)
        # Count all outputs but class 0, which follows: count(i = 0, x) = count(x) - sum_{v != 0} count(i = v, x).
        # Most data has few abstains, and a feature that never occurs costs nothing.
        outputs = np.array([ABSTAIN, *range(1, K)], dtype=np.int8)
        parts = spans(n, THREADS, 64)

        upper = sum(
            in_threads(lambda part: pair_counts(votes.values.T, outputs, *parts[part]), len(parts)),
            np.zeros((m * K, m * K), dtype=np.int64),
        )
        pair = upper + np.triu(upper, 1).T
        single = np.diagonal(pair).copy()
        # Where the abstains were counted, class 0 goes: first the rows, then the columns.
        by_source = single.reshape(m, K)
        by_source[:, 0] = n - by_source.sum(axis=1)
        rows = pair.reshape(m, K, m * K)
        counted = np.diagonal(pair).copy()
        rows[:, 0] = counted - rows.sum(axis=1)
        columns = pair.reshape(m * K, m, K)
        columns[:, :, 0] = single[:, None] - columns.sum(axis=2)
        return cls(n, by_source, pair.reshape(m, K, m, K), votes.sources, votes.classes)

    @classmethod
    def of_patterns(
        cls,
        values: npt.NDArray[np.int8],
        counts: npt.NDArray[np.int64],
        sources: tuple[str, ...],
        classes: tuple[Label, ...],
    ) -> Moments:
        """Moments of points given as distinct rows, shape (p, m), and how often each occurs, shape (p,)."""
        return cls.of_features(one_hot(values, len(classes)), counts, sources, classes)

    @classmethod
    def of_features(
        cls,
        features: npt.NDArray[np.float64],
        counts: npt.NDArray[np.int64],
        sources: tuple[str, ...],
        classes: tuple[Label, ...],
    ) -> Moments:
        """The same from the 0/1 features of the rows, as `one_hot` gives them."""
        m, K = len(sources), len(classes)
        # Sums of integers below 2^53 are exact in float64, whatever the order of the sum.
        pair = np.rint(features.T @ (features * counts[:, None])).astype(np.int64)
        single = np.diagonal(pair).reshape(m, K).copy()
        return cls(int(counts.sum()), single, pair.reshape(m, K, m, K), sources, classes)

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if (self.sources, self.classes) != (other.sources, other.classes):
            raise InputError("only moments of the same sources (in the same order) and classes can be added.")
        return Moments(self.n + other.n, self.single + other.single, self.pair + other.pair, self.sources, self.classes)

    def without(self, part: Moments) -> Moments:
        """Moments of all points but those of `part`, which must be among them."""
        return Moments(self.n - part.n, self.single - part.single, self.pair - part.pair, self.sources, self.classes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and (
            (self.n, self.sources, self.classes) == (other.n, other.sources, other.classes)
            and np.array_equal(self.single, other.single)
            and np.array_equal(self.pair, other.pair)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Moments({self.n:,} points, {len(self.sources):,} sources, {len(self.classes)} classes)"

    @cached_property
    def coverage(self) -> npt.NDArray[np.int64]:
        """On how many points each source votes, shape (m,)."""
        return self.single.sum(axis=1)

    @cached_property
    def together(self) -> npt.NDArray[np.int64]:
        """On how many points both sources vote, shape (m, m)."""
        return self.pair.sum(axis=(1, 3))

    @cached_property
    def agree(self) -> npt.NDArray[np.int64]:
        """On how many points both sources vote the same, shape (m, m)."""
        return np.einsum("iuju->ij", self.pair)


def one_hot(values: npt.NDArray[np.int8], K: int) -> npt.NDArray[np.float64]:
    """0/1 features ``1[vote_i = v]`` in the order (source, class), shape (rows, m K).

    >>> one_hot(np.array([[0, -1], [1, 1]], dtype=np.int8), 2)
    array([[1., 0., 0., 0.],
           [0., 1., 0., 1.]])
    """
    rows, m = values.shape
    return (values[:, :, None] == np.arange(K, dtype=np.int8)).reshape(rows, m * K).astype(np.float64)
