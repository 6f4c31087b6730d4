"""Long tables: a row per vote, of a worker on a task; those that are larger than memory are sorted by DuckDB on disk.

Tasks and workers are in the order in which they first occur, whole or sorted.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from carob._types import AnyArray, Floats, Ints
from carob.errors import InputError, examples
from carob.read.arrow import chance_column, group_column, identifiers, is_numeric, number_column, vote_column
from carob.read.gold_file import joined_gold
from carob.read.infer import guessed_scores
from carob.read.query import LOCKED
from carob.read.streams import BATCH, Stream
from carob.read.table import Entries, ReadOptions, VoteTable, pick
from carob.votes.columns import Column, names_array
from carob.votes.scales import Numbers, StatedKind


def read_long(table: Any, options: ReadOptions) -> VoteTable:
    """Votes of workers on tasks: all of a table, or all votes on some tasks."""
    for name in (*options.roles, *options.beside):
        if name not in table.column_names:
            raise InputError(
                f"there is no column {name!r}; the columns are {examples(table.column_names)}. A long table has a row "
                "per vote; name its columns (task=, worker=, label=; --long TASK WORKER LABEL)."
            )
    if table.num_rows == 0:
        raise InputError("there are no votes: the table has zero rows.")
    tasks, point = identifiers(table, options.task)
    workers, by = identifiers(table, options.worker)
    names = [str(name) for name in workers]
    if options.missing_workers_abstain:
        known = {*names}
        absent = [name for name in options.sources or () if name not in known]
        sources = pick([*names, *absent], options, "worker")
    else:
        names = worker_names(workers, options.worker, len(tasks), table.num_rows)
        sources = pick(names, options, "worker")
    votes, kind = _votes(table, options)
    rows = _one_vote_each(point, by, tasks, workers, options)
    place = {name: k for k, name in enumerate(sources)}
    source = np.array([place.get(name, -1) for name in names], dtype=np.int64)[by]
    rows = rows[votes.full[rows] & (source[rows] >= 0)]
    points = names_array(tasks)
    truth, chances, met = _gold(table, options, points, point, tasks)
    group = None if options.by is None else of_tasks(group_column(table, options.by), point, tasks, options.by)
    return VoteTable(
        len(tasks), tuple(sources), Entries(point[rows], source[rows], votes.take(rows)), points, truth,
        key_name=options.task, stated={} if kind.kind == "vote" else dict.fromkeys(sources, kind), chances=chances,
        by=group, met=met,
    )  # fmt: skip


def worker_names(workers: Sequence[Any], column: str, tasks: int, rows: int) -> list[str]:
    """Names of the workers of a long table with so many tasks and rows, refused where they cannot be that."""
    if len(workers) == rows >= 50 and tasks < rows:  # in so many rows some worker votes twice
        raise InputError(
            f"column {column!r} names a worker of its own in each of {rows:,} rows, so that nothing can be learned of "
            "any. Name the column of the workers (worker=; --long TASK WORKER LABEL)."
        )
    names = [str(name) for name in workers]
    if len(set(names)) < len(names):
        raise InputError("two workers have the same name once written as text; rename one.")
    return names


def _votes(table: Any, options: ReadOptions) -> tuple[Column | Numbers, StatedKind]:
    """The column of votes, or of scores where that is said, or where nothing else is possible."""
    column, label, where = table[options.label], options.label, f"column {options.label!r}"
    if options.scales:
        stated = next(iter(options.stated(list(options.scales)).values()))
    else:
        stated = options.stated([label]).get(label, StatedKind("vote"))
    if stated.kind != "vote":
        return number_column(column, where, options.abstain), stated
    try:
        return vote_column(column, where, options.abstain), stated
    except InputError:
        if options.scales or options.kinds or not is_numeric(column):
            raise
        try:
            scores = number_column(column, where, options.abstain)
        except InputError:
            scores = None
        kinds = {} if scores is None else guessed_scores({}, {label: scores}, [])
        if scores is None or label not in kinds:
            raise
        return scores, kinds[label]


def _one_vote_each(point: Ints, by: Ints, tasks: list[Any], workers: list[Any], options: ReadOptions) -> Ints:
    """Rows of a long table, one for every worker and task."""
    cell = point * len(workers) + by
    order = np.argsort(cell, kind="stable")
    same = cell[order][1:] == cell[order][:-1]
    if same.any() and options.repeats == "refuse":
        first = [(workers[by[i]], tasks[point[i]]) for i in order[1:][same][:3]]
        named = "; ".join(f"worker {w!r} on task {t!r}" for w, t in first)
        raise InputError(
            f"{int(same.sum()):,} votes repeat a worker on a task: {named}. A worker has one vote per task: keep the "
            "first or the last (repeats='first' or 'last'; --repeats first or last)."
        )
    return order[np.concatenate([[True], ~same] if options.repeats == "first" else [~same, [True]])]


def _gold(
    table: Any, options: ReadOptions, points: AnyArray, point: Ints, tasks: list[Any]
) -> tuple[Column | None, Floats | None, bool]:
    """Gold of every task, how likely it was to be picked, and whether some task is in the gold file."""
    if options.gold_file is not None:
        return joined_gold(points, options, options.task)
    if options.gold is None:
        return None, None, False
    rows = vote_column(table[options.gold], f"gold column {options.gold!r}", options.abstain)
    cells = np.full(len(tasks), -1, dtype=rows.cells.dtype)
    cells[point[rows.full]] = rows.cells[rows.full]
    clash = cells[point[rows.full]] != rows.cells[rows.full]
    if clash.any():
        at = tasks[point[rows.full][np.argmax(clash)]]
        raise InputError(f"gold column {options.gold!r} gives task {at!r} two different labels; give each task one.")
    chances: Floats | None = None
    if options.chance is not None:
        chances = of_tasks(chance_column(table, options.chance), point, tasks, options.chance)
    return replace(rows, cells=cells), chances, False


def of_tasks(rows: AnyArray, point: Ints, tasks: list[Any], name: str) -> AnyArray:
    """The entry of every task, from a column that repeats it on every row of the task."""
    last = np.zeros(len(tasks), dtype=np.int64)
    last[point] = np.arange(len(point))
    entries = rows[last]
    same = (rows == entries[point]) | ((rows != rows) & (entries != entries)[point])
    if not same.all():
        at = tasks[point[np.argmin(same)]]
        raise InputError(f"column {name!r} gives task {at!r} two different entries; give each task one.")
    return np.asarray(entries)


class SortedVotes:
    """A row per vote, sorted by task; parts hold all votes on their tasks.

    `stream`: the table as it is. `task` and `worker`: columns of it. `others`: further columns that are read.
    """

    def __init__(self, stream: Stream, task: str, worker: str, others: Sequence[str]) -> None:
        import duckdb

        names = list(dict.fromkeys([task, worker, *others]))
        self.name, self.task = stream.name, task
        self.schema = pa.schema([stream.schema.field(name) for name in names])
        place = Path(tempfile.mkdtemp(prefix="carob-"))
        limits = {"memory_limit": "512MB", "temp_directory": str(place / "spilled")}  # beyond which it goes to disk
        self._connection = duckdb.connect(str(place / "votes.duckdb"), config=LOCKED | limits)
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
