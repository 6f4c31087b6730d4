"""Which values are classes and which mean "no vote", however they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from carob._kernels.loops import look_up
from carob._types import ABSTAIN, Abstain, Codes, Label, cached_property
from carob.errors import InputError, examples
from carob.votes.columns import Column
from carob.votes.scales import Scale

UNKNOWN = -2  # the code of what is neither a class nor an abstain


@dataclass(frozen=True)
class Spelling:
    """How values are rewritten before they are taken for classes or abstains.

    >>> spelling = Spelling.of(True, {"no.": "no"})
    >>> [spelling.read(value) for value in ("No.", "YES", 3)]
    ['no', 'yes', 3]
    """

    ignore_case: bool = False  # texts are taken in lower case
    mapping: tuple[tuple[str, Label], ...] = ()  # a value, as text, and what to read instead

    @classmethod
    def of(cls, ignore_case: bool = False, mapping: Mapping[str, Label] | None = None) -> Spelling:
        """From what a user gives."""
        pairs = tuple((str(value).strip(), label) for value, label in (mapping or {}).items())
        found = cls(ignore_case, pairs)
        if len({found._folded(value) for value, _ in pairs}) < len(pairs):
            raise InputError("mapping (--map) gives a value twice; give each value once.")
        return found

    def read(self, value: Label) -> Label:
        """What to read instead of a value."""
        if not self.ignore_case and not self.mapping:
            return value
        written = self._folded(str(value))
        instead = next((label for name, label in self.mapping if self._folded(name) == written), value)
        return self._folded(instead) if isinstance(instead, str) else instead

    @property
    def words(self) -> str:
        """What is rewritten, to be added to a sentence.

        >>> Spelling.of(True, {"no.": "no"}).words
        "; case is ignored; 'no.' is read as 'no'"
        """
        case = ["; case is ignored"] if self.ignore_case else []
        return "".join([*case, *(f"; {value!r} is read as {label!r}" for value, label in self.mapping)])

    def as_text(self) -> Spelling:
        """The same, with texts for all that is read instead."""
        return Spelling(self.ignore_case, tuple((value, str(label)) for value, label in self.mapping))

    def _folded(self, text: str) -> str:
        return text.casefold() if self.ignore_case else text


AS_WRITTEN = Spelling()


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


def _looked_up(table: Codes, cells: npt.NDArray[np.integer[Any]]) -> Codes:
    """What a table holds for each cell, its last entry for -1."""
    if cells.dtype != np.int8 or not cells.flags.c_contiguous:
        return np.asarray(table[cells])
    whole, out = np.full(256, table[-1], dtype=np.int8), np.empty(len(cells), dtype=np.int8)
    whole[: len(table) - 1] = table[:-1]
    look_up(cells.view(np.uint8), whole, out)
    return out
