"""What a pool of sources says together."""

from __future__ import annotations

import numpy as np

from carob._kernels.loops import in_pointer, lib, out_pointer
from carob._types import Codes, Ints


def pool_votes(columns: Codes, pool: Ints, K: int, said: Codes) -> None:
    """Into ``said[t]``, the output with most votes among the sources of a pool: 0 where nobody votes.

    Of classes with equally many votes, the one that the first of the pool's sources votes for.

    Parameters
    ----------
    columns : array of int8, shape (m, n)
        Outputs less one.
    pool : array of int64
        Sources, in the order that decides.
    K : int
        Number of classes.
    said : array of int8, shape (n,)
    """
    n = columns.shape[1]
    tally, most = np.empty((K, n), dtype=np.uint16), np.empty(n, dtype=np.uint16)
    lib.pool_votes(
        in_pointer(columns), n, in_pointer(pool), len(pool), out_pointer(tally), K, out_pointer(most), out_pointer(said)
    )
