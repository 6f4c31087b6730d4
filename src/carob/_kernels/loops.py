"""The compiled loops of `loops.c`, and how arrays are handed to them. They run without the interpreter lock."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob._kernels._loops import ffi, lib
from carob._types import AnyArray, Bools, Codes, Floats

__all__ = ["in_pointer", "joint_rotation", "lib", "look_up", "out_pointer"]

_KINDS = {
    np.dtype(np.int8): "int8_t[]",
    np.dtype(np.uint8): "uint8_t[]",
    np.dtype(np.uint16): "uint16_t[]",
    np.dtype(np.int64): "int64_t[]",
    np.dtype(np.uint64): "uint64_t[]",
    np.dtype(np.float64): "double[]",
}


def in_pointer(array: AnyArray) -> Any:
    """An array that a loop reads: of the type that the loop takes, row by row in memory, or it is refused."""
    return ffi.from_buffer(_KINDS[array.dtype], array)


def out_pointer(array: AnyArray) -> Any:
    """The same of an array that a loop writes to."""
    return ffi.from_buffer(_KINDS[array.dtype], array, require_writable=True)


def look_up(octets: AnyArray, table: Codes, out: Codes) -> Bools:
    """Put ``table[v]`` into `out` for every byte v; returns which bytes there are. Both tables have 256 places."""
    seen = np.zeros(256, dtype=np.uint8)
    lib.look_up(in_pointer(octets), len(octets), in_pointer(table), out_pointer(out), out_pointer(seen))
    return seen.view(bool)


def joint_rotation(matrices: Floats, rotation: Floats, sweeps: int, enough: float) -> None:
    """Turn every ``matrices[t, s]`` by one rotation per t until they are as nearly diagonal as can be, in place.

    Jacobi's method: of two axes after another, the angle that takes most off the diagonal of all matrices at once,
    which is known in closed form. `rotation`, identities at first, collects the angles: its columns are the common
    eigenvectors.

    Parameters
    ----------
    matrices : array, shape (T, S, K, K)
        Symmetric.
    rotation : array, shape (T, K, K)
    sweeps : int
        Rounds through all pairs of axes at most.
    enough : float
        The sine of the largest angle of a round after which there is no other.
    """
    number, S, K, _ = matrices.shape
    lib.joint_rotation(out_pointer(matrices), number, S, K, out_pointer(rotation), sweeps, enough)
