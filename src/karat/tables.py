"""Votes and gold out of tables, wide and long.

Everything becomes an Arrow table first (`karat.formats`), then `Votes`. A wide table has a row per point and a column
per source; a long one has a row per vote: task, worker, label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from karat.coding import Coding, Column, Label, find_coding, is_missing
from karat.errors import InputError, examples, one_of
from karat.formats import arrow_table
from karat.votes import Gold, Votes, check_size, gold_column

Layout = Literal["wide", "long"]
Repeats = Literal["refuse", "first", "last"]


def read_votes(
    source: Any,
    *,
    layout: Layout | None = None,
    key: str | None = None,
    gold: str | None = None,
    gold_file: Any = None,
    drop: Sequence[str] = (),
    sources: Sequence[str] | None = None,
    task: str = "task",
    worker: str = "worker",
    label: str = "label",
    repeats: Repeats = "refuse",
    classes: Sequence[Label] | None = None,
    abstain: Label | float | None = None,
) -> Votes:
    """Read votes, and gold where there is some.

    Parameters
    ----------
    source : str, path, data frame or Arrow object
        A Parquet, CSV, TSV, JSON-lines or Arrow file (CSV, TSV and JSON lines also as .gz), a query that
        DuckDB understands (it starts with SELECT, WITH or FROM), or a frame of any library that speaks Arrow.
    layout : {"wide", "long"}, optional
        Long where the columns named by `task`, `worker` and `label` are all there, otherwise wide.
    key : str, optional
        Wide: the column that identifies points. Long: `task` does.
    gold : str, optional
        The column of gold labels, in `source`, or in `gold_file` where that is given.
    gold_file : str, path, data frame or Arrow object, optional
        A table with the key and the gold label of some points.
    drop : sequence of str
        Columns (wide) or workers (long) that are no sources.
    sources : sequence of str, optional
        The sources, in this order; other columns are left alone.
    task, worker, label : str
        Column names of the long layout.
    repeats : {"refuse", "first", "last"}
        What to do where a worker votes twice on a task: refuse, or keep the first or the last vote.
    classes, abstain
        The classes in order and the value that means "no vote"; found from the data where not given.

    Examples
    --------
    >>> frame = {"a": ["spam", "ham"], "b": ["spam", ""], "c": ["ham", "ham"], "truth": ["spam", ""]}
    >>> votes = read_votes(frame, gold="truth")
    >>> votes
    Votes(2 points, 3 sources, classes ham, spam)
    >>> votes.values.tolist(), votes.gold.values.tolist()
    ([[1, 1, 0], [0, -1, 0]], [1, -1])
    """
    one_of("layout", layout, (None, *get_args(Layout)))
    one_of("repeats", repeats, get_args(Repeats))
    left_out = (drop,) if isinstance(drop, str) else tuple(drop)
    options = _Options(layout, key, gold, gold_file, left_out, sources, (task, worker, label), repeats)
    wide, truth = _read(source, options, abstain)
    coding = find_coding(wide.levels, () if truth is None else truth.levels, classes, abstain)
    return _coded(wide, truth, coding)


def read_for_model(
    source: Any,
    sources: Sequence[str],
    coding: Coding,
    *,
    key: str | None = None,
    task: str = "task",
    worker: str = "worker",
    label: str = "label",
    repeats: Repeats = "refuse",
) -> Votes:
    """Read votes to be labeled by a model with these sources and this coding; the options are those of `read_votes`.

    A worker of the model who is not in a long table did not vote.
    """
    options = _Options(None, key, None, None, (), sources, (task, worker, label), repeats, missing_workers_abstain=True)
    nan = next((value for value in coding.abstain if is_missing(value)), None)
    wide, _ = _read(source, options, nan)
    return _coded(wide, None, coding)


@dataclass(frozen=True)
class _Options:
    """How to read a table; see `read_votes`."""

    layout: Layout | None
    key: str | None
    gold: str | None
    gold_file: Any
    drop: tuple[str, ...]
    sources: Sequence[str] | None
    names: tuple[str, str, str]
    repeats: Repeats
    missing_workers_abstain: bool = False


def _read(source: Any, options: _Options, abstain: Label | float | None) -> tuple[_Wide, Column | None]:
    """The table sorted into sources, keys and gold, whichever its layout."""
    task, worker, label = options.names
    table = arrow_table(source, text=[name for name in (options.key, task, worker) if name])
    long = options.layout == "long" or (options.layout is None and {task, worker, label} <= set(table.column_names))
    gold = options.gold if options.gold_file is None else None
    if long and options.key not in (None, task):
        raise InputError(f"a long table is keyed by its column {task!r}; {options.key!r} is not needed (key=; --key).")
    if long:
        wide = _widen(table, options.names, options.repeats, gold, abstain)
        found = dict(wide.sources)
        if options.missing_workers_abstain:
            silent = Column("worker", [], np.full(wide.n, -1, dtype=np.int16))
            found |= {name: silent for name in options.sources or () if name not in found}
        picked = _pick(list(found), options.sources, options.drop, "worker")
        wide = replace(wide, sources={name: found[name] for name in picked})
    else:
        wide = _wide(table, options.key, gold, options.sources, options.drop, abstain)
    truth = wide.gold
    if options.gold_file is not None:
        truth = _joined_gold(wide, options.gold_file, task if long else options.key, options.gold, abstain)
    check_size(wide.n, len(wide.sources))
    _check_one_kind(wide.sources)
    return wide, truth


def _coded(wide: _Wide, truth: Column | None, coding: Coding) -> Votes:
    votes = Votes.of_columns(wide.sources.values(), tuple(wide.sources), coding, wide.keys)
    return votes if truth is None else replace(votes, gold=votes.code_gold(truth))


def _check_one_kind(columns: dict[str, Column]) -> None:
    """Refuse text beside numbers: it is a column of something else, or one class is misspelt."""
    kinds = {name: isinstance(column.levels[0], str) for name, column in columns.items() if column.levels}
    texts = [name for name, is_text in kinds.items() if is_text]
    if texts and len(texts) < len(kinds):
        values = examples(columns[texts[0]].levels[:3])
        raise InputError(
            f"{examples(texts)} hold{'s' if len(texts) == 1 else ''} text (such as {values}) and the other sources "
            "hold numbers. Leave out what is no source (drop=; --drop), or correct the values."
        )


def as_votes(
    data: Any, *, classes: Sequence[Label] | None = None, abstain: Label | float | None = None, gold: Any = None
) -> Votes:
    """Votes from whatever a user hands to the library; gold may settle how they are coded."""
    if isinstance(data, Votes):
        return data
    if not _is_table(data):
        return Votes.from_array(data, classes=classes, abstain=abstain, gold=gold)
    options = _Options(None, None, None, None, (), None, ("task", "worker", "label"), "refuse")
    wide, _ = _read(data, options, abstain)
    known = () if gold is None or isinstance(gold, Gold) else gold_column(gold, abstain).levels
    return _coded(wide, None, find_coding(wide.levels, known, classes, abstain))


def votes_for(data: Any, sources: tuple[str, ...], coding: Coding) -> Votes:
    """Votes to be labeled by a model with these sources and this coding; columns of a table are found by name."""
    if isinstance(data, Votes):
        if data.classes != coding.classes:
            raise InputError(f"the votes have classes {data.classes} and the model has {coding.classes}.")
        return data.select(sources)
    return read_for_model(data, sources, coding) if _is_table(data) else Votes.coded(data, sources, coding)


def _is_table(data: Any) -> bool:
    is_sparse_matrix = hasattr(data, "tocoo")  # of which one kind is a dict
    return not is_sparse_matrix and (isinstance(data, str | Path | dict) or hasattr(data, "__arrow_c_stream__"))


@dataclass(frozen=True)
class _Wide:
    """A table sorted into sources, keys and gold, before the coding is known."""

    n: int
    sources: dict[str, Column]
    keys: npt.NDArray[Any] | None
    gold: Column | None

    @property
    def levels(self) -> set[Label]:
        """All values that occur in the sources."""
        return {value for column in self.sources.values() for value in column.levels}


def _wide(
    table: Any,
    key: str | None,
    gold: str | None,
    sources: Sequence[str] | None,
    drop: Sequence[str],
    abstain: Label | float | None,
) -> _Wide:
    special = [name for name in (key, gold) if name is not None]
    names = _pick(table.column_names, sources, (*special, *drop), "column")
    return _Wide(
        table.num_rows,
        {name: _column(table[name], f"column {name!r}", abstain) for name in names},
        None if key is None else _keys(table, key),
        None if gold is None else _column(table[gold], f"gold column {gold!r}", abstain),
    )


def _pick(found: Sequence[str], sources: Sequence[str] | None, drop: Sequence[str], noun: str) -> list[str]:
    """The sources among what was found: those named, or all but the dropped ones."""
    for name in (*(sources or ()), *drop):
        if name not in found:
            raise InputError(f"there is no {noun} {name!r}; there are {examples(found)}.")
    return [name for name in (found if sources is None else sources) if name not in drop]


def _widen(
    table: Any, names: tuple[str, str, str], repeats: Repeats, gold: str | None, abstain: Label | float | None
) -> _Wide:
    """A row per task and a column per worker from a row per vote."""
    task, worker, label = names
    for name in (task, worker, label, *([gold] if gold else [])):
        if name not in table.column_names:
            raise InputError(
                f"there is no column {name!r}; the columns are {examples(table.column_names)}. A long table has a row "
                "per vote; name its columns (task=, worker=, label=; --task, --worker, --label)."
            )
    if table.num_rows == 0:
        raise InputError("there are no votes: the table has zero rows.")
    tasks, row = _levels(table, task)
    workers, col = _levels(table, worker)
    votes = _column(table[label], f"column {label!r}", abstain)
    cell = row.astype(np.int64) * len(workers) + col
    order = np.argsort(cell, kind="stable")
    same = cell[order][1:] == cell[order][:-1]
    if same.any() and repeats == "refuse":
        first = [(workers[col[i]], tasks[row[i]]) for i in order[1:][same][:3]]
        named = "; ".join(f"worker {w!r} on task {t!r}" for w, t in first)
        raise InputError(
            f"{int(same.sum()):,} votes repeat a worker on a task: {named}. A worker has one vote per task: keep the "
            "first or the last (repeats='first' or 'last'; --repeats first or last)."
        )
    keep = order[np.concatenate([[True], ~same]) if repeats == "first" else np.concatenate([~same, [True]])]
    cells = np.full((len(workers), len(tasks)), -1, dtype=votes.cells.dtype)
    cells[col[keep], row[keep]] = votes.cells[keep]
    columns = {str(name): _used(Column(f"worker {name!r}", votes.levels, cells[i])) for i, name in enumerate(workers)}
    if len(columns) < len(workers):
        raise InputError("two workers have the same name once written as text; rename one.")
    truth = None
    if gold is not None:
        per_row = _column(table[gold], f"gold column {gold!r}", abstain)
        spread = np.full(len(tasks), -1, dtype=per_row.cells.dtype)
        known = per_row.cells >= 0
        spread[row[known]] = per_row.cells[known]
        clash = spread[row[known]] != per_row.cells[known]
        if clash.any():
            at = tasks[row[known][np.argmax(clash)]]
            raise InputError(f"gold column {gold!r} gives task {at!r} two different labels; give each task one.")
        truth = replace(per_row, cells=spread)
    return _Wide(len(tasks), columns, np.array(tasks), truth)


def _used(column: Column) -> Column:
    """The same column with only the levels that occur in it."""
    used = np.unique(column.cells[column.cells >= 0])
    place = np.full(len(column.levels) + 1, -1, dtype=column.cells.dtype)
    place[used] = np.arange(len(used))
    return Column(column.where, [column.levels[i] for i in used], place[column.cells])


def _joined_gold(wide: _Wide, source: Any, key: str | None, gold: str | None, abstain: Label | float | None) -> Column:
    """Gold from a second table, matched by key."""
    if key is None or wide.keys is None:
        raise InputError("gold in a second file is matched by key: name the column (key=; --key) that both files have.")
    table = arrow_table(source, text=[key])
    if key not in table.column_names:
        raise InputError(f"the gold file has no column {key!r}; it has {examples(table.column_names)}.")
    if gold is None:
        others = [name for name in table.column_names if name != key]
        gold = "gold" if "gold" in others else others[0] if len(others) == 1 else None
        if gold is None:
            raise InputError(f"which column of the gold file is gold (gold=; --gold)? It has {examples(others)}.")
    if gold not in table.column_names:
        raise InputError(f"the gold file has no column {gold!r}; it has {examples(table.column_names)}.")
    column = _column(table[gold], f"gold column {gold!r}", abstain)
    # Compared as text: one file may hold numbers where the other holds their digits.
    ours, theirs = [str(point) for point in wide.keys.tolist()], [str(point) for point in _keys(table, key).tolist()]
    for points, what in ((ours, "votes"), (theirs, "gold file")):
        repeated = [point for point, count in Counter(points).items() if count > 1]
        if repeated:
            raise InputError(f"keys occur more than once in the {what}: {examples(repeated)}. Each point has its own.")
    place = {point: i for i, point in enumerate(ours)}
    at = np.array([place.get(point, -1) for point in theirs], dtype=np.int64)
    if not (at >= 0).any():
        raise InputError(
            f"no key of the gold file ({examples(theirs, 3)}) is a key of the votes ({examples(ours, 3)})."
        )
    cells = np.full(wide.n, -1, dtype=column.cells.dtype)
    cells[at[at >= 0]] = column.cells[at >= 0]
    return replace(column, cells=cells)


def _column(column: Any, where: str, abstain: Label | float | None) -> Column:
    """An Arrow column as a `Column`."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array(
            [_plain_text(chunk.dictionary).take(chunk.indices) for chunk in column.chunks] or [pa.nulls(0)]
        )
    kind = column.type
    if pa.types.is_null(kind):
        return Column(where, [], np.full(len(column), -1, dtype=np.int16))
    if _is_text(kind):
        coded = _encoded(_plain_text(column))
        cells = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return _trimmed(where, coded.dictionary.to_pylist(), cells)
    if pa.types.is_binary(kind):
        raise InputError(f"{where} holds bytes that are not UTF-8 text. Convert the file to UTF-8 first.")
    if not (pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise InputError(
            f"{where} is of type {kind}; a vote is a number, a boolean or text. Leave the column out (drop=; --drop), "
            "or name it as the key of the points (key=; --key)."
        )
    empty = column.is_null().to_numpy() if column.null_count else None
    filled = column.fill_null(pa.scalar(0).cast(kind)) if column.null_count else column
    return Column.of(filled.to_numpy(), empty, where, abstain)


def _plain_text(values: Any) -> Any:
    """Arrow text of any kind as the one kind that all of Arrow's functions take; other values as they are."""
    import pyarrow as pa

    return values.cast(pa.large_string()) if _is_text(values.type) else values


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return any(is_kind(kind) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _encoded(column: Any) -> Any:
    """A column as one array of places in a dictionary of its values."""
    import pyarrow as pa

    coded = column.combine_chunks().dictionary_encode()
    return coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded


def _trimmed(where: str, levels: list[str], cells: npt.NDArray[Any]) -> Column:
    """A column of text without the blanks around its values."""
    trimmed = [level.strip() for level in levels]
    distinct = list(dict.fromkeys(trimmed))
    place = np.array([*(distinct.index(level) for level in trimmed), -1], dtype=np.int32)
    return Column(where, list(distinct), place[cells])


def _levels(table: Any, name: str) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Distinct values of an identifier column in their first order, and which of them each row holds."""
    _check_identifier(table, name)
    coded = _encoded(table[name])
    if coded.null_count:
        raise InputError(f"column {name!r} is empty in {coded.null_count:,} rows; every row needs one.")
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)


def _check_identifier(table: Any, name: str) -> None:
    import pyarrow as pa

    if pa.types.is_nested(table[name].type):
        raise InputError(f"column {name!r} is of type {table[name].type}; an identifier is a number or text.")


def _keys(table: Any, name: str) -> npt.NDArray[Any]:
    _check_identifier(table, name)
    column = table[name]
    if column.null_count:
        raise InputError(f"key column {name!r} is empty in {column.null_count:,} rows; every point needs a key.")
    return np.asarray(column.to_numpy())
