"""What each source says on points of which kind, in one pass over the votes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from karat._kernels.compiled import compiled

_VOTES = types.Array(types.int8, 2, "C", readonly=True)  # a user's array may be read-only
_u64, _u8 = types.uint64, types.uint8
_U = np.uint64  # an index that cannot be negative needs no check, and only then do the loops become vectors
CHUNK = 4096  # points at a time, in the first cache
LEFT_OUT, VOTES, SCORES = 0, 1, 2  # what a source counts for


@compiled(types.void(types.int64[::1], types.uint16[::1]))
def row_hashes(row: Any, out: Any) -> None:
    """The first sixteen bits of the hash of each row number, as in `karat.votes.row_hash`."""
    for t in range(_U(len(row))):
        x = (_U(row[t]) + _U(1)) * _U(0x9E3779B97F4A7C15)
        x = (x ^ (x >> _U(30))) * _U(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> _U(27))) * _U(0x94D049BB133111EB)
        out[t] = np.uint16((x ^ (x >> _U(31))) >> _U(48))


@compiled(
    types.void(
        _VOTES, _u64, _u64, _u64, _u8[::1], _u8[:, ::1], types.uint16[::1], _u64[::1],
        types.int64[:, :, ::1], _u64[::1], types.int64[::1]
    )
)  # fmt: skip
def add_summary(
    columns: Any, low: Any, high: Any, first_row: Any, role: Any, room: Any, kind: Any, mixed: Any,
    cast: Any, prints: Any, none: Any,
) -> None:  # fmt: skip
    """Add up what all sources say on points low..high.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    low, high : int
    first_row : int
        Row number of point 0 in the whole data.
    role : array of uint8, shape (m,)
        Sources whose votes make up the kind of a point, that give scores, and that do neither.
    room : array of uint8, shape (5, CHUNK), kind, of uint16, and mixed, of uint64, shape (CHUNK,)
        For a chunk of points.
    cast : array of int64, shape (m, 3, outputs)
        Points on which source i gives output u: with one vote, with several that are the same, and with others.
    prints : array of uint64, shape (m,)
        The sum over points of a hash of the row number times the output.
    none : array of int64, shape (1,)
        Points on which no source says anything.
    """
    chunk = _U(CHUNK)
    outputs = np.uint16(cast.shape[2])
    spoken, many, lowest, highest, heard = room[0], room[1], room[2], room[3], room[4]
    flat = cast.reshape(cast.shape[0], cast.shape[1] * cast.shape[2])
    for start in range(low, high, chunk):
        size = min(chunk, high - start)
        for t in range(size):
            spoken[t] = 0
            many[t] = 0
            lowest[t] = 255
            highest[t] = 0
            heard[t] = 0
            # The finalizer of splitmix64, as in `karat.votes.row_hash`.
            x = (first_row + start + t + _U(1)) * _U(0x9E3779B97F4A7C15)
            x = (x ^ (x >> _U(30))) * _U(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> _U(27))) * _U(0x94D049BB133111EB)
            mixed[t] = x ^ (x >> _U(31))
        for i in range(_U(len(role))):
            if role[i] == np.uint8(1):
                for t in range(size):
                    value = np.uint8(columns[i, start + t] + np.int8(1))
                    here = np.uint8(value != np.uint8(0))
                    many[t] |= spoken[t] & here
                    spoken[t] |= here
                    highest[t] = max(highest[t], value)
                    lowest[t] = min(lowest[t], np.uint8(value - np.uint8(1)))  # of silence 255
            elif role[i] == np.uint8(2):
                for t in range(size):
                    heard[t] |= np.uint8(columns[i, start + t] >= np.int8(0))
        silent = _U(0)
        for t in range(size):
            differ = np.uint8(np.uint8(lowest[t] + np.uint8(1)) != highest[t]) & spoken[t]
            kind[t] = np.uint16(many[t] + differ) * outputs
            silent += _U((spoken[t] | heard[t]) == np.uint8(0))
        none[0] += silent
        for i in range(_U(len(role))):
            total = _U(0)
            for t in range(size):
                value = np.uint8(columns[i, start + t] + np.int8(1))
                flat[i, _U(kind[t]) + _U(value)] += 1
                total += mixed[t] * _U(value)
            prints[i] += total
