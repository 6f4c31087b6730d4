"""What a pool of sources says together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from karat._kernels.compiled import compiled

_VOTES = types.Array(types.int8, 2, "C", readonly=True)  # a user's array may be read-only
_U = np.uint64  # an index that cannot be negative needs no check, and only then do the loops become vectors


@compiled(types.void(_VOTES, types.int64[::1], types.uint16[:, ::1], types.uint16[::1], types.int8[::1]))
def pool_votes(columns: Any, pool: Any, tally: Any, most: Any, said: Any) -> None:
    """Into ``said[t]``, the output with most votes among the sources of a pool: 0 where nobody votes.

    Of classes with equally many votes, the one that the first of the pool's sources votes for.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    pool : array of int64
        Sources, in the order that decides.
    tally : array of uint16, shape (K, n)
        Room.
    most : array of uint16, shape (n,)
        Room.
    said : array of int8, shape (n,)
    """
    n = _U(columns.shape[1])
    for t in range(n):
        most[t] = 0
        said[t] = 0
    for y in range(_U(tally.shape[0])):
        for t in range(n):
            tally[y, t] = 0
    for i in pool:
        for t in range(n):
            vote = columns[_U(i), t]
            if vote >= 0:
                tally[_U(vote), t] += np.uint16(1)
    for y in range(_U(tally.shape[0])):
        for t in range(n):
            most[t] = max(most[t], tally[y, t])
    for place in range(len(pool) - 1, -1, -1):  # the first of the pool comes last, and has the last word
        i = pool[place]
        for t in range(n):
            vote = columns[_U(i), t]
            if vote >= 0 and tally[_U(vote), t] == most[t]:
                said[t] = vote + np.int8(1)
