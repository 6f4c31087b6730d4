"""Votes as they stand in a table, before it is known which values are classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from carob._types import Abstains, AnyArray, Codes, Floats, Ints, Label
from carob.errors import InputError, examples, one_of
from carob.votes.coding import Coding, Spelling
from carob.votes.columns import Column
from carob.votes.messages import Message
from carob.votes.scales import Numbers, Scale, StatedKind, stated_kinds

Layout = Literal["wide", "long"]
Repeats = Literal["refuse", "first", "last"]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read a table. What `carob.read_votes` takes as arguments of its own wins over what stands here.

    Parameters
    ----------
    layout : {"wide", "long"}, optional
        Long where the columns named by `task`, `worker` and `label` are all there, otherwise wide.
    key, gold, sources, drop, abstain, by
        As in `carob.read_votes`.
    gold_file : str, path, data frame or Arrow object, optional
        A table with the key and the gold label of some points.
    chance : str, optional
        The column, beside gold, of how likely each gold point was to be picked, as `carob pick` writes it; empty cells
        are points that were chosen at random.
    task, worker, label : str
        Column names of the long layout.
    repeats : {"refuse", "first", "last"}
        What to do where a worker votes twice on a task: refuse, or keep the first or the last vote.
    ignore_case : bool
        Texts that differ only in case are the same; classes are then in lower case.
    mapping : mapping, optional
        Values, as text, and what to read instead of each: ``{"no.": "no"}``.
    strict : bool
        Refuse columns that are no votes (text, dates, identifiers, measurements) rather than set them aside.
    kinds : mapping of str, or str, optional
        What each column holds, or all of them do: "vote", "score" (a number, the higher the more it speaks for the
        last of two classes), "probability" (of that class), or a range of scores such as "0..10", outside which numbers
        are refused. Where nothing is said, votes, unless a column is plainly one of scores.
    scales, missing_workers_abstain, written
        Of models and commands: how the numbers of a model's sources become outputs, whether its workers may be missing
        in a long table, and files that will be written, none of which may be read.
    """

    layout: Layout | None = None
    key: str | None = None
    gold: str | None = None
    gold_file: Any = None
    chance: str | None = None
    sources: Sequence[str] | None = None
    drop: Sequence[str] = ()
    task: str = "task"
    worker: str = "worker"
    label: str = "label"
    repeats: Repeats = "refuse"
    abstain: Abstains = None
    by: str | None = None
    ignore_case: bool = False
    mapping: Mapping[str, Label] | None = None
    strict: bool = False
    kinds: Mapping[str, str] | str | None = None
    scales: Mapping[str, Scale] = field(default_factory=dict)
    missing_workers_abstain: bool = False
    written: Sequence[str] = ()

    def __post_init__(self) -> None:
        one_of("layout", self.layout, (None, *get_args(Layout)))
        one_of("repeats", self.repeats, get_args(Repeats))
        for flag in ("ignore_case", "strict"):
            one_of(flag, getattr(self, flag), (True, False))
        for name in ("drop", "sources"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))

    @classmethod
    def of(cls, options: ReadOptions | None, **named: Any) -> ReadOptions:
        """Options, and what is named beside them as far as it is not None."""
        return replace(options or cls(), **{name: value for name, value in named.items() if value is not None})

    @property
    def roles(self) -> tuple[str, str, str]:
        """Column names of the long layout."""
        return self.task, self.worker, self.label

    @property
    def identifiers(self) -> list[str]:
        """Columns that name points, workers and groups."""
        return [name for name in (self.key, self.task, self.worker, self.by) if name]

    @property
    def beside(self) -> list[str]:
        """Columns of the votes that hold gold and what is known of points besides."""
        gold = (self.gold, self.chance) if self.gold_file is None else ()
        return [name for name in (*gold, self.by) if name is not None]

    def stated(self, names: Sequence[str]) -> dict[str, StatedKind]:
        """What is said of some columns: by the user, or by the model that is to read them."""
        if self.scales:
            return {name: self.scales[name].stated if name in self.scales else StatedKind("vote") for name in names}
        return stated_kinds(self.kinds, names)

    def of_model(self, sources: Sequence[str], coding: Coding) -> ReadOptions:
        """The same for the sources of a model, whose values are read as before."""
        return replace(
            self, sources=sources, abstain=coding.abstain or None, kinds="vote", scales=dict(coding.scales),
            ignore_case=coding.spelling.ignore_case, mapping=dict(coding.spelling.mapping),
        )  # fmt: skip

    @property
    def spelling(self) -> Spelling:
        """How values are rewritten before they are read."""
        return Spelling.of(self.ignore_case, self.mapping)


