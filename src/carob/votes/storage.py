"""Two ways to hold votes behind one small interface: all cells, or only those where somebody voted.

A cell takes one byte in `Dense`; a vote takes nine in `Sparse`. Whoever needs all sources of some points at once asks
for `columns`; whoever can work vote by vote asks for `entries`. `Patterns` are the distinct rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from carob._types import ABSTAIN, AnyArray, Codes, Ints, Places

CELLS_PER_VOTE = 9  # bytes of a vote in `Sparse` over those of a cell in `Dense`: above that, `Sparse` is smaller


def is_sparse(votes: int, n: int, m: int) -> bool:
    """Whether so many votes of m sources on n points take less room in `Sparse`."""
    return votes * CELLS_PER_VOTE < n * m


@dataclass(frozen=True, eq=False)
class Dense:
    """All cells, column after column."""

    values: Codes  # shape (n, m): in Fortran's order, so that columns are contiguous

    @property
    def shape(self) -> tuple[int, int]:
        """Points and sources."""
        return self.values.shape[0], self.values.shape[1]

    def columns(self, low: int, high: int, sources: Places | None = None) -> Codes:
        """Votes on points low..high of all or some sources, a row per source; a view where all are asked for."""
        block = self.values.T[:, low:high]
        return block if sources is None else block[sources]

    def take(self, rows: AnyArray | slice) -> Dense:
        """The votes on some of the points."""
        return Dense(np.asfortranarray(self.values[rows]))

    def select(self, sources: list[int]) -> Dense:
        """The votes of some of the sources."""
        return Dense(np.asfortranarray(self.values[:, sources]))


@dataclass(frozen=True, eq=False)
class Sparse:
    """Only the votes, point after point, those of a point in the order of the sources."""

    start: Ints  # shape (n + 1,): the votes on point t are those from ``start[t]`` to ``start[t + 1]``
    source: npt.NDArray[np.int32]  # shape (votes,)
    value: Codes  # shape (votes,): the output less one; never -1
    m: int  # number of sources

    @classmethod
    def of_entries(cls, n: int, m: int, point: Ints, source: Ints, value: Codes) -> Sparse:
        """From votes in any order, silent ones among them."""
        spoken = np.flatnonzero(value != ABSTAIN)
        order = spoken[np.lexsort((source[spoken], point[spoken]))]
        start = np.concatenate([[0], np.cumsum(np.bincount(point[order], minlength=n))]).astype(np.int64)
        return cls(start, source[order].astype(np.int32), value[order], m)

    @property
    def shape(self) -> tuple[int, int]:
        """Points and sources."""
        return len(self.start) - 1, self.m

    def entries(self, low: int, high: int) -> tuple[Places, npt.NDArray[np.int32], Codes]:
        """Votes on points low..high: the point, counted from `low`, the source, and the value."""
        votes = slice(self.start[low], self.start[high])
        point = np.repeat(np.arange(high - low), np.diff(self.start[low : high + 1]))
        return point, self.source[votes], self.value[votes]

    def columns(self, low: int, high: int, sources: Places | None = None) -> Codes:
        """Votes on points low..high of all or some sources, a row per source."""
        point, source, value = self.entries(low, high)
        place = np.arange(self.m, dtype=np.int64)
        if sources is not None:
            place = np.full(self.m, -1, dtype=np.int64)
            place[sources] = np.arange(len(sources))
            wanted = place[source] >= 0
            point, source, value = point[wanted], source[wanted], value[wanted]
        block = np.full((self.m if sources is None else len(sources), high - low), ABSTAIN, dtype=np.int8)
        block[place[source], point] = value
        return block

    def take(self, rows: AnyArray | slice) -> Sparse:
        """The votes on some of the points."""
        wanted = np.arange(self.shape[0])[rows]
        number = np.diff(self.start)[wanted]
        start = np.concatenate([[0], np.cumsum(number)]).astype(np.int64)
        votes = np.repeat(self.start[wanted] - start[:-1], number) + np.arange(start[-1])
        return Sparse(start, self.source[votes], self.value[votes], self.m)

    def select(self, sources: list[int]) -> Sparse:
        """The votes of some of the sources."""
        place = np.full(self.m, -1, dtype=np.int64)
        place[sources] = np.arange(len(sources))
        point, source, value = self.entries(0, self.shape[0])
        kept = place[source] >= 0
        return Sparse.of_entries(self.shape[0], len(sources), point[kept], place[source[kept]], value[kept])


Storage = Dense | Sparse  # of votes of m sources on n points: -1 where a source said nothing, else its output less one


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct rows of a vote matrix and how often each occurs.

    Parameters
    ----------
    values : array of int8, shape (p, m)
        Distinct rows.
    counts : array of int64, shape (p,)
        How many points have that row.
    inverse : array of int, shape (n,)
        The pattern of each point.
    """

    values: Codes
    counts: Ints
    inverse: Places

    def __len__(self) -> int:
        return len(self.counts)

    @classmethod
    def of(cls, values: Codes, sizes: tuple[int, ...]) -> Patterns:
        """Distinct rows of votes, shape (n, m), of sources with so many outputs."""
        n = len(values)
        code = np.zeros(n, dtype=np.int64)
        largest = 1  # codes so far are below this
        for column, size in zip(values.T, sizes, strict=True):
            if largest > np.iinfo(np.int64).max // size:
                code = np.unique(code, return_inverse=True)[1].astype(np.int64, copy=False)
                largest = n
            code = code * size + (column + np.int64(1))
            largest *= size
        _, first, inverse, counts = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
        return cls(values[first], counts.astype(np.int64), inverse)
