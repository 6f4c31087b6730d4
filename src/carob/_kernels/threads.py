"""Work on all cores, and how it is cut up."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

# How libraries for matrices are told how many threads to take. Ours are small: more than one wait for each other.
BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_PIECES = 2  # for each thread, so that none waits long for the last


def in_threads(work: Callable[[int], T], count: int) -> list[T]:
    """Results of ``work(0) ... work(count - 1)``, run on all cores, in order.

    Work that is itself run on one of the cores stays there: the others have theirs.
    """
    if count == 1 or THREADS == 1 or getattr(_here, "is_worker", False):
        return [work(i) for i in range(count)]
    # Handing over one piece of work takes longer than many a piece itself.
    pieces = spans(count, _PIECES * THREADS)
    found = _pool().map(lambda piece: [work(i) for i in range(*piece)], pieces)
    return [result for results in found for result in results]


def while_waiting(work: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """Results of `work` on every item, in order, while the items to come are read; few are held at a time."""
    if THREADS == 1:
        yield from map(work, items)
        return
    at_work: deque[Future[T]] = deque()
    try:
        for item in items:
            at_work.append(_pool().submit(work, item))
            if len(at_work) > _PIECES * THREADS:
                yield at_work.popleft().result()
        while at_work:
            yield at_work.popleft().result()
    finally:  # where a result is an error, or nobody asks for more
        for future in at_work:
            future.cancel()


_here = threading.local()


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads, kept: new ones have cold memory, which costs a millisecond."""
    return ThreadPoolExecutor(THREADS, "carob", lambda: setattr(_here, "is_worker", True))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has no threads but its own


def spans(n: int, parts: int, multiple: int = 1) -> Sequence[tuple[int, int]]:
    """Cut 0..n into at most `parts` pieces of nearly equal size, cut at multiples of `multiple`.

    >>> spans(10, 3, 2)
    [(0, 4), (4, 8), (8, 10)]
    """
    size = max(1, -(-n // (parts * multiple))) * multiple
    return [(low, min(low + size, n)) for low in range(0, n, size)]
