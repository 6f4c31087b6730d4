"""Which bytes occur in a column, and others instead of them."""

from __future__ import annotations

from karat._kernels.loops import given, lib, written
from karat._types import AnyArray, Codes


def mark(octets: AnyArray, seen: AnyArray) -> None:
    """Set ``seen[v]`` to 1 for every byte v that occurs; it has 256 places."""
    lib.mark(given(octets), len(octets), written(seen))


def look_up(octets: AnyArray, table: Codes, out: Codes) -> None:
    """Put ``table[v]`` into `out` for every byte v; the table has 256 places."""
    lib.look_up(given(octets), len(octets), given(table), written(out))


def look_up_marking(octets: AnyArray, table: Codes, out: Codes, seen: AnyArray) -> None:
    """Both at once."""
    lib.look_up_marking(given(octets), len(octets), given(table), written(out), written(seen))
