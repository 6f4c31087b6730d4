"""Which bytes occur in a column, and others instead of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from karat._kernels.compiled import compiled

_OCTETS = types.Array(types.uint8, 1, "C", readonly=True)  # a column of a file is read-only
_U = np.uint64  # an index that cannot be negative needs no check, and only then do the loops become vectors


@compiled(types.void(_OCTETS, types.uint8[::1]))
def mark(octets: Any, seen: Any) -> None:
    """Set ``seen[v]`` to 1 for every byte v that occurs; it has 256 places."""
    for t in range(_U(len(octets))):
        seen[_U(octets[t])] = 1


@compiled(types.void(_OCTETS, types.int8[::1], types.int8[::1]))
def look_up(octets: Any, table: Any, out: Any) -> None:
    """Put ``table[v]`` into `out` for every byte v; the table has 256 places."""
    for t in range(_U(len(octets))):
        out[t] = table[_U(octets[t])]


@compiled(types.void(_OCTETS, types.int8[::1], types.int8[::1], types.uint8[::1]))
def look_up_marking(octets: Any, table: Any, out: Any, seen: Any) -> None:
    """Both at once."""
    for t in range(_U(len(octets))):
        octet = _U(octets[t])
        out[t] = table[octet]
        seen[octet] = 1
