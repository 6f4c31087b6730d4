"""A small table of votes, and what it means."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from carob import Votes

COLUMNS: dict[str, list[Any]] = {
    "id": ["a", "b", "c", "d"],
    "x": [0, 1, 1, 0],
    "y": [1, None, 0, 0],
    "z": [1, 1, None, 0],
    "gold": [1, None, None, 0],
}
WIDE = pa.table(COLUMNS)
EXPECTED = [[0, 1, 1], [1, -1, 1], [1, 0, -1], [0, 0, 0]]


def check(votes: Votes) -> None:
    """Assert that these are the votes of the table, with its keys and gold."""
    assert votes.values.tolist() == EXPECTED
    assert votes.sources == ("x", "y", "z")
    assert votes.classes == (0, 1)
    assert votes.keys is not None
    assert votes.keys.tolist() == ["a", "b", "c", "d"]
    assert votes.gold is not None
    assert votes.gold.values.tolist() == [1, -1, -1, 0]
