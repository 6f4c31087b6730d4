"""What commands write: a label and probabilities for every point, and never over what they read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from karat._types import Floats, Ints, Label, Places
from karat.errors import InputError
from karat.io.coding import names_array
from karat.io.files import check_apart
from karat.votes import Votes

_BINS = 20  # of a histogram


@dataclass(frozen=True)
class LabelShare:
    """How often a class was given to a point.

    Parameters
    ----------
    label : str or int
        The class.
    points : int
        Points of which it is the most probable class.
    mean_probability : float
        Over all points.
    """

    label: Label
    points: int
    mean_probability: float


def label_shares(votes: Votes, probabilities: Floats, leave_uncovered: bool = False) -> tuple[LabelShare, ...]:
    """How often each class was given, from probabilities of shape (n, K), perhaps only to points with a vote."""
    given = probabilities[votes.number > 0] if leave_uncovered else probabilities
    guess = np.bincount(given.argmax(axis=1), minlength=len(votes.classes))
    return tuple(
        LabelShare(label, int(guess[k]), float(probabilities[:, k].mean())) for k, label in enumerate(votes.classes)
    )


@dataclass(frozen=True, eq=False)
class Histogram:
    """How sure labels are.

    Parameters
    ----------
    label : str, int or None
        The class whose probability is counted: the second of two; None where it is the largest of more.
    edges : array, shape (b + 1,)
    points : array of int, shape (b,)
        How many points have a probability between two edges.
    """

    label: Label | None
    edges: Floats
    points: Ints

    @classmethod
    def of(cls, votes: Votes, probabilities: Floats) -> Histogram:
        """From probabilities of shape (n, K)."""
        K = len(votes.classes)
        counted = probabilities[:, 1] if K == 2 else probabilities.max(axis=1)
        edges = np.linspace(0 if K == 2 else 1 / K, 1, _BINS + 1)
        points, _ = np.histogram(np.clip(counted, edges[0], 1), edges)
        return cls(votes.classes[1] if K == 2 else None, edges, points.astype(np.int64))


def label_columns(votes: Votes, probabilities: Floats, leave_uncovered: bool = False) -> dict[str, Any]:
    """The key or row number, the label, the probability of every class and the number of votes of each point.

    Parameters
    ----------
    leave_uncovered : bool
        Leave label and probabilities empty where a point has no vote.
    """
    empty = votes.number == 0 if leave_uncovered else None
    labels = names_array(votes.classes)[probabilities.argmax(axis=1)]
    named = {
        "label": pa.array(labels, mask=empty),
        **{f"p_{label}": pa.array(probabilities[:, k], mask=empty) for k, label in enumerate(votes.classes)},
        "n_votes": pa.array(votes.number),
    }
    return named_points(votes, np.arange(len(votes)), named)


def named_points(votes: Votes, rows: Places, columns: dict[str, Any]) -> dict[str, Any]:
    """Columns of what is told of points, with their key before them, or their row number from 1 where there is none."""
    key = votes.key_name or "key"
    identifier = {"row": rows + 1} if votes.keys is None else {key: votes.keys}
    if set(identifier) & set(columns):
        raise InputError(f"the key column {key!r} has the name of a column of what is written; rename it.")
    return identifier | columns


def check_different(*written: str | None) -> list[str]:
    """The files that will be written; two outputs into one are refused."""
    paths = [path for path in written if path is not None]
    for k, path in enumerate(paths):
        check_apart([path], paths[:k])
    return paths
