"""Votes from files, queries, frames and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from carob._types import Abstains, Label
from carob.errors import InputError
from carob.read.table import ReadOptions
from carob.read.to_votes import coded_votes, table_coding, votes_from_array, votes_of_table
from carob.votes.coding import AS_WRITTEN, Coding
from carob.votes.columns import gold_column, is_sparse_matrix
from carob.votes.gold import Gold
from carob.votes.votes import Votes


def read_votes(
    source: Any,
    *,
    key: str | None = None,
    gold: str | None = None,
    sources: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    classes: Sequence[Label] | None = None,
    abstain: Abstains = None,
    by: str | None = None,
    options: ReadOptions | None = None,
) -> Votes:
    """Read votes, and gold where there is some.

    Parameters
    ----------
    source : str, path, data frame or Arrow object
        A Parquet, CSV, TSV, JSON-lines or Arrow file (CSV, TSV and JSON lines also as .gz), a folder of Parquet files
        or a pattern of their names, a query that DuckDB understands (it starts with SELECT, WITH or FROM), or a frame
        of any library that speaks Arrow: a row per point and a column per source, or a row per vote.
    key : str, optional
        The column that identifies points; of a row per vote, its task does.
    gold : str, optional
        The column of gold labels, in `source`, or in the gold file where there is one.
    sources : sequence of str, optional
        The sources, in this order; other columns are left alone.
    drop : sequence of str
        Columns (wide) or workers (long) that are no sources.
    classes, abstain
        The classes in order and the value, or values, that mean "no vote"; found from the data where not given.
    by : str, optional
        The column of the group that each point is in, for `carob.rate`.
    options : ReadOptions, optional
        What is rarely said: the layout, gold in a second file, other names of columns, how values are spelt, scores.

    Examples
    --------
    >>> frame = {"a": ["spam", "ham"], "b": ["spam", ""], "c": ["ham", "ham"], "truth": ["spam", ""]}
    >>> votes = read_votes(frame, gold="truth")
    >>> votes
    Votes(2 points, 3 sources, classes ham, spam)
    >>> votes.values.tolist(), votes.gold.values.tolist()
    ([[1, 1, 0], [0, -1, 0]], [1, -1])
    >>> read_votes({"a": ["Yes", "no"], "b": ["YES", "No"]}, options=ReadOptions(ignore_case=True)).classes
    ('no', 'yes')
    """
    stated = ReadOptions.of(
        options, key=key, gold=gold, sources=sources, drop=drop or None, abstain=abstain, by=by
    )  # fmt: skip
    return votes_of_source(source, stated, classes)


def votes_of_source(source: Any, options: ReadOptions, classes: Sequence[Label] | None, opened: Any = None) -> Votes:
    """Votes from a file, a query or a frame, with the coding that its values suggest.

    `opened`: all of the source, where it has been read before.
    """
    from carob.read.layouts import read_table  # loads pyarrow

    table = read_table(source, options, table=opened)
    gold_levels = () if table.gold is None else table.gold.levels
    coding = table_coding(table, gold_levels, classes, options.abstain, options.spelling)
    return votes_of_table(table, coding).directed()


def read_for_model(source: Any, sources: Sequence[str], coding: Coding, options: ReadOptions | None = None) -> Votes:
    """Votes to be labeled by a model with these sources and this coding.

    A worker of the model who is not in a long table did not vote.
    """
    from carob.read.layouts import read_table  # loads pyarrow

    asked = options or ReadOptions()
    own = ReadOptions(
        key=asked.key, task=asked.task, worker=asked.worker, label=asked.label, repeats=asked.repeats,
        written=asked.written,
    )  # fmt: skip
    own = replace(own.of_model(sources, coding), missing_workers_abstain=True)
    return votes_of_table(read_table(source, own, coding), coding)


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

    `columns`: names of the columns of an array that holds more than the sources.
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
