"""Votes from files, queries, frames and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from carob._types import Abstains, Label
from carob.errors import InputError
from carob.read.table import Layout, ReadOptions, Repeats
from carob.read.to_votes import coded_votes, table_coding, votes_from_array, votes_of_table
from carob.votes.arrays import gold_column, is_sparse_matrix
from carob.votes.coding import Coding
from carob.votes.gold import Gold
from carob.votes.spelling import AS_WRITTEN
from carob.votes.votes import Votes


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
    abstain: Abstains = None,
    ignore_case: bool = False,
    mapping: Mapping[str, Label] | None = None,
    strict: bool = False,
    kinds: Mapping[str, str] | str | None = None,
    chance: str | None = None,
    by: str | None = None,
) -> Votes:
    """Read votes, and gold where there is some.

    Parameters
    ----------
    source : str, path, data frame or Arrow object
        A Parquet, CSV, TSV, JSON-lines or Arrow file (CSV, TSV and JSON lines also as .gz), a folder of Parquet files
        or a pattern of their names, a query that DuckDB understands (it starts with SELECT, WITH or FROM), or a frame
        of any library that speaks Arrow.
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
        The classes in order and the value, or values, that mean "no vote"; found from the data where not given.
    ignore_case : bool
        Texts that differ only in case are the same; classes are then in lower case.
    mapping : mapping, optional
        Values, as text, and what to read instead of each: ``{"no.": "no"}``.
    strict : bool
        Refuse columns that are no votes (text, dates, identifiers, measurements) rather than set them aside.
    kinds : mapping of str, or str, optional
        What each column holds, or all of them do: "vote", "score" (a number, the higher the more it speaks for the
        last of two classes), "probability" (of that class), or a range of scores such as "0..10", outside which numbers
        are refused. Where nothing is said, votes, unless a column is plainly one of scores.
    chance : str, optional
        The column, beside gold, of how likely each gold point was to be picked, as `carob pick` writes it; empty cells
        are points that were chosen at random.
    by : str, optional
        The column of the group that each point is in, for `carob.rate`.

    Examples
    --------
    >>> frame = {"a": ["spam", "ham"], "b": ["spam", ""], "c": ["ham", "ham"], "truth": ["spam", ""]}
    >>> votes = read_votes(frame, gold="truth")
    >>> votes
    Votes(2 points, 3 sources, classes ham, spam)
    >>> votes.values.tolist(), votes.gold.values.tolist()
    ([[1, 1, 0], [0, -1, 0]], [1, -1])
    """
    reading = ReadOptions(
        layout, key, gold, gold_file, drop, sources, task=task, worker=worker, label=label, repeats=repeats,
        abstain=abstain, ignore_case=ignore_case, mapping=mapping, strict=strict, kinds=kinds, chance=chance, by=by,
    )  # fmt: skip
    return votes_of_source(source, reading, classes)


def votes_of_source(source: Any, reading: ReadOptions, classes: Sequence[Label] | None, opened: Any = None) -> Votes:
    """Votes from a file, a query or a frame, with the coding that its values suggest.

    Parameters
    ----------
    opened : Arrow table, optional
        All of the source, where it has been read before.
    """
    from carob.read.layouts import read_table  # loads pyarrow

    table = read_table(source, reading, table=opened)
    gold_levels = () if table.gold is None else table.gold.levels
    coding = table_coding(table, gold_levels, classes, reading.abstain, reading.spelling)
    return votes_of_table(table, coding).directed()


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
    written: Sequence[str] = (),
) -> Votes:
    """Read votes to be labeled by a model with these sources and this coding; the options are those of `read_votes`.

    A worker of the model who is not in a long table did not vote.
    """
    from carob.read.layouts import read_table  # loads pyarrow

    reading = ReadOptions(
        key=key, sources=sources, task=task, worker=worker, label=label, repeats=repeats,
        abstain=coding.abstain or None,
        missing_workers_abstain=True, ignore_case=coding.spelling.ignore_case, mapping=dict(coding.spelling.mapping),
        kinds="vote", scales=dict(coding.scales), written=written,
    )  # fmt: skip
    return votes_of_table(read_table(source, reading, coding), coding)


def as_votes(
    data: Any,
    *,
    classes: Sequence[Label] | None = None,
    abstain: Abstains = None,
    gold: Any = None,
    strict: bool = False,
) -> Votes:
    """Votes from whatever a user hands to the library; gold may settle how they are coded."""
    if isinstance(data, Votes):
        return data
    if not _is_table(data):
        return votes_from_array(data, classes=classes, abstain=abstain, gold=gold)
    from carob.read.layouts import read_table  # loads pyarrow

    table = read_table(data, ReadOptions(abstain=abstain, strict=strict))
    gold_levels = () if gold is None or isinstance(gold, Gold) else gold_column(gold, abstain).levels
    return votes_of_table(table, table_coding(table, gold_levels, classes, abstain, AS_WRITTEN)).directed()


def votes_for(data: Any, sources: tuple[str, ...], coding: Coding, columns: tuple[str, ...] | None = None) -> Votes:
    """Votes to be labeled by a model with these sources and this coding; columns of a table are found by name.

    Parameters
    ----------
    columns : tuple of str, optional
        Names of the columns of an array that holds more than the sources.
    """
    if isinstance(data, Votes):
        if data.classes != coding.classes:
            raise InputError(f"the votes have classes {data.classes} and the model has {coding.classes}.")
        return data.select(sources)
    if _is_table(data):
        return read_for_model(data, sources, coding)
    if columns is None or columns == sources:
        return coded_votes(data, sources, coding)
    try:
        width = np.shape(data)[1:]
    except ValueError:  # no rectangle, which is refused below
        width = ()
    return coded_votes(data, sources if width == (len(sources),) else columns, coding).select(sources)


def _is_table(data: Any) -> bool:
    # One kind of sparse matrix is a dict.
    return not is_sparse_matrix(data) and (isinstance(data, str | Path | dict) or hasattr(data, "__arrow_c_stream__"))
