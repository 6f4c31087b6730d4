"""Arrays and nested lists that users hand over, as rectangles of cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob._types import Abstains, AnyArray, Bools
from carob.errors import InputError, examples
from carob.votes.coding import Column, is_missing, names_array


def is_sparse_matrix(array: Any) -> bool:
    """Whether an object is one of SciPy's sparse matrices or arrays."""
    return hasattr(array, "tocoo")


def rectangle(array: Any) -> tuple[AnyArray, Bools | None]:
    """Array and empty cells of a NumPy array or nested lists; None where no cell can be empty."""
    if isinstance(array, np.ma.MaskedArray):
        values, missing = rectangle(array.data)
        mask = np.ma.getmaskarray(array)
        return values, mask if missing is None else mask | missing
    try:
        values = np.asarray(array)
    except ValueError as error:
        raise InputError(f"votes must be a rectangle, a row per point and a column per source: {error}.") from None
    if values.dtype.kind == "U" and not isinstance(array, np.ndarray):
        values = np.asarray(array, dtype=object)  # NumPy would turn numbers beside text into text
    if values.dtype.kind == "O":
        return _of_objects(values)
    if values.dtype.kind not in "biufU":
        raise InputError(f"votes must be numbers, booleans or text, not {values.dtype}.")
    return values, None


def _of_objects(values: AnyArray) -> tuple[AnyArray, Bools]:
    """The same of an array of Python objects."""
    none = np.array([is_missing(v) for v in values.ravel()], dtype=bool).reshape(values.shape)
    items = values[~none].tolist()
    kinds = {type(item) for item in items}
    if any(not issubclass(kind, str | bool | int | float | np.generic) for kind in kinds):
        raise InputError(f"a vote must be a number, a boolean or text, not {examples(items[:3])}.")
    if len({issubclass(kind, str) for kind in kinds}) == 2:
        raise InputError(f"the votes mix text and numbers: {examples(items[:5])}. Write all classes the same way.")
    full = names_array(items) if items else np.zeros(0, dtype=np.int8)
    if full.dtype.kind == "O" and not isinstance(items[0], str):
        raise InputError(f"a vote must be a class, not a number of {max(map(_bits, items)):,} bits.")
    filled = np.full(values.shape, "") if full.dtype.kind == "O" else np.zeros(values.shape, dtype=full.dtype)
    filled = filled.astype(full.dtype)
    filled[~none] = full
    return filled, none


def _bits(number: Any) -> int:
    return number.bit_length() if isinstance(number, int) else 64


def gold_column(labels: Any, abstain: Abstains) -> Column:
    """Gold labels as a column; NaN among numbers is an empty cell."""
    if is_sparse_matrix(labels):
        raise InputError("gold must have one axis, a label per point; this is a sparse matrix.")
    values, empty = rectangle(labels)
    if values.ndim != 1:
        raise InputError(f"gold must have one axis, a label per point; this array has shape {values.shape}.")
    return Column.of(values, empty, "gold", float("nan") if values.dtype.kind == "f" else abstain)
