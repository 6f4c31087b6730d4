"""The hash of row numbers."""

from __future__ import annotations

import numpy as np

from carob.votes.row_hash import block_of, mixed


def test_known_answer_splitmix64() -> None:
    # The first numbers of the generator seeded with 0, whose n-th is the finalizer of n + 1 steps.
    assert [hex(x) for x in mixed(np.arange(3)).tolist()] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


def test_blocks_are_about_as_large() -> None:
    sizes = np.bincount(block_of(np.arange(320_000), 32), minlength=32)
    assert (np.abs(sizes - 10_000) < 5 * 100).all()
