"""Counts of what several rows say on the same points."""

from __future__ import annotations

from carob._kernels.loops import in_pointer, lib, out_pointer
from carob._types import AnyArray, Codes, Ints


def add_joint(said: Codes, block: AnyArray, outputs: int, rows: Ints, counts: Ints) -> None:
    """Add to ``counts[b, place]`` how many points of block b there are on which some rows say what `place` stands for.

    What they say are the digits of the place, as in `carob.votes.outputs.joint_output`.

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
    lib.add_joint(
        in_pointer(said),
        in_pointer(block),
        len(block),
        outputs,
        in_pointer(rows),
        len(rows),
        out_pointer(counts),
        counts.shape[1],
    )  # fmt: skip
