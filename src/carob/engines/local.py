"""Votes in files and queries that are larger than memory, read chunk by chunk on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pyarrow as pa

from carob._kernels.threads import THREADS, while_waiting
from carob._types import Label, Progress
from carob.count.digest import Digest
from carob.engines.labels import Chunk
from carob.engines.row_decoder import HEAD, ChunkDigest, RowDecoder, gathered, together, with_gold_file
from carob.errors import InputError, examples
from carob.model.label_model import LabelModel
from carob.posterior.settings import Settings
from carob.read import read_for_model, votes_of_source
from carob.read.formats import PANDAS_INDEX, arrow_table
from carob.read.layouts import is_long, long_reading, read_table
from carob.read.long import SortedVotes
from carob.read.streams import RowGroups, Stream, open_stream, whole_table
from carob.read.table import ReadOptions
from carob.read.to_votes import votes_of_table
from carob.votes import Votes
from carob.votes.storage import is_sparse


@dataclass(frozen=True, eq=False)
class FileVotes:
    """Votes that are read chunk by chunk."""

    stream: Stream | SortedVotes
    decoder: RowDecoder  # how rows become votes
    digest: Digest  # what is learned from

    def __len__(self) -> int:
        return len(self.digest)

    def chunks(
        self, sources: Sequence[str], keep: Sequence[str] = (), progress: Progress | None = None
    ) -> Iterator[Chunk]:
        """Votes of some sources, chunk by chunk, with columns of their table that are handed on."""
        options = replace(self.decoder.options, gold=None, gold_file=None, chance=None)
        return _chunks(self.stream, replace(self.decoder, keep=tuple(keep), options=options), sources, progress)


def open_votes(
    source: Any,
    options: ReadOptions,
    classes: Sequence[Label] | None,
    settings: Settings,
    pairs: bool = False,
    progress: Progress | None = None,
) -> Votes | FileVotes:
    """Votes as they are, where they are few enough to be read whole or must be; else a digest of them.

    `pairs`: count pairs of outputs, too.
    """
    opened = open_stream(source, options.identifiers, options.written)
    if not isinstance(opened, Stream):
        table = arrow_table(opened, options.identifiers, options.written)
        return votes_of_source(opened, options, classes, table)
    stream: Stream | SortedVotes = opened
    decoder: RowDecoder | None = None
    if settings.method == "consensus":
        head = _head(opened)
        long = long_reading(head, options)
        if long is None:
            decoder = RowDecoder.of_head(head, options, classes, settings)
        else:
            stream = _sorted(source, long[0])
            decoder = RowDecoder.of_votes(stream, _head(stream), long[0], classes, long[1])
    if decoder is None:
        return votes_of_source(source, options, classes)
    decoder, digest = gathered(decoder, settings, lambda decoder: _pass(stream, decoder, pairs, progress))
    return FileVotes(stream, decoder, digest)


def fit(
    source: Any,
    model: LabelModel | None = None,
    *,
    key: str | None = None,
    gold: str | None = None,
    sources: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> LabelModel:
    """Learn the sources from a file, a folder or a query of any size, as `carob.engines.spark.fit` does from a frame.

    Parameters
    ----------
    source : str or path
    model : LabelModel, optional
        How to learn; fitted and returned.
    key, gold, sources, drop, options
        As in `carob.read_votes`.
    """
    unfitted = LabelModel() if model is None else model
    settings = unfitted.settings()
    stated = ReadOptions.of(options, key=key, gold=gold, sources=sources, drop=drop or None, abstain=unfitted.abstain)
    opened = open_votes(source, replace(stated, strict=settings.strict), unfitted.classes, settings)
    return unfitted.fit(opened, opened.gold) if isinstance(opened, Votes) else unfitted.fit(opened.digest)


def _sorted(source: Any, options: ReadOptions) -> SortedVotes:
    """A long table with all votes on a task together."""
    opened = open_stream(source, options.identifiers, options.written)
    others = [options.label, *options.beside]
    check_columns([options.task, options.worker, *others], opened.schema.names)
    return SortedVotes(opened, options.task, options.worker, others)


def _pass(
    stream: Stream | SortedVotes, decoder: RowDecoder, pairs: bool, progress: Progress | None, rows_before: int = 0
) -> ChunkDigest:
    """What all rows hold: every core reads and counts its own, where the table comes in enough chunks."""
    votes = 0

    def digest(rows_and_first: tuple[Any, int], besides: int = 0) -> ChunkDigest:
        rows, first_row = rows_and_first
        return decoder.digest(rows, rows_before + first_row, pairs, votes + besides)

    def read(groups: RowGroups) -> ChunkDigest:
        digests: list[ChunkDigest] = []
        for rows_and_first in _rows(groups, decoder, None, groups.first_row):
            digests.append(digest(rows_and_first, sum(before.votes for before in digests)))
        return together(digests)

    groups = stream.chunks() if isinstance(stream, Stream) else []
    apart = len(groups) >= THREADS
    waiting: list[ChunkDigest] = []
    rows = 0
    for chunk in while_waiting(read, groups) if apart else while_waiting(digest, _rows(stream, decoder, progress)):
        waiting.append(chunk)
        votes += chunk.votes
        rows += chunk.rows
        if apart and progress is not None:
            progress(rows, stream.rows or 0)
        if len(waiting) == 16:  # which would take memory
            waiting = [together(waiting)]
    return together(waiting)


def _rows(
    stream: Stream | SortedVotes | RowGroups, decoder: RowDecoder, progress: Progress | None, first_row: int = 0
) -> Iterator[tuple[Any, int]]:
    """Tables of some rows, and the row number of the first of each."""
    for batch in stream.batches(decoder.columns):
        rows = pa.Table.from_batches([batch])
        yield rows, first_row
        first_row += decoder.points(rows)
        if progress is not None:
            progress(first_row, stream.rows or 0)


def _chunks(
    stream: Stream | SortedVotes, decoder: RowDecoder, sources: Sequence[str], progress: Progress | None
) -> Iterator[Chunk]:
    """Votes of some sources, chunk by chunk, with the columns that are kept."""
    check_columns(decoder.keep, stream.schema.names)
    _check_wide(not decoder.long, decoder.keep)
    for rows, first_row in _rows(stream, decoder, progress):
        votes = decoder.votes(rows, first_row).select(sources)
        yield Chunk(votes, first_row, {name: rows[name] for name in decoder.keep})


def _head(stream: Stream | SortedVotes) -> Any:
    """The first rows, with all columns but the index that pandas writes."""
    names = [name for name in stream.schema.names if not PANDAS_INDEX.fullmatch(name)]
    batches = list(islice(stream.batches(names), 1))
    if not batches:
        raise InputError("there are no points: the votes have zero rows.")
    return pa.Table.from_batches(batches).slice(0, HEAD)


def chunks_for(
    model: LabelModel, source: Any, options: ReadOptions, keep: Sequence[str] = (), progress: Progress | None = None
) -> Iterator[Chunk]:
    """Votes of the sources that a fitted model knows, coded as it knows them: one chunk, or many of a large table."""
    sources, coding = model.source_model_.sources, model.fit_.coding
    opened = open_stream(source, options.identifiers, options.written)
    wide = replace(options, sources=sources)
    long = isinstance(opened, Stream) and is_long(opened.schema.names, wide)
    if not isinstance(opened, Stream) or (long and coding.scales):
        votes = read_for_model(source, sources, coding, options)
        yield Chunk(votes, 0, kept_columns(source, options, votes, keep) if keep else None)
        return
    decoder = replace(RowDecoder.of_model(sources, coding, wide), keep=tuple(keep), long=long)
    if not long:
        check_columns([*sources, *keep, *([options.key] if options.key else [])], opened.schema.names)
        yield from _chunks(opened, decoder, sources, progress)
        return
    _check_wide(False, keep)
    stream = _sorted(source, replace(options, gold=None, gold_file=None))
    decoder = replace(decoder, options=replace(decoder.options, layout="long", missing_workers_abstain=True))
    # Whether votes are held sparsely is that of all of them, as where they are read whole.
    cast = sum(int(decoder.votes(rows).number.sum()) for rows, _ in _rows(stream, decoder, None))
    yield from _chunks(stream, replace(decoder, sparse=is_sparse(cast, stream.rows, len(sources))), sources, progress)


def digest_for(model: LabelModel, source: Any, options: ReadOptions, progress: Progress | None = None) -> Digest:
    """A digest of more votes, with gold where there is some, for a model to learn from; rows follow those before."""
    before, coding = model.learned_digest(), model.fit_.coding
    sources, n = before.counts.sources, len(before)
    opened = open_stream(source, options.identifiers, options.written)
    if isinstance(opened, Stream) and not is_long(opened.schema.names, replace(options, sources=sources)):
        options = with_gold_file(options, options.key, ())
        check_columns([*sources, *([options.gold] if options.gold else [])], opened.schema.names)
        dull = frozenset(name for name, tells in zip(sources, before.telling, strict=True) if not tells)
        decoder = replace(RowDecoder.of_model(sources, coding, options), dull=dull)
        whole = _pass(opened, decoder, False, progress, n)
        if whole.digest is None:
            raise TypeError("a pass with a sure coding makes a digest")
        return whole.digest
    votes = votes_of_table(
        read_table(source, replace(options.of_model(sources, coding), missing_workers_abstain=True), coding), coding
    )
    return Digest.of(votes, votes.gold, n, before.telling)


def kept_columns(source: Any, options: ReadOptions, votes: Votes, keep: Sequence[str]) -> dict[str, Any]:
    """Columns of a wide table that are handed on with labels."""
    table = whole_table(source, [*keep, *options.identifiers], options.written)
    check_columns(keep, table.column_names)
    _check_wide(table.num_rows == len(votes), keep)
    return {name: table[name] for name in keep}


def _check_wide(wide: bool, keep: Sequence[str]) -> None:
    if keep and not wide:
        raise InputError(
            "columns are kept of tables with a row per point; this one has a row per vote (keep=; --keep)."
        )


def check_columns(names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse columns that are not there."""
    missing = [name for name in names if name not in known]
    if missing:
        raise InputError(f"there is no column {examples(missing)}; there are {examples(known)}.")
