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
from carob.read.long import read_long, worker_names
from carob.read.long_sorted import SortedVotes
from carob.read.table import Entries, ReadOptions, VoteTable, pick
from carob.read.to_votes import votes_of_table
from carob.votes import Votes
from carob.votes.coding import Coding
from carob.votes.storage import is_sparse

HEAD = 1 << 16  # rows that decide what the columns are
MOST_COMPARED = 1_000  # sources whose pairs are counted


@dataclass(frozen=True, eq=False)
class Part:
    """What was found in a part of the rows; ``a + b`` is that of both.

    Parameters
    ----------
    rows : int
    levels, gold_levels : frozenset
        Values of the sources, and of gold.
    digest : Digest or None
        None where there are values that the coding does not know.
    met : bool
        Whether a key of the gold file is among the rows.
    """

    rows: int
    levels: frozenset[Label]
    gold_levels: frozenset[Label]
    digest: Digest | None
    met: bool = False

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
    def of_bytes(cls, content: bytes, coding: Coding | None) -> Part:
        """What `to_bytes` made."""
        found = json.loads(content)
        digest = None if found["digest"] is None or coding is None else digest_of(found["digest"], coding)
        return cls(found["rows"], frozenset(found["levels"]), frozenset(found["gold_levels"]), digest, found["met"])


def together(parts: Iterable[Part]) -> Part:
    """What was found in all parts."""
    found = [part for part in parts if part.rows]
    if not found:
        raise InputError("there are no points: the votes have zero rows.")
    digests = [part.digest for part in found if part.digest is not None]
    return Part(
        sum(part.rows for part in found),
        frozenset().union(*(part.levels for part in found)),
        frozenset().union(*(part.gold_levels for part in found)),
        merged(digests) if len(digests) == len(found) else None,
        any(part.met for part in found),
    )


