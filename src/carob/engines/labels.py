"""Labels of some points as columns, whoever labels them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from carob._types import Floats, Places
from carob.errors import InputError, examples
from carob.votes import Votes
from carob.votes.columns import names_array


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a table, to be labeled."""

    votes: Votes
    first_row: int = 0  # row number of the first, counted from 0
    kept: Mapping[str, Any] | None = None  # columns of the table that are handed on


def label_columns(
    votes: Votes,
    probabilities: Floats,
    leave_uncovered: bool = False,
    first_row: int = 0,
    kept: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The key or row number, the label, the probability of every class and the number of votes of each point.

    `leave_uncovered`: leave label and probabilities empty where a point has no vote. `first_row`: row number of the
    first of these points, counted from 0. `kept`: columns of the votes that are handed on.
    """
    empty = votes.number == 0 if leave_uncovered else None
    labels = names_array(votes.classes)[probabilities.argmax(axis=1)]
    named = {
        "label": pa.array(labels, mask=empty),
        **{f"p_{label}": pa.array(probabilities[:, k], mask=empty) for k, label in enumerate(votes.classes)},
        "n_votes": pa.array(votes.number),
    }
    again = sorted({*named} & {*(kept or {})})
    if again:
        raise InputError(f"{examples(again)} cannot be kept: labels have columns of these names (keep=; --keep).")
    return named_points(votes, np.arange(len(votes)) + first_row, {**(kept or {}), **named})


def named_points(votes: Votes, rows: Places, columns: dict[str, Any]) -> dict[str, Any]:
    """Columns of what is told of points, with their key before them, or their row number from 1 where there is none."""
    key = votes.key_name or "key"
    identifier = {"row": rows + 1} if votes.keys is None else {key: votes.keys}
    if set(identifier) & set(columns):
        raise InputError(f"the key column {key!r} has the name of a column of what is written; rename it.")
    return identifier | columns
