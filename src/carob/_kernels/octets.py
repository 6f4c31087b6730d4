"""Which bytes occur in a column, and others instead of them."""

from __future__ import annotations

import numpy as np

from carob._kernels.loops import in_pointer, lib, out_pointer
from carob._types import AnyArray, Bools, Codes


def look_up(octets: AnyArray, table: Codes, out: Codes) -> Bools:
    """Put ``table[v]`` into `out` for every byte v; returns which bytes there are. Both tables have 256 places."""
    seen = np.zeros(256, dtype=np.uint8)
    lib.look_up(in_pointer(octets), len(octets), in_pointer(table), out_pointer(out), out_pointer(seen))
    return seen.view(bool)
