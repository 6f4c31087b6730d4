"""Sums of what tables say of the votes on each point."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from karat._kernels.compiled import compiled

_VOTES = types.Array(types.int8, 2, "C", readonly=True)  # a user's array may be read-only
_u64, _f64 = types.uint64, types.float64
_U = np.uint64  # an index that cannot be negative needs no check, and only then do the loops become vectors


@compiled(
    types.void(_VOTES, _u64, _u64, types.int64[:, ::1], types.uint16[::1], _f64[:, ::1], types.uint16[::1], _f64[::1])
)
def add_tables(columns: Any, low: Any, high: Any, groups: Any, sizes: Any, tables: Any, place: Any, total: Any) -> None:
    """Add to ``total[t - low]`` what each table holds for the outputs of its group of sources on point t.

    The outputs are the digits of the place in the table, as in `karat.votes.outputs.joint_output`.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    low, high : int
    groups : array of int64, shape (g, w)
        Sources of each group, -1 where a group has fewer than w.
    sizes : array of uint16, shape (m,)
        Number of outputs of each source.
    tables : array of float64, shape (g, entries)
    place : array of uint16
        Room for a chunk of points.
    total : array of float64, shape (high - low,)
    """
    chunk = _U(len(place))
    for start in range(low, high, chunk):
        size = min(chunk, high - start)
        for g in range(_U(groups.shape[0])):
            for t in range(size):
                place[t] = 0
            for j in range(_U(groups.shape[1])):
                if groups[g, j] >= 0:
                    i = _U(groups[g, j])
                    base = sizes[i]
                    for t in range(size):
                        place[t] = np.uint16(place[t] * base) + np.uint16(columns[i, start + t] + np.int8(1))
            for t in range(size):
                total[start - low + t] += tables[g, _U(place[t])]


@compiled("void(float64[::1], float64[::1], float64[:, ::1])")
def two_class_probabilities(odds: Any, small: Any, out: Any) -> None:
    """Probabilities of both classes from log odds and ``small = exp(-|odds|)``, exact mirror images of each other."""
    for t in range(_U(len(odds))):
        high = 1.0 / (1.0 + small[t])
        low = small[t] * high
        out[t, 0] = low if odds[t] >= 0 else high
        out[t, 1] = high if odds[t] >= 0 else low
