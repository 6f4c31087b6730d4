"""Columns beside votes and gold: how likely a point was to be picked, and which group it is in."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob._types import AnyArray, Floats, Ints
from carob.errors import InputError
from carob.read.arrow import number_column
from carob.votes.coding import names_array


def chance_column(table: Any, name: str) -> Floats:
    """The chance of each row to be picked, NaN in an empty cell."""
    return number_column(table[name], f"column {name!r}", None).values


def group_column(table: Any, name: str) -> AnyArray:
    """The group that each row is in, as text, empty where none is named."""
    return names_array(["" if value is None else str(value) for value in table[name].to_pylist()])


def of_tasks(rows: AnyArray, point: Ints, tasks: list[Any], name: str) -> AnyArray:
    """The entry of every task, from a column that repeats it on every row of the task."""
    last = np.zeros(len(tasks), dtype=np.int64)
    last[point] = np.arange(len(point))
    found = rows[last]
    same = (rows == found[point]) | ((rows != rows) & (found != found)[point])
    if not same.all():
        at = tasks[point[np.argmin(same)]]
        raise InputError(f"column {name!r} gives task {at!r} two different entries; give each task one.")
    return np.asarray(found)
