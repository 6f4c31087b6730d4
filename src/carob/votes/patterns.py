"""Distinct rows of votes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Codes, Ints, Places


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
