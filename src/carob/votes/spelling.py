"""Values that are written in several ways: whatever their case, and as a user says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from carob._types import Label
from carob.errors import InputError


@dataclass(frozen=True)
class Spelling:
    """How values are rewritten before they are taken for classes or abstains.

    Parameters
    ----------
    ignore_case : bool
        Texts are taken in lower case.
    mapping : tuple of pairs
        A value, as text, and what to read instead.

    Examples
    --------
    >>> spelling = Spelling.of(True, {"no.": "no"})
    >>> [spelling.read(value) for value in ("No.", "YES", 3)]
    ['no', 'yes', 3]
    """

    ignore_case: bool = False
    mapping: tuple[tuple[str, Label], ...] = ()

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
