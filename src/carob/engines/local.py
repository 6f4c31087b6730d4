"""Votes in files and queries that are larger than memory, read part by part on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pyarrow as pa

from carob._kernels.threads import THREADS, while_waiting
from carob._types import Label, Progress
from carob.count.digest import Digest
from carob.engines.labels import LabelPart
from carob.engines.row_decoder import HEAD, Part, Plan, gathered, together
from carob.errors import InputError, examples
from carob.model.label_model import LabelModel
from carob.posterior.settings import Settings
from carob.read import read_for_model, votes_of_source
from carob.read.formats import PANDAS_INDEX, arrow_table
from carob.read.gold_file import GoldFile
from carob.read.layouts import is_long, long_reading, read_table
from carob.read.long_sorted import SortedVotes
from carob.read.streams import RowGroups, Stream, open_stream, whole_table
from carob.read.table import ReadOptions
from carob.read.to_votes import votes_of_table
from carob.votes import Votes
from carob.votes.storage import is_sparse

_MERGED = 16  # parts that wait to be put together


@dataclass(frozen=True, eq=False)
class FileVotes:
    """Votes that are read part by part.

    Parameters
    ----------
    stream : Stream
    plan : Plan
        How rows become votes.
    digest : Digest
        What is learned from.
    """

    stream: Stream | SortedVotes
    plan: Plan
    digest: Digest

    def __len__(self) -> int:
        return len(self.digest)

    def parts(
        self, sources: Sequence[str], keep: Sequence[str] = (), progress: Progress | None = None
    ) -> Iterator[LabelPart]:
        """Votes of some sources, part by part, with columns of their table that are handed on."""
        check_columns(keep, self.stream.schema.names)
        _check_wide(self.plan, keep)
        alone = replace(self.plan.reading, gold=None, gold_file=None, chance=None)
        plan = replace(self.plan, keep=tuple(keep), reading=alone)
        for rows, first_row in _parts(self.stream, plan, progress):
            votes = plan.votes(rows, first_row).select(sources)
            yield LabelPart(votes, first_row, {name: rows[name] for name in keep})


def open_votes(
    source: Any,
    reading: ReadOptions,
    classes: Sequence[Label] | None,
    settings: Settings,
    pairs: bool = False,
    progress: Progress | None = None,
) -> Votes | FileVotes:
    """Votes as they are, where they are few enough to be read whole or must be; else a digest of them.

    Parameters
    ----------
    pairs : bool
        Count pairs of outputs, too.
    """
    opened = open_stream(source, reading.identifiers, reading.written)
    if not isinstance(opened, Stream):
        return votes_of_source(opened, reading, classes, arrow_table(opened, reading.identifiers, reading.written))
    stream: Stream | SortedVotes = opened
    plan: Plan | None = None
    if not settings.takes_all:
        head = _head(opened)
        long = long_reading(head, reading)
        if long is None:
            plan = Plan.of_head(head, reading, classes, settings)
        else:
            stream = _sorted(source, long[0])
            plan = Plan.of_votes(stream, _head(stream), long[0], classes, long[1])
    if plan is None:
        return votes_of_source(source, reading, classes)
    plan, digest = gathered(plan, settings, lambda plan: _pass(stream, plan, pairs, progress))
    return FileVotes(stream, plan, digest)


def fit(
    source: Any,
    model: LabelModel | None = None,
    *,
    key: str | None = None,
    gold: str | None = None,
    gold_file: Any = None,
    drop: Sequence[str] = (),
    sources: Sequence[str] | None = None,
) -> LabelModel:
    """Learn the sources from a file, a folder or a query of any size, as `carob.engines.spark.fit` does from a frame.

    Parameters
    ----------
    source : str or path
        What `carob.read_votes` takes.
    model : LabelModel, optional
        How to learn; fitted and returned.
    key, gold, gold_file, drop, sources
        As in `carob.read_votes`.
    """
    unfitted = LabelModel() if model is None else model
    settings = unfitted.settings()
    reading = ReadOptions(
        key=key, gold=gold, gold_file=gold_file, drop=drop, sources=sources, abstain=unfitted.abstain,
        strict=settings.strict,
    )  # fmt: skip
    opened = open_votes(source, reading, unfitted.classes, settings)
    return unfitted.fit(opened, opened.gold) if isinstance(opened, Votes) else unfitted.fit(opened.digest)


def _sorted(source: Any, reading: ReadOptions) -> SortedVotes:
    """A long table with all votes on a task together."""
    opened = open_stream(source, reading.identifiers, reading.written)
    others = [reading.label, *reading.beside]
    check_columns([reading.task, reading.worker, *others], opened.schema.names)
    return SortedVotes(opened, reading.task, reading.worker, others)


def _pass(
    stream: Stream | SortedVotes, plan: Plan, pairs: bool, progress: Progress | None, rows_before: int = 0
) -> Part:
    """What is found in all rows: every core reads and counts its own, where the table comes in enough pieces."""
    votes = 0

    def part(rows_and_first: tuple[Any, int], besides: int = 0) -> Part:
        rows, first_row = rows_and_first
        return plan.part(rows, rows_before + first_row, pairs, votes + besides)

    def piece(of_file: RowGroups) -> Part:
        found: list[Part] = []
        for rows_and_first in _parts(of_file, plan, None, of_file.first_row):
            found.append(part(rows_and_first, sum(before.votes for before in found)))
        return together(found)

    pieces = stream.chunks() if isinstance(stream, Stream) else []
    apart = len(pieces) >= THREADS
    found = while_waiting(piece, pieces) if apart else while_waiting(part, _parts(stream, plan, progress))
    waiting: list[Part] = []
    rows = 0
    for one in found:
        waiting.append(one)
        votes += one.votes
        rows += one.rows
        if apart and progress is not None:
            progress(rows, stream.rows or 0)
        if len(waiting) == _MERGED:
            waiting = [together(waiting)]
    return together(waiting)


def _parts(
    stream: Stream | SortedVotes | RowGroups, plan: Plan, progress: Progress | None, first_row: int = 0
) -> Iterator[tuple[Any, int]]:
    """Tables of some rows, and the row number of the first of each."""
    for batch in stream.batches(plan.columns):
        rows = pa.Table.from_batches([batch])
        yield rows, first_row
        first_row += plan.points(rows)
        if progress is not None:
            progress(first_row, stream.rows or 0)


def _head(stream: Stream | SortedVotes) -> Any:
    """The first rows, with all columns but the index that pandas writes."""
    names = [name for name in stream.schema.names if not PANDAS_INDEX.fullmatch(name)]
    batches = list(islice(stream.batches(names), 1))
    if not batches:
        raise InputError("there are no points: the votes have zero rows.")
    return pa.Table.from_batches(batches).slice(0, HEAD)


def parts_for(
    model: LabelModel, source: Any, reading: ReadOptions, keep: Sequence[str] = (), progress: Progress | None = None
) -> Iterator[LabelPart]:
    """Votes of the sources that a fitted model knows, coded as it knows them: one part, or many of a large table."""
    sources, coding = model.source_model_.sources, model.fit_.coding
    opened = open_stream(source, reading.identifiers, reading.written)
    wide = replace(reading, sources=sources)
    if isinstance(opened, Stream) and is_long(opened.schema.names, wide) and not coding.scales:
        stream = _sorted(source, replace(reading, gold=None, gold_file=None))
        plan = replace(Plan.of_model(sources, coding, wide), long=True, keep=tuple(keep))
        _check_wide(plan, keep)
        plan = replace(plan, reading=replace(plan.reading, layout="long", missing_workers_abstain=True))
        # Whether votes are held sparsely is that of all of them, as where they are read whole.
        cast = sum(int(plan.votes(rows).number.sum()) for rows, _ in _parts(stream, plan, None))
        plan = replace(plan, sparse=is_sparse(cast, stream.rows, len(sources)))
        for rows, first_row in _parts(stream, plan, progress):
            yield LabelPart(plan.votes(rows, first_row), first_row)
        return
    if isinstance(opened, Stream) and not is_long(opened.schema.names, wide):
        check_columns([*sources, *keep, *([reading.key] if reading.key else [])], opened.schema.names)
        plan = replace(Plan.of_model(sources, coding, wide), keep=tuple(keep))
        for rows, first_row in _parts(opened, plan, progress):
            yield LabelPart(plan.votes(rows, first_row), first_row, {name: rows[name] for name in keep})
        return
    votes = read_for_model(source, sources, coding, reading)
    yield LabelPart(votes, 0, kept_columns(source, reading, votes, keep) if keep else None)


def digest_for(model: LabelModel, source: Any, reading: ReadOptions, progress: Progress | None = None) -> Digest:
    """A digest of more votes, with gold where there is some, for a model to learn from; rows follow those before."""
    before, coding = model.learned_digest(), model.fit_.coding
    sources, n = before.counts.sources, len(before)
    opened = open_stream(source, reading.identifiers, reading.written)
    if isinstance(opened, Stream) and not is_long(opened.schema.names, replace(reading, sources=sources)):
        second = None if reading.gold_file is None else GoldFile.read(reading, reading.key)
        own = reading.gold if second is None else None
        check_columns([*sources, *([own] if own else [])], opened.schema.names)
        plan = Plan.of_model(sources, coding, replace(reading, gold=own, gold_file=second))
        dull = frozenset(name for name, tells in zip(sources, before.telling, strict=True) if not tells)
        found = _pass(opened, replace(plan, dull=dull), False, progress, n)
        if found.digest is None:
            raise TypeError("a pass with a sure coding makes a digest")
        return found.digest
    stated = Plan.of_model(sources, coding, reading).reading
    whole = read_table(source, replace(stated, layout=reading.layout, missing_workers_abstain=True))
    votes = votes_of_table(whole, coding)
    return Digest.of(votes, votes.gold, n, before.telling)


def kept_columns(source: Any, reading: ReadOptions, votes: Votes, keep: Sequence[str]) -> dict[str, Any]:
    """Columns of a wide table that are handed on with labels."""
    table = whole_table(source, [*keep, *reading.identifiers], reading.written)
    check_columns(keep, table.column_names)
    if table.num_rows != len(votes):
        raise InputError(
            "columns are kept of tables with a row per point; this one has a row per vote (keep=; --keep)."
        )
    return {name: table[name] for name in keep}


def _check_wide(plan: Plan, keep: Sequence[str]) -> None:
    if plan.long and keep:
        raise InputError(
            "columns are kept of tables with a row per point; this one has a row per vote (keep=; --keep)."
        )


def check_columns(names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse columns that are not there."""
    missing = [name for name in names if name not in known]
    if missing:
        raise InputError(f"there is no column {examples(missing)}; there are {examples(known)}.")
