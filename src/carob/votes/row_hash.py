"""A hash of row numbers: what makes any choice among points the same whatever batches, threads and engines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from carob._types import Places


def mixed(row: Places) -> npt.NDArray[np.uint64]:
    """The finalizer of the generator splitmix64: every bit of the row number changes every bit of the result."""
    x = (row.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def block_of(row: Places, blocks: int) -> Places:
    """The block of each row: a hash of its number, since neighbours in a file are often alike.

    >>> block_of(np.arange(6), 32).tolist()
    [28, 13, 0, 31, 3, 10]
    """
    return (((mixed(row) >> np.uint64(32)) * np.uint64(blocks)) >> np.uint64(32)).astype(np.intp)
