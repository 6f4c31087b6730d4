"""What commands write: a label and probabilities for every point, and never over what they read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carob._types import Floats, Ints, Label
from carob.engines.labels import Chunk, label_columns
from carob.model.label_model import LabelModel
from carob.read.files import check_apart
from carob.votes import Votes

_BINS = 20  # of a histogram
_ONE = 1 << 52  # what a probability of 1 is as a whole number


@dataclass(frozen=True)
class LabelShare:
    """How often a class was given to a point."""

    label: Label  # the class
    points: int  # points of which it is the most probable class
    mean_probability: float  # over all points


class LabelCounter:
    """Counts labels part by part; the same whatever the parts.

    `leave_uncovered`: count no labels of points without a vote.
    """

    def __init__(self, classes: Sequence[Label], leave_uncovered: bool = False) -> None:
        K = len(classes)
        self._classes, self._leave_uncovered = classes, leave_uncovered
        self._given = np.zeros(K, dtype=np.int64)
        self._sums = [0] * K
        self._edges = np.linspace(0 if K == 2 else 1 / K, 1, _BINS + 1)
        self._bins = np.zeros(_BINS, dtype=np.int64)
        self.points = 0
        self.uncovered = 0

    def add(self, votes: Votes, probabilities: Floats) -> None:
        """Count points, from their probabilities, shape (n, K)."""
        nobody = votes.number == 0
        given = probabilities[~nobody] if self._leave_uncovered else probabilities
        self._given += np.bincount(given.argmax(axis=1), minlength=len(self._classes))
        for k, column in enumerate(probabilities.T):
            # As whole numbers, whose sum is the same in any order; a thousand at a time stay below 2^63.
            whole = np.rint(column * _ONE).astype(np.int64)
            self._sums[k] += sum(np.add.reduceat(whole, np.arange(0, len(whole), 1000)).tolist())
        counted = probabilities[:, 1] if len(self._classes) == 2 else probabilities.max(axis=1)
        self._bins += np.histogram(np.clip(counted, self._edges[0], 1), self._edges)[0]
        self.points += len(votes)
        self.uncovered += int(nobody.sum())

    @property
    def shares(self) -> tuple[LabelShare, ...]:
        """How often each class was given."""
        rows = zip(self._classes, self._given.tolist(), self._sums, strict=True)
        return tuple(LabelShare(label, given, total / (self.points * _ONE)) for label, given, total in rows)

    @property
    def histogram(self) -> Histogram:
        """How sure labels are."""
        return Histogram(self._classes[1] if len(self._classes) == 2 else None, self._edges, self._bins)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How sure labels are."""

    # the class whose probability is counted: the second of two; None where it is the largest of more
    label: Label | None
    edges: Floats  # shape (b + 1,)
    points: Ints  # shape (b,): how many points have a probability between two edges


def check_different(*written: str | None) -> list[str]:
    """The files that will be written; two outputs into one are refused."""
    paths = [path for path in written if path is not None]
    for k, path in enumerate(paths):
        check_apart([path], paths[:k])
    return paths


class Labels:
    """Labels of points, part by part.

    `leave_uncovered`: give no label to points without a vote.
    """

    def __init__(self, model: LabelModel, leave_uncovered: bool = False) -> None:
        self._model, self._leave_uncovered = model, leave_uncovered
        self.counter = LabelCounter(model.source_model_.classes, leave_uncovered)

    def add(self, votes: Votes) -> Floats:
        """The probabilities of some points, which are counted."""
        probabilities = self._model.predict_proba(votes)
        self.counter.add(votes, probabilities)
        return probabilities

    def columns(self, parts: Iterable[Chunk]) -> Iterator[dict[str, Any]]:
        """What is written of each part."""
        for part in parts:
            probabilities = self.add(part.votes)
            yield label_columns(part.votes, probabilities, self._leave_uncovered, part.first_row, part.kept)
