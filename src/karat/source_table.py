"""The table of sources: what Snorkel's users know, and the estimated accuracy with its interval."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.io.coding import Label
from karat.io.plain import plain
from karat.source_model import Floats
from karat.votes import Gold, Votes

_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class SourceTable:
    """One row per source, as columns.

    Parameters
    ----------
    source : list of str
    polarity : list of lists
        The classes that the source votes for.
    coverage, overlaps, conflicts : arrays, shape (m,)
        Shares of points on which the source votes; on which another votes too; on which another votes differently.
    correct, incorrect : arrays of int, shape (m,)
        Votes on gold points; 0 without gold.
    empirical_accuracy : array, shape (m,)
        Share of correct votes on gold points, NaN where there is none.
    accuracy, low, high : arrays, shape (m,)
        Estimated probability that a vote is right, and its interval.
    """

    source: list[str]
    polarity: list[list[Label]]
    coverage: Floats
    overlaps: Floats
    conflicts: Floats
    correct: npt.NDArray[np.int64]
    incorrect: npt.NDArray[np.int64]
    empirical_accuracy: Floats
    accuracy: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, votes: Votes, gold: Gold | None, accuracy: Floats, low: Floats, high: Floats) -> SourceTable:
        """Summarise votes and, where there is some, gold."""
        n, m = votes.values.shape
        coverage, overlaps, conflicts = _summary(votes.values)
        correct = incorrect = np.zeros(m, dtype=np.int64)
        if gold is not None:
            values, truth = votes.values[gold.known], gold.values[gold.known]
            correct = (values == truth[:, None]).sum(axis=0)
            incorrect = (values >= 0).sum(axis=0) - correct
        total = correct + incorrect
        empirical = np.where(total > 0, correct / np.maximum(total, 1), np.nan)
        polarity = [[votes.classes[v] for v in np.unique(column) if v >= 0] for column in votes.values.T]
        return cls(
            list(votes.sources), polarity, coverage / n, overlaps / n, conflicts / n, correct, incorrect, empirical,
            accuracy, low, high,
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


def _summary(
    values: npt.NDArray[np.int8],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """On how many points each source votes, votes with another, votes against another."""
    counts = np.zeros((3, values.shape[1]), dtype=np.int64)
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        votes = block >= 0
        several = votes.sum(axis=1) >= 2
        # Where the votes on a point are not all the same, every vote has one that differs from it.
        largest = block.max(axis=1)
        smallest = np.where(votes, block, np.int8(127)).min(axis=1)
        for row, where in enumerate((None, several, several & (largest != smallest))):
            counts[row] += (votes if where is None else votes[where]).sum(axis=0)
    return counts[0], counts[1], counts[2]
