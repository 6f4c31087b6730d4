"""Which values are classes and which mean "no vote", and columns of values before that is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carob._kernels.octets import look_up
from carob._types import ABSTAIN, Abstain, Abstains, Bools, Codes, Label, cached_property
from carob.errors import InputError, examples
from carob.votes.scales import Scale
from carob.votes.spelling import AS_WRITTEN, Spelling

MAX_CLASSES = 127
MAX_LEVELS = MAX_CLASSES + 2  # an abstain or two may be among the values of a column
UNKNOWN = -2  # the code of what is neither a class nor an abstain
_SCALARS = (str, bool, int, float, np.generic)
_SHORT = 32  # letters of a text that NumPy may hold


@dataclass(frozen=True)
class Coding:
    """The classes in their order, and the values that mean "no vote" besides an empty cell.

    Parameters
    ----------
    classes : tuple of str, int or bool
        Class `k` of `Votes.values` is `classes[k]`.
    abstain : tuple of str, int, bool or float
        Values that are read as "no vote".
    spelling : Spelling
        How values are rewritten before they are looked up here.
    scales : tuple of pairs of str and Scale
        Sources that give scores, and how their numbers become outputs.
    """

    classes: tuple[Label, ...]
    abstain: tuple[Abstain, ...] = ()
    spelling: Spelling = AS_WRITTEN
    scales: tuple[tuple[str, Scale], ...] = ()

    def __str__(self) -> str:
        """Say the coding in words.

        >>> print(Coding((-1, 1), (0,)))
        classes -1, 1; 0 or an empty cell is an abstain
        """
        none = " or ".join([*(repr(value) for value in self.abstain if value != ""), "an empty cell"])
        words = f"classes {', '.join(repr(label) for label in self.classes)}; {none} is an abstain"
        return words + self.spelling.words

    def knows(self, value: Label) -> bool:
        """Whether a value is a class or an abstain."""
        read = self.spelling.read(value)
        return read in self.classes or read in self.abstain

    @cached_property
    def of_bytes(self) -> Codes:
        """The class index of every byte, -1 of an abstain, -2 of what is neither; shape (256,)."""
        numbers = list(range(-128, 128))
        return np.roll(self._table(numbers), -128)

    def codes(self, column: Column) -> Codes:
        """Class index of every cell, -1 where there is no vote; a value that is neither is refused."""
        table = np.append(self._table(column.levels), np.int8(ABSTAIN))
        unknown = [value for value, code in zip(column.levels, table[:-1], strict=True) if code == UNKNOWN]
        result = _looked_up(table, column.cells)
        if unknown:
            folded = {str(label).casefold() for label in self.classes}
            case = all(str(value).casefold() in folded for value in unknown)
            mend = "Take them as one (ignore_case=True; --ignore-case), correct it" if case else "Correct it"
            raise InputError(
                f"{column.where} holds {examples(unknown)} (first in row {int(np.argmax(result == UNKNOWN)) + 1:,}), "
                f"which is neither a class nor an abstain: {self}. {mend} (mapping=; --map), name the classes and "
                "the abstain value (classes=, abstain=; --classes, --abstain), or leave the column out (drop=; --drop)."
            )
        return result

    def _table(self, levels: Iterable[Label]) -> Codes:
        """The class index of some values, -1 of an abstain, -2 of what is neither."""
        code_of: dict[Any, int] = {label: k for k, label in enumerate(self.classes)}
        code_of |= dict.fromkeys(self.abstain, ABSTAIN)
        return np.array([code_of.get(self.spelling.read(level), UNKNOWN) for level in levels], dtype=np.int8)


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

        Parameters
        ----------
        values : array, shape (n,)
            Booleans, numbers or text.
        empty : array of bool, shape (n,), or None
            Cells that hold nothing.
        where : str
            What to call the column in an error, for instance ``column 'love'``.
        abstain
            NaN here makes NaN an empty cell rather than an error.
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
    if all(not isinstance(value, str) or (len(value) <= _SHORT and not value.endswith("\0")) for value in values):
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


def _looked_up(table: Codes, cells: npt.NDArray[np.integer[Any]]) -> Codes:
    """What a table holds for each cell, its last entry for -1."""
    if cells.dtype != np.int8 or not cells.flags.c_contiguous:
        return np.asarray(table[cells])
    whole, out = np.full(256, table[-1], dtype=np.int8), np.empty(len(cells), dtype=np.int8)
    whole[: len(table) - 1] = table[:-1]
    look_up(cells.view(np.uint8), whole, out)
    return out


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
