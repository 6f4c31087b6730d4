"""Columns of values before it is known which are classes, and the arrays and nested lists that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carob._kernels.loops import look_up
from carob._types import Abstain, Abstains, AnyArray, Bools, Label
from carob.errors import InputError, examples

MAX_CLASSES = 127
MAX_LEVELS = MAX_CLASSES + 2  # an abstain or two may be among the values of a column
_SCALARS = (str, bool, int, float, np.generic)


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


@dataclass(frozen=True)
class Column:
    """A column as its distinct values and, for every cell, which of them it holds (-1: an empty cell)."""

    where: str
    levels: list[Label]
    cells: npt.NDArray[np.integer[Any]]

    @classmethod
    def of(
        cls,
        values: npt.NDArray[Any],
        empty: Bools | None,
        where: str,
        abstain: Abstains,
    ) -> Column:
        """Sort out the values of one column, refusing what cannot be a vote.

        `values`, shape (n,): booleans, numbers or text. `empty`, shape (n,): cells that hold nothing. `where`: what to
        call the column in an error, for instance ``column 'love'``. `abstain`: NaN here makes NaN an empty cell rather
        than an error.
        """
        if values.dtype.kind == "f":
            values = values.astype(np.float64, copy=False)  # halves of a number overflow in what follows
            values, empty = _whole_numbers(values, empty, where, abstain)
        full = values if empty is None else values[~empty]
        levels: list[Label]
        if full.dtype == np.int8 and full.flags.c_contiguous:
            levels, cells = _of_bytes(full)
        elif full.dtype.kind in "iu" and full.size and int(full.max()) - int(full.min()) < 4096:
            # Numbers in a small range: a table of the range instead of a sort.
            low = int(full.min())
            wide = full if full.dtype.kind == "u" else full.astype(np.int64)  # 64 bits without a sign stay so
            shifted = (wide - full.min()).astype(np.int16)
            seen = np.flatnonzero(np.bincount(shifted))
            place = np.zeros(4096, dtype=_smallest(len(seen)))
            place[seen] = np.arange(len(seen))
            levels, cells = [int(v) + low for v in seen], place[shifted]
        else:
            distinct, inverse = np.unique(full, return_inverse=True)
            levels, cells = distinct.tolist(), inverse.astype(np.int32)
        if empty is not None:
            with_gaps = np.full(len(values), -1, dtype=cells.dtype)
            with_gaps[~empty] = cells
            cells = with_gaps
        return cls.trimmed(where, levels, cells) if full.dtype.kind in "UO" else cls(where, levels, cells)

    @classmethod
    def trimmed(cls, where: str, levels: Sequence[Any], cells: npt.NDArray[np.integer[Any]]) -> Column:
        """A column of text without the blanks around its values."""
        bare = [level.strip() for level in levels]
        distinct = {level: i for i, level in enumerate(dict.fromkeys(bare))}
        place = np.array([*(distinct[level] for level in bare), -1], dtype=_smallest(len(bare)))
        return cls(where, list(distinct), place[cells])

    def filled_from(self, other: Column) -> Column:
        """The same with the cells of another column where this one has empty ones."""
        levels = list(dict.fromkeys([*self.levels, *other.levels]))
        place = np.array([*(levels.index(level) for level in other.levels), -1], dtype=np.int32)
        return Column(self.where, levels, np.where(self.cells >= 0, self.cells, place[other.cells]))

    def __post_init__(self) -> None:
        if len(self.levels) > MAX_LEVELS:
            raise InputError(
                f"{self.where} holds {len(self.levels):,} different values ({examples(self.levels[:3])}); votes have "
                f"at most {MAX_CLASSES} classes. If it is not a source, leave it out (drop=; --drop), or name it as "
                "the key of the points (key=; --key)."
            )

    @property
    def full(self) -> Bools:
        """True where a cell is not empty, shape (n,)."""
        return np.asarray(self.cells >= 0)

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """Some of the cells, with only the levels that occur in them."""
        cells = self.cells[rows]
        used = np.unique(cells[cells >= 0])
        place = np.full(len(self.levels) + 1, -1, dtype=cells.dtype)
        place[used] = np.arange(len(used))
        return Column(self.where, [self.levels[i] for i in used], place[cells])


def _whole_numbers(
    values: npt.NDArray[Any], empty: Bools | None, where: str, abstain: Abstains
) -> tuple[npt.NDArray[np.int64], Bools | None]:
    """Floats as integers; NaN, infinity and fractions are refused, NaN only unless it is the abstain."""
    if any(is_missing(value) for value in abstain_values(abstain) or ()):
        empty = np.isnan(values) if empty is None else empty | np.isnan(values)
    full = values if empty is None else np.where(empty, 0, values)
    for kind, bad in (("NaN", np.isnan(full)), ("infinity", np.isinf(full))):
        if bad.any():
            hint = ", or say that NaN is an abstain (abstain=float('nan'); --abstain nan)" if kind == "NaN" else ""
            raise InputError(
                f"{where} holds {kind} in {int(bad.sum()):,} cells (first in row {int(np.argmax(bad)) + 1:,}). "
                f"Leave the cell empty where a source does not vote{hint}."
            )
    fraction = (full != np.floor(full)) | (np.abs(full) > 2.0**53)
    if fraction.any():
        raise InputError(
            f"{where} holds {examples(np.unique(full[fraction]).tolist())} (first in row "
            f"{int(np.argmax(fraction)) + 1:,}): a vote is a class, not a measurement. Read the column as scores "
            "(kinds=; --kind), round it first, or leave it out (drop=; --drop)."
        )
    return full.astype(np.int64), empty


def whole_array_levels(values: npt.NDArray[np.integer[Any]]) -> list[Label]:
    """Distinct values of an integer array in a few passes over it, without a copy.

    >>> whole_array_levels(np.array([[0, 5], [2, 0]]))
    [0, 2, 5]
    """
    low, high = int(values.min()), int(values.max())
    if high - low > MAX_CLASSES:
        return np.unique(values).tolist()
    return [v for v in range(low, high + 1) if v in (low, high) or bool((values == v).any())]


def names_array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Names as an array that keeps every letter.

    NumPy's own text loses NULs at its end, and makes every name as long as the longest: texts are objects unless they
    are all short.

    >>> names_array(["a", "b"]).dtype.kind, names_array(["a", "b" * 100]).dtype.kind, names_array([1, 2]).dtype.kind
    ('U', 'O', 'i')
    """
    if all(not isinstance(value, str) or (len(value) <= 32 and not value.endswith("\0")) for value in values):
        return np.array(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def abstain_values(abstain: Abstains) -> tuple[Abstain, ...] | None:
    """The values that mean "no vote", None where none is given.

    >>> abstain_values("N/A"), abstain_values(["N/A", "?"]), abstain_values(None)
    (('N/A',), ('N/A', '?'), None)
    """
    if abstain is None:
        return None
    return (abstain,) if isinstance(abstain, _SCALARS) else tuple(check_labels("abstain", abstain))


def check_labels(name: str, values: Any) -> list[Any]:
    """Labels that a user names, which are texts or numbers."""
    if isinstance(values, str | bytes | dict) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be labels in a list, not {type(values).__name__}.")
    found = list(values)
    odd = [value for value in found if not isinstance(value, _SCALARS)]
    if odd:
        raise TypeError(f"{name} must be texts or numbers, not {examples([type(value).__name__ for value in odd])}.")
    return found


def _of_bytes(values: npt.NDArray[np.int8]) -> tuple[list[Label], npt.NDArray[np.integer[Any]]]:
    """Distinct values of bytes, in their order, and which of them each is."""
    place, cells = np.zeros(256, dtype=np.int8), np.empty(len(values), dtype=np.int8)
    seen = look_up(values.view(np.uint8), place, cells)
    levels = sorted(int(value) for value in np.flatnonzero(seen).astype(np.uint8).view(np.int8))
    if len(levels) > MAX_CLASSES:
        return list(levels), np.searchsorted(levels, values).astype(np.int16)
    place[np.array(levels, dtype=np.int8).view(np.uint8)] = np.arange(len(levels))
    look_up(values.view(np.uint8), place, cells)
    return list(levels), cells


def _smallest(number: int) -> type[np.signedinteger[Any]]:
    """The smallest type that has places for so many values, and -1."""
    return np.int8 if number < 1 << 7 else np.int16 if number < 1 << 15 else np.int32


def is_missing(value: object) -> bool:
    """Whether a Python value stands for nothing: None, NaN, pandas' NA and NaT.

    >>> [is_missing(value) for value in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
