"""How the rows of a wide table become votes, whoever reads them.

What the columns are is decided by the first rows. Which values are classes, and which sources tell nothing, is assumed
from the first rows and known after all: a pass over the table that finds something else is made again, with what it
found. Hardly any is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from carob._types import ABSTAIN, Bools, Label
from carob.count.aside import tell_nothing
from carob.count.digest import Digest, merged
from carob.count.digest_content import digest_content, digest_of
from carob.count.moments import MOST_OUTPUTS
from carob.errors import InputError
from carob.posterior.settings import Settings
from carob.read.coding import find_coding
from carob.read.gold_file import GoldFile
from carob.read.layouts import read_table, read_wide
from carob.read.long import SortedVotes, read_long, worker_names
from carob.read.table import Entries, ReadOptions, VoteTable, pick
from carob.read.to_votes import votes_of_table
from carob.votes import Votes
from carob.votes.coding import Coding
from carob.votes.messages import Message
from carob.votes.storage import is_sparse

HEAD = 1 << 16  # rows that decide what the columns are
MOST_COMPARED = 1_000  # sources whose pairs are counted


@dataclass(frozen=True, eq=False)
class ChunkDigest:
    """What a chunk of rows holds, or several chunks together."""

    rows: int
    # levels, gold_levels: values of the sources, and of gold
    levels: frozenset[Label]
    gold_levels: frozenset[Label]
    digest: Digest | None  # None where there are values that the coding does not know
    met: bool = False  # whether a key of the gold file is among the rows

    @property
    def votes(self) -> int:
        """How many votes were counted."""
        return 0 if self.digest is None else self.digest.number

    def to_bytes(self, coding: Coding | None) -> bytes:
        """The same on its way to another machine: JSON, which runs nothing where it is read."""
        content = {
            "rows": self.rows,
            "levels": list(self.levels),
            "gold_levels": list(self.gold_levels),
            "digest": None if self.digest is None or coding is None else digest_content(self.digest),
            "met": self.met,
        }
        return json.dumps(content).encode()

    @classmethod
    def of_bytes(cls, content: bytes, coding: Coding | None) -> ChunkDigest:
        """What `to_bytes` made."""
        held = json.loads(content)
        digest = None if held["digest"] is None or coding is None else digest_of(held["digest"], coding)
        return cls(held["rows"], frozenset(held["levels"]), frozenset(held["gold_levels"]), digest, held["met"])


def together(chunks: Iterable[ChunkDigest]) -> ChunkDigest:
    """The same of several chunks."""
    filled = [chunk for chunk in chunks if chunk.rows]
    if not filled:
        raise InputError("there are no points: the votes have zero rows.")
    digests = [chunk.digest for chunk in filled if chunk.digest is not None]
    return ChunkDigest(
        sum(chunk.rows for chunk in filled),
        frozenset().union(*(chunk.levels for chunk in filled)),
        frozenset().union(*(chunk.gold_levels for chunk in filled)),
        merged(digests) if len(digests) == len(filled) else None,
        any(chunk.met for chunk in filled),
    )


@dataclass(frozen=True, eq=False)
class RowDecoder:
    """How rows become votes."""

    options: ReadOptions  # with the sources named, and nothing left to find out
    classes: Sequence[Label] | None  # as a user gives them
    coding: Coding | None  # which values are classes, as far as is known
    messages: tuple[Message, ...] = ()  # what of the table was dropped, and what was guessed
    dull: frozenset[str] = frozenset()  # sources that vote the same on every point, or copy another, as far as is known
    keep: tuple[str, ...] = ()  # columns that are handed on with labels
    sure: bool = False  # whether the coding is that of all values: others are refused then
    long: bool = False  # rows are votes, those on a task together
    sparse: bool | None = True  # whether votes of a long table are held sparsely, where that is known

    @classmethod
    def of_head(
        cls, head: Any, options: ReadOptions, classes: Sequence[Label] | None, settings: Settings
    ) -> RowDecoder | None:
        """From the first rows; None where the table is long, or where some sources give scores."""
        options = with_gold_file(options, options.key, head.column_names)
        table = read_table(head, replace(options, gold_file=None))
        if isinstance(table.cells, Entries) or table.stated:
            return None
        stated = replace(options, layout="wide", sources=table.sources, drop=(), kinds="vote")
        decoder = cls(stated, classes, None, table.messages)
        with suppress(InputError):  # the first rows may not have all classes
            decoder = decoder.after(decoder.digest(head, 0), settings)
            return decoder.after(decoder.digest(head, 0), settings)
        return decoder

    @classmethod
    def of_votes(
        cls,
        votes: SortedVotes,
        head: Any,
        options: ReadOptions,
        classes: Sequence[Label] | None,
        messages: tuple[Message, ...],
    ) -> RowDecoder | None:
        """For a long table that is sorted; None where its votes are scores."""
        options = with_gold_file(options, options.task, ())
        if read_table(head, replace(options, gold_file=None)).stated:
            return None
        names = worker_names(votes.workers, options.worker, votes.rows, votes.votes)
        stated = replace(
            options, layout="long", sources=tuple(pick(names, options, "worker")), drop=(),
            missing_workers_abstain=True, kinds={options.label: "vote"},
        )  # fmt: skip
        return cls(stated, classes, None, messages=messages, long=True)

    @classmethod
    def of_model(cls, sources: tuple[str, ...], coding: Coding, options: ReadOptions) -> RowDecoder:
        """For rows that a model with these sources and this coding labels."""
        return cls(replace(options.of_model(sources, coding), layout="wide"), coding.classes, coding, sure=True)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        options = self.options
        sources = options.roles if self.long else (*(options.sources or ()), options.key)
        names = (*sources, options.gold, options.chance, *self.keep)
        return list(dict.fromkeys(name for name in names if name is not None))

    def points(self, rows: Any) -> int:
        """How many points some rows are."""
        return len(rows[self.options.task].unique()) if self.long else rows.num_rows

    def table(self, rows: Any, first_row: int = 0) -> VoteTable:
        """The votes in some rows as they stand there, or coded where that is quickly done."""
        if self.long:
            return replace(read_long(rows, self.options), messages=self.messages)
        return read_wide(rows, self.options, self.coding, first_row)

    def votes(self, rows: Any, first_row: int = 0) -> Votes:
        """The votes in some rows."""
        if self.coding is None:
            raise TypeError("a decoder that has seen no rows knows no classes")
        return votes_of_table(self.table(rows, first_row), self.coding, self.sparse)

    def digest(self, rows: Any, first_row: int, pairs: bool = False, besides: int = 0) -> ChunkDigest:
        """What some rows hold, where so many votes are known of besides."""
        table, coding = self.table(rows, first_row), self.coding
        levels = frozenset(table.levels)
        gold_levels = frozenset(() if table.gold is None else table.gold.levels)
        if coding is None or not (
            self.sure
            or (
                all(coding.knows(level) for level in levels)
                and all(coding.knows(level) or level in ("", ABSTAIN) for level in gold_levels)
            )
        ):
            return ChunkDigest(table.n, levels, gold_levels, None, table.met)
        votes = votes_of_table(replace(table, keys=None), coding, self.sparse)
        telling: Bools = np.array([name not in self.dull for name in votes.sources], dtype=bool)
        few = len(votes.sources) <= MOST_COMPARED and len(votes.outputs.source) <= MOST_OUTPUTS
        digest = Digest.of(votes, votes.gold, first_row, telling, pairs and few, besides)
        return ChunkDigest(table.n, levels, gold_levels, digest, table.met)

    def after(self, chunk: ChunkDigest, settings: Settings) -> RowDecoder:
        """The same with what is known after a pass over the rows."""
        options = self.options
        coding = find_coding(chunk.levels, chunk.gold_levels, self.classes, options.abstain, options.spelling)
        if coding != self.coding:
            return replace(self, coding=coding)
        if chunk.digest is None:  # some value is no class: the next pass says where
            return replace(self, sure=True)
        nothing = tell_nothing(chunk.digest.counts, settings.pairs(chunk.digest.counts.sources))
        dull = frozenset() if settings.strict else frozenset([*nothing.constant, *(copy for copy, _ in nothing.copies)])
        return self if dull == self.dull else replace(self, dull=dull)


def with_gold_file(options: ReadOptions, key: str | None, columns: Sequence[str]) -> ReadOptions:
    """The same with the gold file read, beside gold in one of these columns."""
    if options.gold_file is None:
        return options
    gold = options.gold if options.gold in columns else None
    return replace(options, gold_file=GoldFile.read(options, key), gold=gold, chance=None)


def gathered(
    decoder: RowDecoder, settings: Settings, run: Callable[[RowDecoder], ChunkDigest]
) -> tuple[RowDecoder, Digest]:
    """The digest of all rows, and the decoder that it was made with.

    `run`: makes a pass over all rows.
    """
    whole = run(decoder)
    while (better := decoder.after(whole, settings)) is not decoder:
        decoder = better
        whole = run(decoder)
    if decoder.options.gold_file is not None:
        decoder.options.gold_file.check_met(whole.met, np.array([]))
    if whole.digest is None:
        raise TypeError("a pass with a sure coding makes a digest")
    digest = whole.digest.reading(decoder.messages)
    n, m = len(digest), len(digest.counts.sources)
    if decoder.long and not is_sparse(int(digest.counts.number.sum()), n, m):
        decoder, digest = replace(decoder, sparse=False), digest.held_densely()
    if settings.strict:
        return decoder, digest
    return decoder, digest.select(tell_nothing(digest.counts, settings.pairs(digest.counts.sources)).left)
