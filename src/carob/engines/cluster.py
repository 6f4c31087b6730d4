"""What every cluster does: digests of parts made where the rows are, put together as they come, and labels of parts.

A worker sends a digest of its rows and nothing else: counts, and some fifteen thousand rows of votes, packed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Protocol

import pyarrow as pa

from carob._types import Abstains, Label
from carob.count.digest import Digest
from carob.count.statistics import Statistics
from carob.engines.labels import label_columns
from carob.engines.row_decoder import HEAD, ChunkDigest, RowDecoder, gathered, together
from carob.errors import InputError, examples
from carob.model.label_model import LabelModel
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions
from carob.votes.coding import Coding

_NO_ROWS = ChunkDigest(0, frozenset(), frozenset(), None)
FAN = 32  # digests that are put together at a time, before they are all put together


class Table(Protocol):
    """A wide table on a cluster."""

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        ...

    def head(self, rows: int) -> Any:
        """The first rows as an Arrow table."""
        ...

    def sizes(self, columns: Sequence[str]) -> list[int]:
        """How many rows each partition has, in their order, where these columns are read."""
        ...

    def digests(self, decoder: RowDecoder, first_rows: Sequence[int], pairs: bool) -> list[bytes]:
        """What `chunk_bytes` makes of each partition, perhaps put together by `merged_bytes`."""
        ...


def digest_table(
    table: Table, options: ReadOptions, classes: Sequence[Label] | None, settings: Settings, pairs: bool = False
) -> Digest:
    """A digest of all rows of a table.

    `pairs`: count pairs of outputs, too.
    """
    if settings.method != "consensus":
        raise InputError("clusters learn by the default (method='consensus'; --method consensus).")
    decoder = RowDecoder.of_head(table.head(HEAD), options, classes, settings)
    if decoder is None:
        raise InputError(
            "clusters read tables with a row per point and votes for classes; a table with a row per vote, or with "
            "scores, is read on one machine (carob.LabelModel().fit(path); carob fit)."
        )
    first_rows = [0, *accumulate(table.sizes(decoder.columns))][:-1]

    def run(decoder: RowDecoder) -> ChunkDigest:
        return together(
            ChunkDigest.of_bytes(content, decoder.coding) for content in table.digests(decoder, first_rows, pairs)
        )

    return gathered(decoder, settings, run)[1]


@dataclass(frozen=True)
class Frames:
    """What every cluster offers for its data frames."""

    table: Callable[[Any], Table]  # makes a `Table` of a data frame, and refuses anything else

    def statistics(self, df: Any, **options: Any) -> Statistics:
        """Counts of pairs of outputs of all rows, in blocks; the options are those of `digest`."""
        found = self.digest(df, pairs=True, **options).statistics
        if found is None:
            raise TypeError("pairs were counted")
        return found

    def digest(
        self,
        df: Any,
        *,
        key: str | None = None,
        gold: str | None = None,
        sources: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        classes: Sequence[Label] | None = None,
        abstain: Abstains = None,
        pairs: bool = False,
        options: ReadOptions | None = None,
    ) -> Digest:
        """What a fit needs to know of all rows; the options are those of `carob.read_votes`.

        Parameters
        ----------
        df : data frame
            A row per point, a column per source.
        pairs : bool
            Count pairs of outputs, too.
        """
        stated = ReadOptions.of(options, key=key, gold=gold, sources=sources, drop=drop or None, abstain=abstain)
        return digest_table(self.table(df), stated, classes, Settings(), pairs)

    def fit(
        self,
        df: Any,
        model: LabelModel | None = None,
        *,
        key: str | None = None,
        gold: str | None = None,
        sources: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        options: ReadOptions | None = None,
    ) -> LabelModel:
        """Learn the sources from all rows of a data frame.

        Parameters
        ----------
        df : data frame
            A row per point, a column per source.
        model : LabelModel, optional
            How to learn; fitted and returned.
        key, gold, sources, drop, options
            As in `carob.read_votes`.
        """
        unfitted = LabelModel() if model is None else model
        settings = unfitted.settings()
        stated = ReadOptions.of(
            options, key=key, gold=gold, sources=sources, drop=drop or None, abstain=unfitted.abstain
        )
        stated = replace(stated, strict=settings.strict)
        return unfitted.fit(digest_table(self.table(df), stated, unfitted.classes, settings))


def chunk_bytes(batches: Iterable[Any], decoder: RowDecoder, first_row: int, pairs: bool) -> bytes:
    """A digest of the rows of a partition, which a worker sends."""
    whole = _NO_ROWS
    for batch in batches:
        if len(batch):
            chunk = decoder.digest(pa.Table.from_batches([batch]), first_row, pairs, whole.votes)
            whole = together([whole, chunk])
            first_row += len(batch)
    return whole.to_bytes(decoder.coding)


def merged_bytes(contents: Iterable[bytes], coding: Coding | None) -> bytes:
    """Digests of several partitions put together, by a worker in between."""
    filled = [chunk for chunk in (ChunkDigest.of_bytes(content, coding) for content in contents) if chunk.rows]
    return (together(filled) if filled else _NO_ROWS).to_bytes(coding)


def labeler(
    model: LabelModel, names: Sequence[str], key: str | None, keep: Sequence[str], leave_uncovered: bool
) -> tuple[list[str], Callable[[Iterable[Any], int], Iterator[Any]]]:
    """The columns that are read to label rows of a table, and what makes batches of labels of batches of rows."""
    sources, coding = model.source_model_.sources, model.fit_.coding
    decoder = replace(RowDecoder.of_model(sources, coding, ReadOptions(key=key)), keep=tuple(keep))
    missing = [name for name in decoder.columns if name not in names]
    if missing:
        raise InputError(f"there is no column {examples(missing)}; there are {examples(names)}.")
    learned = model.fit_

    def labels(batches: Iterable[Any], first_row: int) -> Iterator[Any]:
        for batch in batches:
            rows = pa.Table.from_batches([batch])
            votes = decoder.votes(rows, first_row)
            kept = {name: rows[name] for name in keep}
            columns = label_columns(votes, learned.posterior(votes), leave_uncovered, first_row, kept)
            yield from pa.table(columns).combine_chunks().to_batches()
            first_row += len(batch)

    return decoder.columns, labels
