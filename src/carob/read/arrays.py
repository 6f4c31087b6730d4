"""Arrays and sparse matrices of votes as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from carob._types import Abstains, AnyArray, Bools
from carob.errors import InputError
from carob.read.coding import silent_numbers
from carob.read.table import Entries
from carob.votes.coding import Column
from carob.votes.scales import Numbers, StatedKind


def array_columns(values: AnyArray, empty: Bools | None, names: Sequence[str], abstain: Abstains) -> list[Column]:
    """A `Column` for every source."""
    return [
        Column.of(values[:, i], None if empty is None else empty[:, i], f"source {name!r}", abstain)
        for i, name in enumerate(names)
    ]


def scored_columns(
    values: AnyArray, empty: Bools | None, names: Sequence[str], abstain: Abstains, stated: Mapping[str, StatedKind]
) -> list[Column | Numbers]:
    """A column for every source, of scores where that is stated."""
    none = silent_numbers(abstain)
    cells: list[Column | Numbers] = []
    for i, name in enumerate(names):
        given = None if empty is None else empty[:, i]
        if name in stated and stated[name].kind != "vote":
            cells.append(Numbers.of(values[:, i], given, f"source {name!r}", none))
        else:
            cells += array_columns(values[:, i : i + 1], None if given is None else given[:, None], [name], abstain)
    return cells


def matrix_entries(matrix: Any, abstain: Abstains) -> tuple[tuple[int, int], Entries]:
    """Shape and stored votes of a SciPy sparse matrix; an entry that is not stored is an abstain."""
    coo = matrix.tocoo(copy=True)
    if len(coo.shape) != 2:
        raise InputError(f"a sparse matrix of votes has two axes; this one has shape {coo.shape}.")
    coo.sum_duplicates()  # as SciPy reads what is stored twice
    if matrix.format == "bsr":  # which fills up its blocks with zeros
        coo.eliminate_zeros()
    votes = Column.of(coo.data, None, "the sparse matrix", abstain)
    return coo.shape, Entries(coo.row.astype(np.int64), coo.col.astype(np.int64), votes)
