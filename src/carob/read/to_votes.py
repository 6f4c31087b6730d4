"""Columns and arrays of votes become `Votes`, once it is known which values are classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from carob._types import ABSTAIN, Abstains, AnyArray, Bools, Codes, Label
from carob.errors import InputError
from carob.read.coding import find_coding, silent_numbers
from carob.read.table import Coded, Entries, VoteTable, check_size
from carob.votes import Votes
from carob.votes.coding import Coding, Spelling
from carob.votes.columns import Column, gold_column, is_sparse_matrix, rectangle, whole_array_levels
from carob.votes.scales import Numbers, StatedKind, stated_kinds
from carob.votes.storage import Dense, Sparse, is_sparse


def votes_from_array(
    array: Any,
    sources: Sequence[str] | None = None,
    *,
    classes: Sequence[Label] | None = None,
    abstain: Abstains = None,
    gold: Any = None,
    ignore_case: bool = False,
    mapping: Mapping[str, Label] | None = None,
    kinds: Mapping[str, str] | str | None = None,
) -> Votes:
    """Votes from a NumPy array, nested lists or a SciPy sparse matrix, a row per point, a column per source.

    In a sparse matrix an entry that is not stored is an abstain, and a stored 0 is a vote for 0. Columns of an
    array are votes unless `kinds` says otherwise, as in `carob.read_votes`.
    """
    spelling = Spelling.of(ignore_case, mapping)
    truth = None if gold is None else gold_column(gold, abstain)
    gold_levels = [] if truth is None else truth.levels
    if is_sparse_matrix(array):
        (n, m), entries = _matrix_entries(array, abstain)
        table = VoteTable(n, _names(sources, m), entries, None, truth)
    else:
        values, empty = rectangle(array)
        if values.ndim != 2:
            raise InputError(f"votes must have two axes, points and sources; this array has shape {values.shape}.")
        names = _names(sources, values.shape[1])
        check_size(*values.shape)
        stated = stated_kinds(kinds, names)
        if values.dtype.kind in "iu" and empty is None and not stated:
            coding = find_coding(whole_array_levels(values), gold_levels, classes, abstain, spelling)
            votes = coded_votes(values, names, coding).compact()
            return votes if truth is None else replace(votes, gold=votes.code_gold(truth))
        cells = _columns(values, empty, names, abstain, stated)
        table = VoteTable(len(values), names, cells, None, truth, stated=stated)
    return votes_of_table(table, table_coding(table, gold_levels, classes, abstain, spelling)).directed()


def coded_votes(array: Any, sources: tuple[str, ...], coding: Coding) -> Votes:
    """Votes from an array whose coding is known; values outside it are refused."""
    abstain, scales = coding.abstain or None, dict(coding.scales)
    values, empty, entries = array, None, None
    if is_sparse_matrix(array):
        shape, entries = _matrix_entries(array, abstain)
    else:
        values, empty = rectangle(array)
        shape = values.shape
    if len(shape) != 2 or shape[1] != len(sources):
        raise InputError(f"votes of shape {shape} do not fit {len(sources)} sources; a column per source is due.")
    if entries is not None:
        return votes_of_table(VoteTable(shape[0], sources, entries, None, None), coding)
    check_size(*shape)
    indices = coding.classes == tuple(range(len(coding.classes))) and not coding.spelling.mapping
    if values.dtype.kind in "iu" and empty is None and indices and scales.keys().isdisjoint(sources):
        # The values are the class indices already; nothing to look up, and an int8 array is not copied.
        low = ABSTAIN if coding.abstain == (ABSTAIN,) else 0
        if values.min() >= low and values.max() < len(coding.classes):
            return Votes(values.astype(np.int8, copy=False), sources, coding)
    stated = {name: scale.stated for name, scale in scales.items()}
    return votes_of_table(
        VoteTable(shape[0], sources, _columns(values, empty, sources, abstain, stated), None, None), coding
    )


def _columns(
    values: AnyArray, empty: Bools | None, names: Sequence[str], abstain: Abstains, stated: Mapping[str, StatedKind]
) -> list[Column | Numbers]:
    """A column for every source of an array, of scores where that is stated."""
    cells: list[Column | Numbers] = []
    for i, name in enumerate(names):
        gaps = None if empty is None else empty[:, i]
        if name in stated and stated[name].kind != "vote":
            cells.append(Numbers.of(values[:, i], gaps, f"source {name!r}", silent_numbers(abstain)))
        else:
            cells.append(Column.of(values[:, i], gaps, f"source {name!r}", abstain))
    return cells


def _matrix_entries(matrix: Any, abstain: Abstains) -> tuple[tuple[int, int], Entries]:
    """Shape and stored votes of a SciPy sparse matrix; an entry that is not stored is an abstain."""
    coo = matrix.tocoo(copy=True)
    if len(coo.shape) != 2:
        raise InputError(f"a sparse matrix of votes has two axes; this one has shape {coo.shape}.")
    coo.sum_duplicates()  # as SciPy reads what is stored twice
    if matrix.format == "bsr":  # which fills up its blocks with zeros
        coo.eliminate_zeros()
    votes = Column.of(coo.data, None, "the sparse matrix", abstain)
    return coo.shape, Entries(coo.row.astype(np.int64), coo.col.astype(np.int64), votes)


def votes_of_table(table: VoteTable, coding: Coding, sparse: bool | None = None) -> Votes:
    """Votes from a table whose coding is known; those of a long table are held sparsely, or where that is smaller.

    `sparse`: whether votes of a long table are held sparsely; where that is smaller, if not given.
    """
    cells: Codes | Dense | Sparse
    n, m = table.n, len(table.sources)
    if isinstance(table.cells, Coded):
        cells = Dense(table.cells.codes.T)
    elif isinstance(table.cells, Entries):
        votes_cast = table.cells.votes
        codes = coding.codes(votes_cast) if isinstance(votes_cast, Column) else coding.scales[0][1].codes(votes_cast)
        cells = Sparse.of_entries(n, m, table.cells.point, table.cells.source, codes)
        if not (is_sparse(len(cells.source), n, m) if sparse is None else sparse):
            cells = cells.columns(0, n).T
    else:
        scales = dict(coding.scales)
        cells = np.stack([
            coding.codes(column) if isinstance(column, Column) else scales[name].codes(column)
            for name, column in zip(table.sources, table.cells, strict=True)
        ]).T  # fmt: skip
    votes = Votes(cells, table.sources, coding, table.keys, None, table.messages, table.key_name, table.by)
    return votes if table.gold is None else replace(votes, gold=votes.code_gold(table.gold, table.chances))


def table_coding(
    table: VoteTable,
    gold: Iterable[Label],
    classes: Sequence[Label] | None,
    abstain: Abstains,
    spelling: Spelling,
) -> Coding:
    """The coding that the values of a table suggest; where all sources give scores, 0 and 1 unless gold has others."""
    scales = table.scales
    seen, truth = table.levels, set(gold)
    if scales and not seen:
        if classes is None and len(truth - {"", ABSTAIN}) < 2:
            classes = (0, 1)
        seen = truth
    coding = find_coding(seen, truth, classes, abstain, spelling)
    return replace(coding, scales=scales)


def _names(sources: Sequence[str] | None, m: int) -> tuple[str, ...]:
    if sources is not None and (isinstance(sources, str | bytes) or not isinstance(sources, Iterable)):
        raise TypeError(f"sources must be names, one per column, not {type(sources).__name__}.")
    names = tuple(map(str, sources)) if sources is not None else tuple(f"s{i}" for i in range(m))
    if len(names) != m:
        raise InputError(f"{len(names)} source names for {m} columns.")
    return names
