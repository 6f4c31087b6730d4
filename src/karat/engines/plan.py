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
import pyarrow.compute as pc

from karat._types import ABSTAIN, Bools, Label
from karat.aside import tell_nothing
from karat.digest import Digest, merged
from karat.digest_content import digest_content, digest_of
from karat.errors import InputError
from karat.estimate.settings import Settings
from karat.io.coding import Coding, find_coding
from karat.io.layouts import GoldFile, read_table, wide_part
from karat.io.table import Entries, Reading, VoteTable
from karat.votes import Votes


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
    """

    reading: Reading
    classes: Sequence[Label] | None
    coding: Coding | None
    gold: GoldFile | None = None
    aside: tuple[str, ...] = ()
    dull: frozenset[str] = frozenset()
    keep: tuple[str, ...] = ()
    sure: bool = False

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
        names = (*(reading.sources or ()), reading.key, reading.gold, reading.chance, *self.keep)
        return list(dict.fromkeys(name for name in names if name is not None))

    def table(self, rows: Any, first_row: int) -> tuple[VoteTable, bool]:
        """The votes in some rows as they stand there, and whether one of them is in the gold file."""
        found = wide_part(rows, self.reading, first_row)
        if self.gold is None or found.keys is None:
            return found, False
        near = _in_file(rows[self.reading.key], self.gold.keys)
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

    def votes(self, rows: Any, first_row: int = 0) -> Votes:
        """The votes in some rows."""
        if self.coding is None:
            raise TypeError("a plan that has seen no rows knows no classes")
        return Votes.of_table(self.table(rows, first_row)[0], self.coding)

    def part(self, rows: Any, first_row: int, pairs: bool = False) -> Part:
        """What is found in some rows."""
        table, met = self.table(rows, first_row)
        levels = frozenset(table.levels)
        gold_levels = frozenset(table.gold.levels) if table.gold is not None else frozenset()
        if self.coding is None or not (self.sure or self._knows(levels, gold_levels)):
            return Part(table.n, levels, gold_levels, None, met)
        votes = Votes.of_table(replace(table, keys=None), self.coding)
        telling: Bools = np.array([name not in self.dull for name in votes.sources], dtype=bool)
        return Part(table.n, levels, gold_levels, Digest.of(votes, votes.gold, first_row, telling, pairs), met)

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
    plain = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
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
    if settings.strict:
        return plan, digest
    nothing = tell_nothing(digest.counts, settings.pairs(digest.counts.sources))
    return plan, digest.select(nothing.left)
