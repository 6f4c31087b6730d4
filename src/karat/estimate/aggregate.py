"""One number per feature from all triplets: the median, the mean, or one of them at random."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from karat._kernels import threads
from karat._kernels.threads import in_threads, spans
from karat._types import Bools, Floats, Ints

Aggregate = Literal["median", "mean", "random"]
Negative = Literal["drop", "absolute"]


def aggregate_triplets(
    b: Floats,
    allowed: Bools,
    aggregate: Aggregate = "median",
    negative: Negative = "drop",
    limit: float | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[Floats, Ints]:
    """Aggregate ``sqrt(b_fg b_fh / b_gh)`` over all pairs g, h, for every feature f.

    Parameters
    ----------
    b : array, shape (F, F)
        Without zeros off the diagonal.
    allowed : array of bool, shape (F, F)
        A triplet is used if all three of its pairs are allowed.
    limit : float, optional
        Each estimate is cut to this before it is aggregated.

    Returns
    -------
    x : array, shape (F,)
        NaN where no triplet is usable.
    usable : array of int, shape (F,)
        How many triplets were used.
    """
    F = len(b)
    if F < 3:
        return np.full(F, np.nan), np.zeros(F, dtype=np.int64)
    inverse = circular(np.where(allowed, 1 / np.where(b == 0, 1, b), 0))
    x, usable = np.full(F, np.nan), np.zeros(F, dtype=np.int64)
    seeds = [None] * F if aggregate != "random" else list((rng or np.random.default_rng()).spawn(F))
    parts = spans(F, threads.THREADS if F >= 50 else 1)

    rows = np.where(allowed, b, 0)

    def work(part: int) -> None:
        room = np.empty_like(inverse)
        ratios = room.reshape(-1)
        # A row of b twice over: the window that starts at s is the row shifted by s, without a copy.
        twice = np.empty(2 * F)
        shifted = sliding_window_view(twice, F)[1 : len(inverse) + 1]
        for f in range(*parts[part]):
            twice[:F] = twice[F:] = rows[f]
            np.multiply(shifted, rows[f], out=room)
            np.multiply(room, inverse, out=room)  # b_fg b_fh / b_gh, 0 where a pair is not allowed
            if negative == "absolute":
                np.abs(ratios, out=ratios)
            usable[f] = used = np.count_nonzero(ratios > 0)
            if used:
                x[f] = _aggregate(ratios, int(used), aggregate, limit, seeds[f])

    in_threads(work, len(parts))
    return x, usable


def circular(matrix: Floats) -> Floats:
    """The pairs of a symmetric matrix as a rectangle: row s - 1 holds ``matrix[j, (j + s) % F]`` for all j.

    With s up to F / 2 each pair is there once; where F is even, the second half of the last row repeats the
    first and is 0. A rectangle makes the products of a row with itself a view, not a gather.

    >>> circular(np.arange(9.0).reshape(3, 3))
    array([[1., 5., 6.]])
    """
    F = len(matrix)
    j = np.arange(F)
    result = np.stack([matrix[j, (j + s) % F] for s in range(1, F // 2 + 1)])
    if F % 2 == 0:
        result[-1, F // 2 :] = 0
    return result


def _aggregate(
    ratios: Floats, used: int, aggregate: Aggregate, limit: float | None, rng: np.random.Generator | None
) -> float:
    """Aggregate the roots of the positive ratios; may reorder `ratios`."""
    if aggregate == "median":
        if 2 * used < len(ratios):  # many equal zeros would make the selection slow
            ratios = ratios[ratios > 0]
        # What is not used is not positive, so it sorts before all that is. The root is monotone: it can wait.
        middle = len(ratios) - used + used // 2
        ratios.partition(middle)
        upper = _cut(np.sqrt(ratios[middle]), limit)
        if used % 2:
            return float(upper)
        return float((upper + _cut(np.sqrt(ratios[:middle].max()), limit)) / 2)
    roots = _cut(np.sqrt(ratios[ratios > 0]), limit)
    return float(roots.mean() if aggregate == "mean" or rng is None else roots[rng.integers(len(roots))])


def _cut(value: Any, limit: float | None) -> Any:
    return value if limit is None else np.minimum(value, limit)
