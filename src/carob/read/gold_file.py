"""Gold in a second table, matched by key: the labels of some points, and how likely each was to be picked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from carob._types import AnyArray, Bools, Floats
from carob.errors import InputError, examples
from carob.read.arrow import chance_column, keys, one_chunk, vote_column
from carob.read.streams import whole_table
from carob.read.table import ReadOptions
from carob.votes.columns import Column


@dataclass(frozen=True, eq=False)
class GoldFile:
    """Gold in a second table."""

    labels: Column  # a row per key
    keys: list[str]  # compared as text: one file may hold numbers where the other holds their digits
    chances: Floats | None  # how likely each was to be picked

    @classmethod
    def read(cls, options: ReadOptions, key: str | None) -> GoldFile:
        """From the table that a user names, by the key that it shares with the votes."""
        gold = options.gold
        if key is None:
            raise InputError(
                "gold in a second file is matched by key: name the column (key=; --key) that both files have."
            )
        table = whole_table(options.gold_file, [key], options.written)
        names = table.column_names
        if key not in names:
            raise InputError(f"the gold file has no column {key!r}; it has {examples(names)}.")
        if gold is None:
            others = [name for name in names if name not in (key, options.chance)]
            gold = "gold" if "gold" in others else others[0] if len(others) == 1 else None
            if gold is None:
                raise InputError(f"which column of the gold file is gold (gold=; --gold)? It has {examples(others)}.")
        for name in (gold, options.chance):
            if name is not None and name not in names:
                raise InputError(f"the gold file has no column {name!r}; it has {examples(names)}.")
        labels = vote_column(table[gold], f"gold column {gold!r}", options.abstain)
        texts = _texts(keys(table, key), "gold file")
        return cls(labels, texts, None if options.chance is None else chance_column(table, options.chance))

    def check_met(self, met: bool, points: AnyArray) -> None:
        """Refuse gold none of whose keys the votes have."""
        if not met:
            raise InputError(
                f"no key of the gold file ({examples(self.keys, 3)}) is a key of the votes "
                f"({examples([str(point) for point in points[:3].tolist()], 3)})."
            )


def joined_gold(
    points: AnyArray | None, options: ReadOptions, key: str | None, column: Any = None
) -> tuple[Column, Floats | None, bool]:
    """Gold of points with these keys, how likely they were to be picked, and whether one of the keys has gold.

    Where the gold file was read before, the points are some of all; otherwise all of them are here, and are checked.

    `column`: the keys once more, where they are at hand so.
    """
    gold = options.gold_file
    if points is not None and isinstance(gold, GoldFile):
        rows = np.flatnonzero(_in_file(pa.array(points.tolist()) if column is None else column, gold.keys))
        texts, n = _texts(points[rows], "votes"), len(points)
    else:
        gold = GoldFile.read(options, None if points is None else key)
        points = np.array([]) if points is None else points
        texts, rows, n = _texts(points, "votes"), np.arange(len(points)), len(points)
        gold.check_met(not {*gold.keys}.isdisjoint(texts), points)
    place = dict(zip(texts, rows.tolist(), strict=True))
    at = np.array([place.get(text, -1) for text in gold.keys], dtype=np.int64)
    cells = np.full(n, -1, dtype=gold.labels.cells.dtype)
    cells[at[at >= 0]] = gold.labels.cells[at >= 0]
    chances = None
    if gold.chances is not None:
        chances = np.full(n, np.nan)
        chances[at[at >= 0]] = gold.chances[at >= 0]
    return replace(gold.labels, cells=cells), chances, bool((at >= 0).any())


def _in_file(column: Any, gold_keys: Sequence[str]) -> Bools:
    """True where a key is among those of the gold file."""
    import pyarrow.compute as pc

    plain = one_chunk(column)
    if pa.types.is_integer(plain.type) or pa.types.is_string(plain.type) or pa.types.is_large_string(plain.type):
        texts = plain.cast(pa.large_string())
    else:
        texts = pa.array([str(key) for key in plain.to_numpy(zero_copy_only=False).tolist()], pa.large_string())
    return np.asarray(pc.is_in(texts, value_set=pa.array(gold_keys, pa.large_string())))


def _texts(points: AnyArray, what: str) -> list[str]:
    """Keys as text, each of which stands there once."""
    texts = [str(point) for point in points.tolist()]
    repeated = [text for text, count in Counter(texts).items() if count > 1]
    if repeated:
        raise InputError(f"keys occur more than once in the {what}: {examples(repeated)}. Each point has its own.")
    return texts
