"""Which points sources are learned from, where votes are very many: a hash of the row number says."""

from __future__ import annotations

import math

import numpy as np

from carob._kernels.summary import row_hashes as fill
from carob._types import Bools, Hashes, Places

MOST_VOTES = 300_000  # that sources are learned from; more of them change the third digit only
MOST_EACH = 500  # votes of each source, on average, where that is more: many sources need more points


def row_hashes(row: Places) -> Hashes:
    """What decides whether points are learned from, by their row numbers: `block_of` with 2^16 blocks, and quicker."""
    hashes = np.empty(len(row), dtype=np.uint16)
    fill(np.ascontiguousarray(row, dtype=np.int64), hashes)
    return hashes


def learned_from(hashes: Hashes, number: int, sources: int) -> Bools:
    """Which points are learned from: of data with so many votes and sources, enough of them."""
    most = max(MOST_VOTES, MOST_EACH * sources)
    limit = math.ceil(most / max(number, 1) * (1 << 16))
    return np.full(len(hashes), True) if limit >= 1 << 16 else np.asarray(hashes < np.uint16(limit))