@dataclass(frozen=True, eq=False)
class Plan:
    """How rows become votes.

    Parameters
    ----------
    reading : ReadOptions
        With the sources named, and nothing left to find out.
    classes : sequence or None
        As a user gives them.
    coding : Coding or None
        Which values are classes, as far as is known.
    aside : tuple of str
        What of the table was set aside, a sentence for each reason.
    dull : frozenset of str
        Sources that vote the same on every point, or copy another, as far as is known.
    keep : tuple of str
        Columns that are handed on with labels.
    sure : bool
        Whether the coding is that of all values: others are refused then.
    long : bool
        Rows are votes, those on a task together.
    sparse : bool or None
        Whether votes of a long table are held sparsely, where that is known.
    read_as : str
        How the table was read where that was guessed.
    """

    reading: ReadOptions
    classes: Sequence[Label] | None
    coding: Coding | None
    aside: tuple[str, ...] = ()
    dull: frozenset[str] = frozenset()
    keep: tuple[str, ...] = ()
    sure: bool = False
    long: bool = False
    sparse: bool | None = True
    read_as: str = ""

    @classmethod
    def of_head(
        cls, head: Any, reading: ReadOptions, classes: Sequence[Label] | None, settings: Settings
    ) -> Plan | None:
        """From the first rows; None where the table is long, or where some sources give scores."""
        second = None if reading.gold_file is None else GoldFile.read(reading, reading.key)
        own = reading.gold if second is None or reading.gold in head.column_names else None
        alone = replace(reading, gold=own, gold_file=None, chance=None if second is not None else reading.chance)
        table = read_table(head, alone)
        if isinstance(table.cells, Entries) or table.stated:
            return None
        stated = replace(alone, layout="wide", sources=table.sources, drop=(), kinds="vote", gold_file=second)
        plan = cls(stated, classes, None, table.aside)
        with suppress(InputError):  # the first rows may not have all classes
            plan = plan.after(plan.part(head, 0), settings)
            return plan.after(plan.part(head, 0), settings)
        return plan

    @classmethod
    def of_votes(
        cls, sorted_votes: SortedVotes, head: Any, reading: ReadOptions, classes: Sequence[Label] | None, read_as: str
    ) -> Plan | None:
        """For a long table that is sorted; None where its votes are scores."""
        second = None if reading.gold_file is None else GoldFile.read(reading, reading.task)
        own = None if second is not None else reading.gold
        alone = replace(reading, gold=own, gold_file=None, chance=None if second is not None else reading.chance)
        if read_table(head, alone).stated:
            return None
        names = worker_names(sorted_votes.workers, reading.worker, sorted_votes.rows, sorted_votes.votes)
        stated = replace(
            alone, layout="long", sources=tuple(pick(names, reading, "worker")), drop=(), missing_workers_abstain=True,
            kinds={reading.label: "vote"}, gold_file=second,
        )  # fmt: skip
        return cls(stated, classes, None, long=True, read_as=read_as)

    @classmethod
    def of_model(cls, sources: tuple[str, ...], coding: Coding, reading: ReadOptions) -> Plan:
        """For rows that a model with these sources and this coding labels."""
        stated = replace(reading.of_model(sources, coding), layout="wide")
        return cls(stated, coding.classes, coding, sure=True)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        reading = self.reading
        sources = (
            (reading.task, reading.worker, reading.label) if self.long else (*(reading.sources or ()), reading.key)
        )
        names = (*sources, reading.gold, reading.chance, *self.keep)
        return list(dict.fromkeys(name for name in names if name is not None))

    def table(self, rows: Any, first_row: int = 0) -> VoteTable:
        """The votes in some rows as they stand there, or coded where that is quickly done."""
        if self.long:
            return replace(read_long(rows, self.reading), read_as=self.read_as)
        return read_wide(rows, self.reading, self.coding, first_row)

    def points(self, rows: Any) -> int:
        """How many points some rows are."""
        return len(rows[self.reading.task].unique()) if self.long else rows.num_rows

    def votes(self, rows: Any, first_row: int = 0) -> Votes:
        """The votes in some rows."""
        if self.coding is None:
            raise TypeError("a plan that has seen no rows knows no classes")
        return votes_of_table(self.table(rows, first_row), self.coding, self.sparse)

    def part(self, rows: Any, first_row: int, pairs: bool = False, besides: int = 0) -> Part:
        """What is found in some rows, where so many votes are known of besides."""
        table = self.table(rows, first_row)
        levels = frozenset(table.levels)
        gold_levels = frozenset(() if table.gold is None else table.gold.levels)
        if self.coding is None or not (self.sure or self._knows(levels, gold_levels)):
            return Part(table.n, levels, gold_levels, None, table.met)
        votes = votes_of_table(replace(table, keys=None), self.coding, self.sparse)
        return Part(table.n, levels, gold_levels, self._digest(votes, first_row, pairs, besides), table.met)

    def _digest(self, votes: Votes, first_row: int, pairs: bool, besides: int) -> Digest:
        telling: Bools = np.array([name not in self.dull for name in votes.sources], dtype=bool)
        few = len(votes.sources) <= MOST_COMPARED and len(votes.outputs.source) <= MOST_OUTPUTS
        return Digest.of(votes, votes.gold, first_row, telling, pairs and few, besides)

    def _knows(self, levels: Iterable[Label], gold_levels: Iterable[Label]) -> bool:
        """Whether all values are classes, or mean that there is none."""
        coding = self.coding
        return coding is not None and (
            all(coding.knows(level) for level in levels)
            and all(coding.knows(level) or level in ("", ABSTAIN) for level in gold_levels)
        )

    def after(self, found: Part, settings: Settings) -> Plan:
        """The same with what is known after a pass over the rows."""
        reading = self.reading
        coding = find_coding(found.levels, found.gold_levels, self.classes, reading.abstain, reading.spelling)
        if coding != self.coding:
            return replace(self, coding=coding)
        if found.digest is None:  # some value is no class: the next pass says where
            return replace(self, sure=True)
        nothing = tell_nothing(found.digest.counts, settings.pairs(found.digest.counts.sources))
        dull = frozenset() if settings.strict else frozenset([*nothing.constant, *(copy for copy, _ in nothing.copies)])
        return self if dull == self.dull else replace(self, dull=dull)


def gathered(plan: Plan, settings: Settings, run: Callable[[Plan], Part]) -> tuple[Plan, Digest]:
    """The digest of all rows, and the plan that it was made with.

    Parameters
    ----------
    run : callable
        Makes a pass over all rows.
    """
    found = run(plan)
    while (better := plan.after(found, settings)) is not plan:
        plan = better
        found = run(plan)
    gold_file = plan.reading.gold_file
    if gold_file is not None:
        gold_file.check_met(found.met, np.array([]))
    digest = found.digest
    if digest is None:
        raise TypeError("a pass with a sure coding makes a digest")
    digest = digest.reading(plan.aside)
    n, m = len(digest), len(digest.counts.sources)
    if plan.long and not is_sparse(int(digest.counts.number.sum()), n, m):
        plan, digest = replace(plan, sparse=False), digest.held_densely()
    if settings.strict:
        return plan, digest
    nothing = tell_nothing(digest.counts, settings.pairs(digest.counts.sources))
    return plan, digest.select(nothing.left)
