"""Dask: learn from a data frame of any size, and label it.

    from carob.engines import dask
    model = dask.fit(df, gold="y", key="id")
    dask.label(df, model, key="id").to_parquet("labels")

As with Spark, rows are numbered through all partitions in their order, and give the bits that a file gives. Work runs
where Dask runs it: in threads, or on the workers of the `distributed.Client` that is there. What a worker that dies was
doing is done again by another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa

from carob.engines.cluster import FAN, Frames, Table, chunk_bytes, labeler, merged_bytes
from carob.engines.row_decoder import RowDecoder
from carob.errors import InputError
from carob.model.label_model import LabelModel
from carob.read.streams import BATCH, files_of, parquet_stream


@dataclass(frozen=True, eq=False)
class _Frame:
    """A data frame of Dask as a table on a cluster."""

    df: Any

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.df.columns]

    def head(self, rows: int) -> Any:
        return _arrow(self.df.head(rows, npartitions=-1))

    def sizes(self, columns: Sequence[str]) -> list[int]:
        import dask

        # Dask puts small partitions together, and which depends on the columns that are read.
        return list(dask.compute(*(dask.delayed(len)(part) for part in self.df[list(columns)].to_delayed())))

    def digests(self, decoder: RowDecoder, first_rows: Sequence[int], pairs: bool) -> list[bytes]:
        import dask

        work, merge = dask.delayed(_digest), dask.delayed(merged_bytes)
        frames = self.df[decoder.columns].to_delayed()
        parts = [work(part, decoder, first, pairs) for part, first in zip(frames, first_rows, strict=True)]
        while len(parts) > FAN:
            parts = [merge(parts[low : low + FAN], decoder.coding) for low in range(0, len(parts), FAN)]
        return list(dask.compute(*parts))


def _digest(frame: Any, decoder: RowDecoder, first_row: int, pairs: bool) -> bytes:
    return chunk_bytes(_arrow(frame).to_batches(BATCH), decoder, first_row, pairs)


def _arrow(frame: Any) -> Any:
    """A data frame of pandas as an Arrow table; what it writes for nothing becomes an empty cell."""
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()


def label(
    df: Any, model: LabelModel, *, key: str | None = None, keep: Sequence[str] = (), leave_uncovered: bool = False
) -> Any:
    """A data frame of labels: key or row number, what is kept, label, probabilities, number of votes.

    Parameters
    ----------
    df : dask.dataframe.DataFrame
        A row per point, a column per source.
    key : str, optional
        The column that identifies points; rows are numbered from 1 where there is none.
    keep : sequence of str
        Columns to hand on.
    leave_uncovered : bool
        Give no label to points without a vote.
    """
    import dask
    import dask.dataframe as dd

    frame = _Frame(_checked(df))
    columns, labels = labeler(model, frame.names, key, keep, leave_uncovered)

    def work(part: Any, first_row: int) -> Any:
        rows = _arrow(part)
        batches = list(
            labels(rows.to_batches(BATCH) or [pa.RecordBatch.from_pylist([], schema=rows.schema)], first_row)
        )
        return pa.Table.from_batches(batches).to_pandas()

    wanted = df[columns]
    head = wanted.head(1, npartitions=-1)
    if not len(head):
        raise InputError("there are no points: the votes have zero rows.")
    parts = wanted.to_delayed()
    firsts = [0, *accumulate(frame.sizes(columns))][:-1] if key is None else [0] * len(parts)
    made = [dask.delayed(work)(part, first) for part, first in zip(parts, firsts, strict=True)]
    return dd.from_delayed(made, meta=work(head, 0).iloc[:0])


def table(df: Any) -> Table:
    """A data frame as a table on a cluster."""
    return _Frame(_checked(df))


_frames = Frames(table)
digest, fit, statistics = _frames.digest, _frames.fit, _frames.statistics


def read_parquet(path: str | Path, written: Sequence[str] = ()) -> Any:
    """Parquet files as a data frame, with rows in the order that carob reads them in, file after file."""
    try:
        import dask.dataframe as dd
    except ImportError as error:
        raise InputError(_MISSING) from error
    paths = files_of(path, written)
    parquet_stream(paths)  # which refuses files that do not fit together
    return dd.concat([dd.read_parquet(str(file), split_row_groups=True) for file in paths])


_MISSING = "Dask is not installed. Install it with carob: pip install 'carob[dask]'."


def _checked(df: Any) -> Any:
    if not hasattr(df, "to_delayed"):
        raise TypeError(f"df must be a data frame of Dask, not {type(df).__name__}.")
    return df
