"""One number from estimates on many subsets of views: the median, the mean, or one of them at random.

What the paper does with triplets it does with any estimator that is solved on subsets of what can be observed (its
"Abstraction", appendix B.1): each subset gives an estimate, those with an unmodeled dependency are off, and where they
are less than half of all the median is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from carob._kernels import threads
from carob._kernels.threads import in_threads, spans
from carob._types import Bools, Floats, Ints, Places
from carob.paper.settings import Aggregate, Negative


def over_subsets(
    estimates: Floats,
    aggregate: Aggregate,
    used: int | None = None,
    finish: Callable[[Any], Any] = lambda found: found,
    rng: np.random.Generator | None = None,
) -> Any:
    """Aggregate estimates over their last axis, of which each place stands for a subset of views.

    Parameters
    ----------
    estimates : array, shape (..., S)
        May be reordered.
    used : int, optional
        How many of them count, the largest ones; all where not given. Fewer are for the median alone.
    finish : callable
        What makes an estimate of each of these numbers: increasing, so that the median lets it wait.
    rng : numpy Generator, optional
        For ``aggregate="random"``, which takes the same subset all along the other axes.

    Examples
    --------
    >>> over_subsets(np.array([[1.0, 9.0, 2.0], [4.0, 5.0, 60.0]]), "median")
    array([2., 5.])
    """
    S = estimates.shape[-1]
    used = S if used is None else used
    if aggregate == "median":
        middle = S - used + used // 2
        estimates.partition(middle, axis=-1)
        upper = finish(estimates[..., middle])
        return upper if used % 2 else (upper + finish(estimates[..., :middle].max(axis=-1))) / 2
    found = finish(estimates)
    return found.mean(axis=-1) if aggregate == "mean" or rng is None else found[..., rng.integers(S)]


def aggregate_triplets(
    b: Floats,
    allowed: Bools,
    aggregate: Aggregate = "median",
    negative: Negative = "drop",
    limit: float | None = None,
    rng: np.random.Generator | None = None,
    partners: Places | None = None,
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
    partners : array of int, shape (P,), optional
        Features that g and h are among; all where not given.

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
    rows = np.where(allowed, b, 0)
    inverse = np.where(allowed, 1 / np.where(b == 0, 1, b), 0)
    if partners is not None:
        rows, inverse = np.ascontiguousarray(rows[:, partners]), inverse[np.ix_(partners, partners)]
    inverse, P = circular(inverse), rows.shape[1]
    x, usable = np.full(F, np.nan), np.zeros(F, dtype=np.int64)
    seeds = [None] * F if aggregate != "random" else list((rng or np.random.default_rng()).spawn(F))
    parts = spans(F, threads.THREADS if F >= 50 else 1)

    def work(part: int) -> None:
        room = np.empty_like(inverse)
        ratios = room.reshape(-1)
        # A row of b twice over: the window that starts at s is the row shifted by s, without a copy.
        twice = np.empty(2 * P)
        shifted = sliding_window_view(twice, P)[1 : len(inverse) + 1]
        for f in range(*parts[part]):
            twice[:P] = twice[P:] = rows[f]
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
    # The median needs no more than that what is not used sorts before all that is, but many equal zeros are slow.
    if aggregate != "median" or 2 * used < len(ratios):
        ratios = ratios[ratios > 0]
    largest = np.inf if limit is None else limit
    return float(over_subsets(ratios, aggregate, used, lambda found: np.minimum(np.sqrt(found), largest), rng))
