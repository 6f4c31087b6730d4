"""Counts of pairs of outputs: a popcount of an AND of bit vectors, or one vote after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from karat._kernels.compiled import compiled
from karat._types import Codes, Ints, Places

_BLOCK = 1 << 17  # points whose bits are held at a time
_CHUNK = 4096  # points that are turned into bits at a time, in the first cache
_VOTES = types.Array(types.int8, 2, "C", readonly=True)  # a user's array may be read-only
_u64 = types.uint64
_U = np.uint64  # an index that cannot be negative needs no check, and only then do the loops become vectors


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set: one instruction."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@compiled(
    types.void(_VOTES, _u64, _u64, types.int64[::1], types.int8[::1], types.uint8[::1], _u64[::1], types.uint8[:, ::1])
)
def _pack(columns: Any, low: Any, high: Any, source: Any, value: Any, flags: Any, eights: Any, octets: Any) -> None:
    """Bits of ``columns[source[f]] == value[f]``, points low..high, into row f of `octets`.

    `flags` is room for a chunk of votes, `eights` the same memory as words. A chunk stays in the first cache.
    """
    chunk = _U(len(flags))
    for start in range(low, high, chunk):
        size = min(chunk, high - start)
        octet = (start - low) // _U(8)
        last = -1
        least = np.int8(0)
        for f in range(_U(len(source))):
            i = _U(source[f])
            if source[f] != last:
                last = source[f]
                least = columns[i, start]
                for t in range(size):
                    least = min(least, columns[i, start + t])
            if value[f] < least:  # nothing said, in a chunk where everything is said
                for t in range(chunk // _U(8)):
                    octets[f, octet + t] = 0
            else:
                for t in range(size):
                    flags[t] = columns[i, start + t] == value[f]
                for t in range(size, chunk):
                    flags[t] = 0
                # Eight bytes of 0 or 1 become eight bits: the product brings byte k of a word to bit 56 + k.
                for t in range(chunk // _U(8)):
                    octets[f, octet + t] = (eights[t] * _U(0x0102040810204080)) >> _U(56)


@compiled("void(uint64[:, ::1], uint64, uint64[::1], int64[:, ::1])")
def _add_common_bits(planes: Any, words: Any, live: Any, counts: Any) -> None:
    """Add to ``counts[a, b]``, a <= b, how many bits rows a and b share; `live` is room for a word per row.

    A row without any bit costs nothing.
    """
    rows = _U(planes.shape[0])
    for a in range(rows):
        live[a] = 0
        for word in range(words):
            live[a] |= planes[a, word]
    for a in range(rows):
        if live[a]:
            for b in range(a, rows):
                if live[b]:
                    total = _U(0)
                    for word in range(words):
                        total += _popcount(planes[a, word] & planes[b, word])  # type: ignore[call-arg]
                    counts[a, b] += total


def pair_counts(columns: Codes, source: Places, value: Codes, low: int, high: int) -> Ints:
    """On how many of the points low..high two features hold, upper triangle, shape (f, f).

    Feature f is ``columns[source[f]] == value[f]``. Each becomes a vector of bits, a block of points at a time so that
    all of them stay in a core's own cache; a pair count is a popcount of an AND.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
    source : array of int, shape (f,)
        Features of one source stand together.
    value : array of int8, shape (f,)
    """
    features = len(source)
    counts = np.zeros((features, features), dtype=np.int64)
    chunks = -(-min(high - low, _BLOCK) // _CHUNK)
    planes = np.empty((features, chunks * _CHUNK // 64), dtype=np.uint64)
    live = np.empty(features, dtype=np.uint64)
    flags = np.empty(_CHUNK, dtype=np.uint8)
    for start in range(low, high, _BLOCK):
        stop = min(start + _BLOCK, high)
        _pack(columns, start, stop, source, value, flags, flags.view(np.uint64), planes.view(np.uint8))
        _add_common_bits(planes, -(-(stop - start) // 64), live, counts)
    return counts


@compiled("void(int64[::1], int64[::1], int64[::1], int64[:, ::1])")
def add_entry_pairs(start: Any, feature: Any, points: Any, counts: Any) -> None:
    """Add to ``counts[a, b]``, a <= b, on how many of the points both features hold.

    Parameters
    ----------
    start : array of int64, shape (n + 1,)
        The features of point t are ``feature[start[t]:start[t + 1]]``, increasing.
    points : array of int64
        The points that are counted.
    """
    for t in points:
        for a in range(start[t], start[t + 1]):
            for b in range(a, start[t + 1]):
                counts[feature[a], feature[b]] += 1


@compiled(types.void(_VOTES, types.float64[:, ::1], types.int64, types.float64[:, ::1]))
def add_weights(columns: Any, weights: Any, i: Any, total: Any) -> None:
    """Add to ``total[u, y]`` what ``weights[y, t]`` of the points t come to on which source i gives output u.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    weights : array of float64, shape (K, n)
    i : int
    total : array of float64, shape (outputs, K)
    """
    for y in range(_U(weights.shape[0])):
        for t in range(_U(weights.shape[1])):
            total[_U(columns[_U(i), t] + np.int8(1)), y] += weights[y, t]


@compiled(types.void(_VOTES, _u64, _u64, types.uint16[::1], types.int64[:, ::1]))
def add_tally(columns: Any, low: Any, high: Any, room: Any, tally: Any) -> None:
    """Add to ``tally[t - low, y]`` how many sources vote for class y on point t.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    low, high : int
    room : array of uint16
        For the counts of a chunk of points.
    tally : array of int64, shape (high - low, K)
    """
    chunk = _U(len(room))
    m = _U(columns.shape[0])
    most = _U(60_000)  # sources that are counted before sixteen bits are full
    for start in range(low, high, chunk):
        size = min(chunk, high - start)
        for y in range(_U(tally.shape[1])):
            for first in range(_U(0), m, most):
                for t in range(size):
                    room[t] = 0
                for i in range(first, min(first + most, m)):
                    for t in range(size):
                        room[t] += np.uint16(columns[i, start + t] == y)
                for t in range(size):
                    tally[start - low + t, y] += room[t]
