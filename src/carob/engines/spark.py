"""Spark: learn from a data frame of any size, and label it.

    from carob.engines import spark
    model = spark.fit(df, gold="y", key="id")
    spark.label(df, model, key="id").write.parquet("labels")

Rows are numbered through all partitions in their order; the same rows in the same order give the bits that a file or an
array in memory gives, however they are partitioned. Where an executor is lost Spark does its part again, and the
result is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa

from carob.engines.cluster import FAN, Frames, Table, chunk_bytes, labeler, merged_bytes
from carob.engines.row_decoder import RowDecoder
from carob.errors import InputError
from carob.model.label_model import LabelModel
from carob.read.streams import files_of, parquet_stream

_PART = "place long, part binary"


@dataclass(frozen=True, eq=False)
class _Frame:
    """A data frame of Spark as a table on a cluster."""

    df: Any

    @property
    def names(self) -> list[str]:
        return list(self.df.columns)

    def head(self, rows: int) -> Any:
        return self.df.limit(rows).toArrow()

    def sizes(self, columns: Sequence[str]) -> list[int]:
        some = self.df.select(f"`{columns[0]}`")  # partitions are those of all columns, and one is read sooner

        def count(batches: Iterator[Any]) -> Iterator[Any]:
            yield _row(_partition(), str(sum(map(len, batches))).encode())

        found = {row.place: int(row.part) for row in some.mapInArrow(count, _PART).collect()}
        return [found.get(place, 0) for place in range(max(found, default=-1) + 1)]

    def digests(self, decoder: RowDecoder, first_rows: Sequence[int], pairs: bool) -> list[bytes]:
        firsts, coding = list(first_rows), decoder.coding

        def digest(batches: Iterator[Any]) -> Iterator[Any]:
            place = _partition()
            yield _row(place // FAN, chunk_bytes(batches, decoder, firsts[place], pairs))

        def merge(key: Any, group: Any) -> Any:
            return pa.Table.from_batches([_row(key[0].as_py(), merged_bytes(group["part"].to_pylist(), coding))])

        parts = self.df.select(*(f"`{name}`" for name in decoder.columns)).mapInArrow(digest, _PART)
        if len(firsts) > FAN:
            parts = parts.groupBy("place").applyInArrow(merge, _PART)
        return [bytes(row.part) for row in parts.collect()]


def _partition() -> int:
    """The partition that a worker is at."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None:
        raise TypeError("this runs on a worker of Spark")
    return int(context.partitionId())


def _row(place: int, part: bytes) -> Any:
    return pa.record_batch({"place": pa.array([place], pa.int64()), "part": pa.array([part], pa.binary())})


def label(
    df: Any, model: LabelModel, *, key: str | None = None, keep: Sequence[str] = (), leave_uncovered: bool = False
) -> Any:
    """A data frame of labels: key or row number, what is kept, label, probabilities, number of votes.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        A row per point, a column per source.
    key : str, optional
        The column that identifies points; rows are numbered from 1 where there is none.
    keep : sequence of str
        Columns to hand on.
    leave_uncovered : bool
        Give no label to points without a vote.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    frame = _Frame(_checked(df))
    columns, labels = labeler(model, frame.names, key, keep, leave_uncovered)
    wanted = df.select(*(f"`{name}`" for name in columns))
    firsts = [0, *accumulate(frame.sizes(columns) if key is None else [])]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        yield from labels(batches, firsts[_partition()] if key is None else 0)

    head = list(labels(wanted.limit(1).toArrow().to_batches(), 0))
    if not head:
        raise InputError("there are no points: the votes have zero rows.")
    return wanted.mapInArrow(work, from_arrow_schema(head[0].schema))


def table(df: Any) -> Table:
    """A data frame as a table on a cluster."""
    return _Frame(_checked(df))


_frames = Frames(table)
digest, fit, statistics = _frames.digest, _frames.fit, _frames.statistics


def session(master: str | None = None) -> Any:
    """A session of Spark, started where there is none."""
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise InputError(_MISSING) from error
    builder = SparkSession.builder.appName("carob")
    if master is not None:
        builder = builder.master(master)
    return builder.getOrCreate()


def read_parquet(spark: Any, path: str | Path, written: Sequence[str] = ()) -> Any:
    """Parquet files as a data frame, with rows in the order that carob reads them in, file after file."""
    paths = files_of(path, written)
    parquet_stream(paths)  # which refuses files that do not fit together
    first, *others = (spark.read.parquet(str(file.resolve())) for file in paths)
    for other in others:
        first = first.union(other)
    return first


_MISSING = "Spark is not installed. Install it with carob: pip install 'carob[spark]'."


def _checked(df: Any) -> Any:
    if not hasattr(df, "mapInArrow"):
        raise TypeError(f"df must be a data frame of Spark, not {type(df).__name__}.")
    return df
