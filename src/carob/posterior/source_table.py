"""The table of sources: what Snorkel's users know, and the estimated accuracy with its interval."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from carob._types import Floats, Ints, Label
from carob.read.model_file import plain
from carob.votes import GoldPoints, Votes
from carob.votes.counts import VoteCounts


@dataclass(frozen=True, eq=False)
class SourceTable:
    """One row per source, as columns."""

    source: list[str]
    polarity: list[list[Label]]  # the classes that the source votes for
    # coverage, overlaps, conflicts: shape (m,): shares of points on which the source votes; on which another
    # votes too; on which another votes differently
    coverage: Floats
    overlaps: Floats
    conflicts: Floats
    # correct, incorrect: shape (m,): votes on gold points; 0 without gold
    correct: Ints
    incorrect: Ints
    empirical_accuracy: Floats  # shape (m,): share of correct votes on gold points, NaN where there is none
    # accuracy, low, high: shape (m,): estimated probability that a vote is right, and its interval
    accuracy: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, votes: Votes, points: GoldPoints | None, accuracy: Floats, low: Floats, high: Floats) -> SourceTable:
        """Summarise votes and, where there is some, gold."""
        return cls.of_counts(votes.counts, points, accuracy, low, high)

    @classmethod
    def of_counts(
        cls, counts: VoteCounts, points: GoldPoints | None, accuracy: Floats, low: Floats, high: Floats
    ) -> SourceTable:
        """The same from counts of the votes, and the points with gold."""
        correct = incorrect = np.zeros(len(counts.sources), dtype=np.int64)
        if points is not None:
            correct = (points.votes.values == points.truth[:, None]).sum(axis=0)
            incorrect = (points.votes.values >= 0).sum(axis=0) - correct
        total = correct + incorrect
        empirical = np.where(total > 0, correct / np.maximum(total, 1), np.nan)
        polarity = [[counts.classes[v] for v in np.flatnonzero(by_class)] for by_class in counts.by_class]
        return cls(
            list(counts.sources), polarity, counts.number / counts.n, counts.shared / counts.n,
            counts.contradicted / counts.n, correct, incorrect, empirical, accuracy, low, high,
        )  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """The table as one dict of plain Python values per source; None for NaN."""
        columns = plain(asdict(self))
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_frame(self) -> Any:
        """The table as a data frame: pandas where it is installed, else polars, else an Arrow table."""
        columns = asdict(self)
        try:
            import pandas as pd
        except ImportError:
            pass
        else:
            return pd.DataFrame(columns)
        try:
            import polars as pl
        except ImportError:
            import pyarrow as pa

            return pa.table(columns)
        return pl.DataFrame(columns)
