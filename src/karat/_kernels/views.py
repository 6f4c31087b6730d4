"""Counts of what several rows say on the same points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from karat._kernels.compiled import compiled

_U = np.uint64  # an index that cannot be negative needs no check, and only then do the loops become vectors


@compiled(types.void(types.int8[:, ::1], types.uint8[::1], types.uint64, types.int64[::1], types.int64[:, ::1]))
def add_joint(said: Any, block: Any, outputs: Any, rows: Any, counts: Any) -> None:
    """Add to ``counts[b, place]`` how many points of block b there are on which some rows say what `place` stands for.

    What they say are the digits of the place, as in `karat.votes.outputs.joint_output`.

    Parameters
    ----------
    said : array of int8, shape (r, n)
        Outputs, from 0 on.
    block : array of uint8, shape (n,)
    outputs : int
        How many every row has.
    rows : array of int64, shape (w,)
    counts : array of int64, shape (B, outputs^w)
    """
    for t in range(_U(len(block))):
        place = _U(0)
        for row in rows:
            place = place * outputs + _U(said[_U(row), t])
        counts[_U(block[t]), place] += 1
