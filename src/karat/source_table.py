"""The table of sources: what Snorkel's users know, and the estimated accuracy with its interval."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from karat._kernels.counting import add_by_kind
from karat._kernels.threads import in_threads
from karat._types import AnyArray, Codes, Floats, Ints, Label
from karat.io.plain import plain
from karat.votes import Gold, GoldPoints, Votes
from karat.votes.outputs import SILENT
from karat.votes.storage import Sparse

_BLOCK = 1 << 18


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
    correct: Ints
    incorrect: Ints
    empirical_accuracy: Floats
    accuracy: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, votes: Votes, gold: Gold | None, accuracy: Floats, low: Floats, high: Floats) -> SourceTable:
        """Summarise votes and, where there is some, gold."""
        n, m = len(votes), len(votes.sources)
        cast, overlaps, conflicts = _summary(votes)
        correct = incorrect = np.zeros(m, dtype=np.int64)
        if gold is not None:
            points = GoldPoints.of(votes, gold)
            correct = (points.votes.values == points.truth[:, None]).sum(axis=0)
            incorrect = (points.votes.values >= 0).sum(axis=0) - correct
        total = correct + incorrect
        empirical = np.where(total > 0, correct / np.maximum(total, 1), np.nan)
        polarity = [[votes.classes[v] for v in np.flatnonzero(by_class)] for by_class in cast]
        return cls(
            list(votes.sources), polarity, cast.sum(axis=1) / n, overlaps / n, conflicts / n, correct, incorrect,
            empirical, accuracy, low, high,
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


def _add_source(columns: Codes, kind: AnyArray, low: int, cast: Ints, i: int) -> None:
    add_by_kind(columns, kind, low, i, cast[i])


def _summary(votes: Votes) -> tuple[Ints, Ints, Ints]:
    """How often each source votes for each class, shape (m, K), with another source, and against one, shape (m,)."""
    m, K = len(votes.sources), len(votes.classes)
    storage = votes.storage
    cast = np.zeros((m, 3, K + 1), dtype=np.int64)  # on points with one vote, several that are the same, and others
    for low in range(0, len(votes), _BLOCK):
        high = min(low + _BLOCK, len(votes))
        tally = votes.tally(low, high)
        # Where the votes on a point are not all the same, every vote has one that differs from it.
        kind = ((tally.sum(axis=1) >= 2).astype(np.uint8) + ((tally > 0).sum(axis=1) >= 2)).astype(np.uint8)
        if isinstance(storage, Sparse):
            point, source, value = storage.entries(low, high)
            place = (source.astype(np.int64) * 3 + kind[point]) * (K + 1) + value + 1
            cast += np.bincount(place, minlength=cast.size).reshape(cast.shape)
        else:
            in_threads(partial(_add_source, storage.columns(0, len(votes)), kind, low, cast), m)
    spoken = cast[:, :, SILENT + 1 :]
    return spoken.sum(axis=1), spoken[:, 1:].sum(axis=(1, 2)), spoken[:, 2].sum(axis=1)
