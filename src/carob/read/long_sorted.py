"""Long tables that are larger than memory, sorted by DuckDB on disk: all votes on a task stand together.

Tasks and workers are in the order in which they first occur, as in a long table that is read whole.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from carob.read.streams import BATCH, Stream

_MEMORY = "512MB"  # that DuckDB takes before it goes to disk
_LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": _MEMORY,
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


class SortedVotes:
    """A row per vote, sorted by task; parts hold all votes on their tasks.

    Parameters
    ----------
    stream : Stream
        The table as it is.
    task, worker : str
        Columns of it.
    others : sequence of str
        Further columns that are read.
    """

    def __init__(self, stream: Stream, task: str, worker: str, others: Sequence[str]) -> None:
        import duckdb

        names = list(dict.fromkeys([task, worker, *others]))
        self.name, self.task = stream.name, task
        self.schema = pa.schema([stream.schema.field(name) for name in names])
        place = Path(tempfile.mkdtemp(prefix="carob-"))
        self._connection = duckdb.connect(
            str(place / "votes.duckdb"), config=_LIMITS | {"temp_directory": str(place / "spilled")}
        )
        weakref.finalize(self, _remove, self._connection, place)
        # Columns go by numbers, so that no name is part of a query.
        numbered = pa.schema([*(field.with_name(f"c{k}") for k, field in enumerate(self.schema)), ("row", pa.int64())])
        self._connection.register("given", pa.RecordBatchReader.from_batches(numbered, _rows(stream, names, numbered)))
        for step in (
            "CREATE TABLE votes AS SELECT * FROM given",
            "CREATE TABLE tasks AS SELECT c0 AS task, row_number() OVER (ORDER BY min(row)) AS point FROM votes "
            "GROUP BY c0",
            "CREATE TABLE sorted AS SELECT votes.*, point FROM votes JOIN tasks ON c0 IS NOT DISTINCT FROM task "
            "ORDER BY point, votes.row",
        ):
            self._connection.execute(step)
        self.workers: list[Any] = self._fetched("SELECT c1 FROM votes GROUP BY c1 ORDER BY min(row)")
        self.rows, self.votes = (self._fetched(f"SELECT count(*) FROM {of}")[0] for of in ("tasks", "votes"))  # noqa: S608 - names of our own
        self._connection.execute("DROP TABLE votes")

    def _fetched(self, query: str) -> list[Any]:
        return [value for (value,) in self._connection.execute(query).fetchall()]

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Record batches of some columns: all rows of some tasks."""
        reader = self._connection.cursor().sql("SELECT * FROM sorted").to_arrow_reader(BATCH)
        waiting = None
        for batch in reader:
            rows = pa.Table.from_batches([batch])
            rows = rows if waiting is None else pa.concat_tables([waiting, rows])
            points = rows["point"].to_numpy()
            if (np.diff(points) < 0).any():
                raise RuntimeError("DuckDB hands over rows in another order than it was asked for")
            last = int(np.searchsorted(points, points[-1]))
            if last:
                yield self._named(rows.slice(0, last), columns)
            waiting = rows.slice(last)
        if waiting is not None:
            yield self._named(waiting, columns)

    def _named(self, rows: Any, columns: Sequence[str]) -> Any:
        """Rows under the names and with the types that they came with."""
        names = self.schema.names
        found = {name: rows[f"c{names.index(name)}"].cast(self.schema.field(name).type) for name in columns}
        return pa.table(found).combine_chunks().to_batches()[0]


def _remove(connection: Any, folder: Path) -> None:
    """End the work on a database, and remove it."""
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)


def _rows(stream: Stream, names: Sequence[str], schema: Any) -> Iterator[Any]:
    """Batches with numbered columns and the number of each row."""
    first = 0
    for batch in stream.batches(names):
        rows = pa.array(np.arange(first, first + len(batch), dtype=np.int64))
        yield pa.RecordBatch.from_arrays([*batch.columns, rows], schema=schema)
        first += len(batch)
