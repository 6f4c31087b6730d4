"""Sets of votes with gold in a folder, and some of their gold to learn from.

A set is a Parquet file with a column `gold` (class index, -1 unknown), perhaps `split`, and a column per source (class
index, -1 no vote). It has as many classes as the largest index in votes and gold says.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet

import carob
from carob.errors import InputError
from carob.label.model import Mixture, learn_votes
from carob.posterior.settings import Settings
from carob.votes import Gold, GoldPoints, Votes

NO_SOURCES = ("gold", "split")


def files_of(folder: str | Path) -> list[Path]:
    """Every Parquet file of a folder, by name."""
    return sorted(Path(folder).glob("*.parquet"))


def read_set(file: Path) -> Votes:
    """Votes and gold of one file."""
    indices = [field for field in parquet.read_schema(file) if field.name != "split"]
    others = [f"{field.name!r} ({field.type})" for field in indices if not pa.types.is_integer(field.type)]
    if others:
        raise InputError(f"class indices are whole numbers; these columns hold something else: {', '.join(others)}.")
    table = parquet.read_table(file, columns=[field.name for field in indices])
    largest = max((compute.max(column).as_py() or 0 for column in table.columns), default=0)
    return carob.read_votes(table, gold="gold", classes=range(largest + 1), options=carob.ReadOptions(layout="wide"))


def readable(folder: str | Path, only: Sequence[str] | None = None) -> Iterator[tuple[str, Votes]]:
    """Sets of a folder, all or some, by name; why others are none goes to stderr."""
    for file in files_of(folder):
        if only and file.stem not in only:
            continue
        try:
            yield file.stem, read_set(file)
        except (InputError, ValueError, OSError) as error:
            print(f"{file.stem}: {str(error).splitlines()[0]}", file=sys.stderr)


def some_gold(votes: Votes, n: int, seed: int) -> tuple[Gold, Gold]:
    """Gold for n random points, and the rest of it."""
    truth = votes.own_gold.values
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(truth >= 0))
    parts = []
    for kept in (rows[:n], rows[n:]):
        values = np.full(len(votes), -1, dtype=np.int8)
        values[kept] = truth[kept]
        parts.append(Gold(values, votes.classes))
    return parts[0], parts[1]


def gold_balance(gold: Gold) -> list[float]:
    """The class balance of gold, with one point more of each class."""
    counts = gold.counts + 1.0
    return (counts / counts.sum()).tolist()


def votes_and_gold(votes: Votes, points: GoldPoints | None, settings: Settings) -> Mixture:
    """What gives the probabilities of the default fit, without all else that it finds."""
    truth = np.full(len(votes), -1, dtype=np.int8)
    if points is not None:
        truth[points.rows] = points.truth
    return learn_votes(votes, settings).with_gold(truth)
