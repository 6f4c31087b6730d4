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
import pyarrow as pa

from carob._kernels.octets import look_up
from carob._kernels.threads import in_threads
from carob._types import ABSTAIN, Bools, Codes, Label, cached_property
from carob.count.aside import tell_nothing
from carob.count.digest import Digest, merged
from carob.count.digest_content import digest_content, digest_of
from carob.count.moments import MOST_OUTPUTS
from carob.errors import InputError
from carob.posterior.settings import Settings
from carob.read.arrow import narrow, numbers, one_chunk
from carob.read.coding import find_coding
from carob.read.layouts import GoldFile, long_part, pick_workers, read_table, wide_part, worker_names
from carob.read.long_sorted import SortedVotes
from carob.read.table import Entries, Reading, VoteTable
from carob.read.to_votes import votes_of_table
from carob.votes import Votes
from carob.votes.coding import Coding
from carob.votes.storage import Dense, is_sparse

HEAD = 1 << 16  # rows that decide what the columns are
MOST_COMPARED = 1_000  # sources whose pairs are counted
_UNKNOWN = -2  # what is no class, and no abstain


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
    reading : Reading
        With the sources named, and nothing left to find out.
    classes : sequence or None
        As a user gives them.
    coding : Coding or None
        Which values are classes, as far as is known.
    gold : GoldFile or None
        Gold that is matched by key.
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

    reading: Reading
    classes: Sequence[Label] | None
    coding: Coding | None
    gold: GoldFile | None = None
    aside: tuple[str, ...] = ()
    dull: frozenset[str] = frozenset()
    keep: tuple[str, ...] = ()
    sure: bool = False
    long: bool = False
    sparse: bool | None = True
    read_as: str = ""

    @classmethod
    def of_head(cls, head: Any, reading: Reading, classes: Sequence[Label] | None, settings: Settings) -> Plan | None:
        """From the first rows; None where the table is long, or where some sources give scores."""
        second = None if reading.gold_file is None else GoldFile.read(reading, reading.key)
        own = reading.gold if second is None or reading.gold in head.column_names else None
        alone = replace(reading, gold=own, gold_file=None, chance=None if second is not None else reading.chance)
        table = read_table(head, alone)
        if isinstance(table.cells, Entries) or table.stated:
            return None
        stated = replace(alone, layout="wide", sources=table.sources, drop=(), kinds="vote")
        plan = cls(stated, classes, None, second, table.aside)
        with suppress(InputError):  # the first rows may not have all classes
            plan = plan.after(plan.part(head, 0), settings)
            return plan.after(plan.part(head, 0), settings)
        return plan

    @classmethod
    def of_votes(
        cls, sorted_votes: SortedVotes, head: Any, reading: Reading, classes: Sequence[Label] | None, read_as: str
    ) -> Plan | None:
        """For a long table that is sorted; None where its votes are scores."""
        second = None if reading.gold_file is None else GoldFile.read(reading, reading.task)
        own = None if second is not None else reading.gold
        alone = replace(reading, gold=own, gold_file=None, chance=None if second is not None else reading.chance)
        if read_table(head, alone).stated:
            return None
        names = worker_names(sorted_votes.workers, reading.worker, sorted_votes.rows, sorted_votes.votes)
        stated = replace(
            alone, layout="long", sources=tuple(pick_workers(names, reading)), drop=(), missing_workers_abstain=True,
            kinds={reading.label: "vote"},
        )  # fmt: skip
        return cls(stated, classes, None, second, long=True, read_as=read_as)

    @classmethod
    def of_model(cls, sources: tuple[str, ...], coding: Coding, reading: Reading) -> Plan:
        """For rows that a model with these sources and this coding labels."""
        stated = replace(
            reading, layout="wide", sources=sources, abstain=coding.abstain or None, kinds="vote",
            ignore_case=coding.spelling.ignore_case, mapping=dict(coding.spelling.mapping), scales=dict(coding.scales),
        )  # fmt: skip
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

    def table(self, rows: Any, first_row: int, sources: Sequence[str] | None = None) -> tuple[VoteTable, bool]:
        """The votes of all or some sources in some rows as they stand there, and whether one is in the gold file."""
        if self.long:
            found = replace(long_part(rows, self.reading), read_as=self.read_as)
        else:
            reading = self.reading if sources is None else replace(self.reading, sources=sources)
            found = wide_part(rows, reading, first_row)
        if self.gold is None or found.keys is None:
            return found, False
        near = _in_file(pa.array(found.keys.tolist()) if self.long else rows[self.reading.key], self.gold.keys)
        places = np.flatnonzero(near)
        joined, chances = self.gold.join(found.keys[places])
        cells = np.full(found.n, -1, dtype=joined.cells.dtype)
        cells[places] = joined.cells
        truth = replace(joined, cells=cells)
        everywhere = None
        if chances is not None:
            everywhere = np.full(found.n, np.nan)
            everywhere[places] = chances
        truth = truth if found.gold is None else truth.filled_from(found.gold)
        return replace(found, gold=truth, chances=everywhere), bool(near.any())

    def points(self, rows: Any) -> int:
        """How many points some rows are."""
        return len(rows[self.reading.task].unique()) if self.long else rows.num_rows

    def votes(self, rows: Any, first_row: int = 0) -> Votes:
        """The votes in some rows."""
        if self.coding is None:
            raise TypeError("a plan that has seen no rows knows no classes")
        quick = self._quick(rows, first_row)
        if quick is not None:
            return quick[0]
        return votes_of_table(self.table(rows, first_row)[0], self.coding, self.sparse)

    def part(self, rows: Any, first_row: int, pairs: bool = False, besides: int = 0) -> Part:
        """What is found in some rows, where so many votes are known of besides."""
        quick = self._quick(rows, first_row)
        if quick is not None:
            votes, levels, gold_levels, met = quick
            return Part(len(votes), levels, gold_levels, self._digest(votes, first_row, pairs, besides), met)
        table, met = self.table(rows, first_row)
        levels = frozenset(table.levels)
        gold_levels = frozenset(table.gold.levels) if table.gold is not None else frozenset()
        if self.coding is None or not (self.sure or self._knows(levels, gold_levels)):
            return Part(table.n, levels, gold_levels, None, met)
        votes = votes_of_table(replace(table, keys=None), self.coding, self.sparse)
        return Part(table.n, levels, gold_levels, self._digest(votes, first_row, pairs, besides), met)

    def _digest(self, votes: Votes, first_row: int, pairs: bool, besides: int) -> Digest:
        telling: Bools = np.array([name not in self.dull for name in votes.sources], dtype=bool)
        few = len(votes.sources) <= MOST_COMPARED and len(votes.outputs.source) <= MOST_OUTPUTS
        return Digest.of(votes, votes.gold, first_row, telling, pairs and few, besides)

    def _quick(self, rows: Any, first_row: int) -> tuple[Votes, frozenset[Label], frozenset[Label], bool] | None:
        """Votes, levels of sources and of gold, and whether a key is in the gold file, as `table` finds them.

        One look at every byte; None where a column is none of small whole numbers, or holds what is not known.
        """
        sources = tuple(self.reading.sources or ())
        if self.long:
            return None
        columns = [rows[name] for name in sources]
        if self.coding is None or self.reading.scales or not all(pa.types.is_integer(c.type) for c in columns):
            return None
        codes = np.empty((len(sources), rows.num_rows), dtype=np.int8)
        seen = np.zeros((len(sources), 256), dtype=bool)

        def work(place: int) -> bool:
            column = narrow(columns[place])
            if column.type != pa.int8():
                return False
            values, empty = numbers(column)
            octets = values.view(np.uint8)
            if empty is None:
                seen[place] = look_up(octets, self._code_of, codes[place])
            else:
                said = octets[~empty]
                coded = np.empty(len(said), dtype=np.int8)
                seen[place] = look_up(said, self._code_of, coded)
                codes[place] = ABSTAIN
                codes[place][~empty] = coded
            return True

        if not rows.num_rows or not all(in_threads(work, len(sources))):
            return None
        present = np.flatnonzero(seen.any(axis=0)).astype(np.uint8)
        if (self._code_of[present] == _UNKNOWN).any():
            return None
        table, met = self.table(rows, first_row, sources[:1])  # keys and gold, as they are always read
        gold_levels = frozenset(table.gold.levels) if table.gold is not None else frozenset()
        if not self._knows((), gold_levels):
            return None
        votes = Votes(Dense(codes.T), sources, self.coding, table.keys, key_name=table.key_name)
        if table.gold is not None:
            votes = replace(votes, gold=votes.code_gold(table.gold, table.chances))
        return votes, frozenset(present.view(np.int8).tolist()), gold_levels, met

    @cached_property
    def _code_of(self) -> Codes:
        """The class index of every byte, -1 of an abstain, -2 of what is neither; shape (256,)."""
        coding, table = self.coding, np.full(256, _UNKNOWN, dtype=np.int8)
        if coding is not None:
            code_of: dict[Any, int] = {label: k for k, label in enumerate(coding.classes)}
            code_of |= dict.fromkeys(coding.abstain, ABSTAIN)
            for value in range(-128, 128):
                table[value % 256] = code_of.get(coding.spelling.read(value), _UNKNOWN)
        return table

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


def _in_file(column: Any, keys: Sequence[str]) -> Bools:
    """True where a key is among those of the gold file."""
    import pyarrow.compute as pc

    plain = one_chunk(column)
    if pa.types.is_integer(plain.type) or pa.types.is_string(plain.type) or pa.types.is_large_string(plain.type):
        texts = plain.cast(pa.large_string())
    else:
        texts = pa.array([str(key) for key in plain.to_numpy(zero_copy_only=False).tolist()], pa.large_string())
    return np.asarray(pc.is_in(texts, value_set=pa.array(keys, pa.large_string())))


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
    if plan.gold is not None:
        plan.gold.check_met(found.met, np.array([]))
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
