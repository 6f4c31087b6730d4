"""The loops that NumPy cannot run near the speed of memory, compiled by numba on first use and cached.

Compiled loops release the interpreter lock, so ordinary threads run them side by side. Each takes half a
second or less to compile, once per machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from numba.core import types
from numba.extending import intrinsic

T = TypeVar("T")
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_BLOCK = 1 << 17  # points whose bits are held at a time
_VOTES = types.Array(types.int8, 2, "C", readonly=True)  # a user's array may be read-only
_u64, _f64 = types.uint64, types.float64
_U = np.uint64  # an index that cannot be negative needs no check, and only then do the loops become vectors


def in_threads(work: Callable[[int], T], count: int) -> list[T]:
    """Results of ``work(0) ... work(count - 1)``, run on all cores, in order."""
    if count == 1 or THREADS == 1:
        return [work(i) for i in range(count)]
    return list(_pool().map(work, range(count)))


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads, kept: new ones have cold memory, which costs a millisecond."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="karat")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has no threads but its own


def spans(n: int, parts: int, multiple: int = 1) -> Sequence[tuple[int, int]]:
    """Cut 0..n into at most `parts` pieces of nearly equal size, cut at multiples of `multiple`.

    >>> spans(10, 3, 2)
    [(0, 4), (4, 8), (8, 10)]
    """
    size = max(1, -(-n // (parts * multiple))) * multiple
    return [(low, min(low + size, n)) for low in range(0, n, size)]


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set: one instruction."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@numba.njit(
    types.void(_VOTES, _u64, _u64, types.int8[::1], types.uint8[::1], _u64[::1], types.uint8[:, ::1]),
    nogil=True,
    cache=True,
    error_model="numpy",
)
def _pack(columns: Any, low: Any, high: Any, outputs: Any, flags: Any, eights: Any, octets: Any) -> None:
    """Bits of ``columns[i] == outputs[k]``, points low..high, into row ``i * len(outputs) + k`` of `octets`.

    `flags` is room for a chunk of votes, `eights` the same memory as words. A chunk stays in the first cache.
    """
    chunk = _U(len(flags))
    for i in range(_U(columns.shape[0])):
        for start in range(low, high, chunk):
            size = min(chunk, high - start)
            least = columns[i, start]
            for t in range(size):
                least = min(least, columns[i, start + t])
            octet = (start - low) // _U(8)
            for k in range(_U(len(outputs))):
                row = i * _U(len(outputs)) + k
                if outputs[k] < least:  # an abstain, in a chunk without any
                    for t in range(chunk // _U(8)):
                        octets[row, octet + t] = 0
                else:
                    for t in range(size):
                        flags[t] = columns[i, start + t] == outputs[k]
                    for t in range(size, chunk):
                        flags[t] = 0
                    # Eight bytes of 0 or 1 become eight bits: the product brings byte k of a word to bit 56 + k.
                    for t in range(chunk // _U(8)):
                        octets[row, octet + t] = (eights[t] * _U(0x0102040810204080)) >> _U(56)


@numba.njit("void(uint64[:, ::1], uint64, uint64[::1], int64[:, ::1])", nogil=True, cache=True, error_model="numpy")
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


def pair_counts(
    columns: npt.NDArray[np.int8], outputs: npt.NDArray[np.int8], low: int, high: int
) -> npt.NDArray[np.int64]:
    """On how many of the points low..high two features hold, upper triangle, shape (f, f).

    Feature ``i * len(outputs) + k`` is ``columns[i] == outputs[k]``. Each becomes a vector of bits, a block of
    points at a time so that all of them stay in a core's own cache; a pair count is a popcount of an AND.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
    outputs : array of int8
    """
    features = len(columns) * len(outputs)
    counts = np.zeros((features, features), dtype=np.int64)
    planes = np.empty((features, _BLOCK // 64), dtype=np.uint64)
    live = np.empty(features, dtype=np.uint64)
    flags = np.empty(4096, dtype=np.uint8)
    for start in range(low, high, _BLOCK):
        stop = min(start + _BLOCK, high)
        _pack(columns, start, stop, outputs, flags, flags.view(np.uint64), planes.view(np.uint8))
        _add_common_bits(planes, -(-(stop - start) // 64), live, counts)
    return counts


@numba.njit(
    types.void(_VOTES, _u64, _u64, types.int64[:, ::1], types.uint16, _f64[:, ::1], types.uint16[::1], _f64[::1]),
    nogil=True,
    cache=True,
    error_model="numpy",
)
def add_tables(columns: Any, low: Any, high: Any, groups: Any, base: Any, tables: Any, place: Any, total: Any) -> None:
    """Add to ``total[t - low]`` what each table holds for the votes of its group of sources on point t.

    The votes are the digits of the place in the table: ``sum_j (vote_j + 1) base^(last - j)``.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
    low, high : int
    groups : array of int64, shape (g, w)
        Sources of each group, -1 where a group has fewer than w.
    base : int
        Number of outputs, K + 1.
    tables : array of float64, shape (g, base**w)
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
                    for t in range(size):
                        place[t] = np.uint16(place[t] * base) + np.uint16(columns[i, start + t] + np.int8(1))
            for t in range(size):
                total[start - low + t] += tables[g, _U(place[t])]


@numba.njit("void(float64[::1], float64[::1], float64[:, ::1])", nogil=True, cache=True, error_model="numpy")
def two_class_probabilities(odds: Any, small: Any, out: Any) -> None:
    """Probabilities of both classes from log odds and ``small = exp(-|odds|)``, exact mirror images of each other."""
    for t in range(_U(len(odds))):
        high = 1.0 / (1.0 + small[t])
        low = small[t] * high
        out[t, 0] = low if odds[t] >= 0 else high
        out[t, 1] = high if odds[t] >= 0 else low
