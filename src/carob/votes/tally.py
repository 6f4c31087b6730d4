"""Votes for each class, counted point by point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from carob._kernels import threads
from carob._kernels.counting import add_tally
from carob._types import Bools, Codes, Floats, Group, Ints, Places
from carob.votes.storage import Dense, Sparse


def tally(storage: Dense | Sparse, K: int, scored: Bools, low: int, high: int, once: Sequence[Group]) -> Ints:
    """How many votes the points low..high have for each class, shape (points, K).

    Parameters
    ----------
    scored : array of bool, shape (m,)
        Sources that give scores, and no votes.
    once : sequence of tuples of int
        Groups of sources whose votes for a class count as one.
    """
    if isinstance(storage, Sparse):
        point, source, value = storage.entries(low, high)
        if scored.any():
            point, value = point[~scored[source]], value[~scored[source]]
        counts = np.bincount(point * K + value, minlength=(high - low) * K).reshape(high - low, K)
    elif scored.any():
        counts = _votes_for(storage.columns(low, high, np.flatnonzero(~scored)), K)
    else:
        counts = _dense_tally(storage, K, low, high)
    for group in once:
        voters: Places = np.array([i for i in group if not scored[i]], dtype=np.intp)
        counts -= np.maximum(_votes_for(storage.columns(low, high, voters), K) - 1, 0)
    return counts


def score_parts(storage: Dense | Sparse, K: int, leaning: Mapping[int, Floats], low: int, high: int) -> Floats:
    """What scores add to the votes of the points low..high for each class, shape (points, K).

    Parameters
    ----------
    leaning : mapping of int to array
        How far each bin of each source with scores speaks for the second of two classes.
    """
    counts = np.zeros((high - low, K))
    for i, lean in leaning.items():
        part = np.stack([1 - lean, lean], axis=1) if K == 2 else np.full((len(lean), K), 1 / K)
        given = storage.columns(low, high, np.array([i]))[0]
        counts += np.concatenate([part, np.zeros((1, K))])[given]  # the last row is that of -1, nothing said
    return counts


def _dense_tally(storage: Dense, K: int, low: int, high: int) -> Ints:
    counts = np.zeros((high - low, K), dtype=np.int64)
    columns = storage.columns(0, storage.shape[0])
    parts = threads.spans(high - low, threads.THREADS)

    def add(part: int) -> None:
        first, last = parts[part]
        add_tally(columns, low + first, low + last, counts[first:last])

    threads.in_threads(add, len(parts))
    return counts


def _votes_for(columns: Codes, K: int) -> Ints:
    """How many of the columns vote for each class on each point, shape (points, K)."""
    return np.stack([(columns == y).sum(axis=0) for y in range(K)], axis=1)
