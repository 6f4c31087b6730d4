"""Votes as they stand in a table, before it is known which values are classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from karat._types import Abstains, AnyArray, Ints, Label
from karat.errors import InputError, one_of
from karat.io.coding import Column
from karat.io.spelling import Spelling

Layout = Literal["wide", "long"]
Repeats = Literal["refuse", "first", "last"]


@dataclass(frozen=True)
class Reading:
    """How to read a table; see `karat.read_votes`.

    Parameters
    ----------
    missing_workers_abstain : bool
        A worker among `sources` who is not in a long table did not vote.
    ignore_case : bool
        Texts that differ only in case are the same.
    mapping : mapping of str
        Values, and what to read instead of each.
    strict : bool
        Refuse columns that are no votes rather than set them aside.
    """

    layout: Layout | None = None
    key: str | None = None
    gold: str | None = None
    gold_file: Any = None
    drop: Sequence[str] = ()
    sources: Sequence[str] | None = None
    task: str = "task"
    worker: str = "worker"
    label: str = "label"
    repeats: Repeats = "refuse"
    abstain: Abstains = None
    missing_workers_abstain: bool = False
    ignore_case: bool = False
    mapping: Mapping[str, Label] | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        one_of("layout", self.layout, (None, *get_args(Layout)))
        one_of("repeats", self.repeats, get_args(Repeats))
        for name in ("drop", "sources"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))

    @property
    def roles(self) -> tuple[str, str, str]:
        """Column names of the long layout."""
        return self.task, self.worker, self.label

    @property
    def identifiers(self) -> list[str]:
        """Columns that name points and workers."""
        return [name for name in (self.key, self.task, self.worker) if name]

    @property
    def spelling(self) -> Spelling:
        """How values are rewritten before they are read."""
        return Spelling.of(self.ignore_case, self.mapping)


@dataclass(frozen=True, eq=False)
class Entries:
    """A row per vote.

    Parameters
    ----------
    point, source : arrays of int, shape (votes,)
        Whose vote on which point; every pair once.
    votes : Column
        What was voted, a cell per vote.
    """

    point: Ints
    source: Ints
    votes: Column


@dataclass(frozen=True, eq=False)
class VoteTable:
    """A table sorted into sources, keys and gold.

    Parameters
    ----------
    n : int
        Number of points.
    sources : tuple of str
    cells : list of Column, or Entries
        A column per source (wide), or a row per vote (long).
    keys : array, shape (n,), or None
        Identifiers of the points.
    gold : Column or None
    aside : tuple of str
        What of the table was set aside, a sentence for each reason.
    read_as : str
        How the table was read where that was guessed; else empty.
    key_name : str or None
        The column that the keys come from.
    """

    n: int
    sources: tuple[str, ...]
    cells: list[Column] | Entries
    keys: AnyArray | None
    gold: Column | None
    aside: tuple[str, ...] = ()
    read_as: str = ""
    key_name: str | None = None

    def __post_init__(self) -> None:
        check_size(self.n, len(self.sources))

    @property
    def levels(self) -> set[Label]:
        """All values that occur in the sources."""
        columns = [self.cells.votes] if isinstance(self.cells, Entries) else self.cells
        return {value for column in columns for value in column.levels}


def check_size(n: int, m: int) -> None:
    """Refuse votes without points or without sources."""
    if n == 0:
        raise InputError("there are no points: the votes have zero rows.")
    if m == 0:
        raise InputError("there are no sources: no column is left once key, gold and dropped columns are gone.")
