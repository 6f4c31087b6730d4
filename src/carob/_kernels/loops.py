"""The compiled loops of `loops.c`, and how arrays are handed to them. They run without the interpreter lock."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob._kernels._loops import ffi, lib
from carob._types import AnyArray

__all__ = ["in_pointer", "lib", "out_pointer"]

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