@dataclass(frozen=True, eq=False)
class Entries:
    """A row per vote."""

    # point, source: shape (votes,): whose vote on which point; every pair once
    point: Ints
    source: Ints
    votes: Column | Numbers  # what was voted, or scored, a cell per vote


@dataclass(frozen=True, eq=False)
class Coded:
    """Columns of whole numbers whose coding is known: the votes themselves."""

    codes: Codes  # shape (m, n): class index of every cell, -1 where there is no vote
    levels: frozenset[Label]  # the values that occur


@dataclass(frozen=True, eq=False)
class VoteTable:
    """A table sorted into sources, keys and gold."""

    n: int  # number of points
    sources: tuple[str, ...]
    cells: Sequence[Column | Numbers] | Coded | Entries  # a column per source (wide), or a row per vote (long)
    keys: AnyArray | None  # shape (n,): identifiers of the points
    gold: Column | None
    messages: tuple[Message, ...] = ()  # what of the table was dropped, and what was guessed
    key_name: str | None = None  # the column that the keys come from
    stated: Mapping[str, StatedKind] = field(default_factory=dict)  # of the sources that give scores
    chances: Floats | None = None  # shape (n,): how likely each gold point was to be picked; NaN where that is not said
    by: AnyArray | None = None  # shape (n,): the group that each point is in
    met: bool = False  # whether some point is in the gold file

    def __post_init__(self) -> None:
        check_size(self.n, len(self.sources))

    @property
    def levels(self) -> set[Label]:
        """All values that occur in the sources that vote."""
        if isinstance(self.cells, Coded):
            return {*self.cells.levels}
        columns = [self.cells.votes] if isinstance(self.cells, Entries) else self.cells
        return {value for column in columns if isinstance(column, Column) for value in column.levels}

    @property
    def scales(self) -> tuple[tuple[str, Scale], ...]:
        """How the numbers of sources that give scores become outputs; those of a long table share one scale."""
        if isinstance(self.cells, Entries):
            votes = self.cells.votes
            if isinstance(votes, Column):
                return ()
            scale = _scale(votes, self.stated[self.sources[0]])
            return tuple((name, scale) for name in self.sources)
        if isinstance(self.cells, Coded):
            return ()
        return tuple(
            (name, _scale(column, self.stated[name]))
            for name, column in zip(self.sources, self.cells, strict=True)
            if isinstance(column, Numbers)
        )


def _scale(column: Numbers, stated: StatedKind) -> Scale:
    return Scale.of(column.values, stated.kind, stated.low, stated.high)


def check_size(n: int, m: int) -> None:
    """Refuse votes without points or without sources."""
    if n == 0:
        raise InputError("there are no points: the votes have zero rows.")
    if m == 0:
        raise InputError("there are no sources: no column is left once key, gold and dropped columns are gone.")


def pick(names: Sequence[str], options: ReadOptions, noun: str, special: Sequence[str] = ()) -> list[str]:
    """The sources among columns or workers: those that the user names, or all but the dropped and the special ones."""
    known = {*names}
    wanted = names if options.sources is None else split(options.sources, known)
    left_out = [*split(options.drop, known), *special]
    for name in (*wanted, *left_out):
        if name not in known:
            raise InputError(f"there is no {noun} {name!r}; there are {examples(names)}.")
    return [name for name in wanted if name not in left_out]


def split(names: Sequence[str], known: set[str]) -> list[str]:
    """Names, several of which may be written in one between commas."""
    return [
        part
        for name in names
        for part in ([name] if name in known or "," not in name else [part.strip() for part in name.split(",")])
    ]
