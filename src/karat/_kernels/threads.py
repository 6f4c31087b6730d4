"""Work on all cores, and how it is cut up."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

_PIECES = 2  # for each thread, so that none waits long for the last


def in_threads(work: Callable[[int], T], count: int) -> list[T]:
    """Results of ``work(0) ... work(count - 1)``, run on all cores, in order."""
    if count == 1 or THREADS == 1:
        return [work(i) for i in range(count)]
    # Handing over one piece of work takes longer than many a piece itself.
    pieces = spans(count, _PIECES * THREADS)
    found = _pool().map(lambda piece: [work(i) for i in range(*piece)], pieces)
    return [result for results in found for result in results]


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
