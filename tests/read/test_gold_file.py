from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tables import WIDE

from carob import InputError, ReadOptions, read_votes


def test_gold_file_refusals() -> None:
    votes = WIDE.drop_columns(["gold"])
    for options, text in [
        ({"gold_file": {"id": ["a"], "gold": [1]}}, "matched by key"),
        ({"key": "id", "gold_file": {"name": ["a"], "gold": [1]}}, "no column 'id'"),
        ({"key": "id", "gold_file": {"id": ["a"], "p": [1], "q": [1]}}, "which column"),
        ({"key": "id", "gold": "r", "gold_file": {"id": ["a"], "p": [1], "q": [1]}}, "no column 'r'"),
        ({"key": "id", "gold_file": {"id": ["zz"], "gold": [1]}}, "no key of the gold file"),
        ({"key": "id", "gold_file": {"id": ["a", "a"], "gold": [1, 0]}}, "more than once in the gold file: 'a'"),
        ({"key": "id", "gold_file": {"id": ["a"], "gold": [5]}}, "gold column 'gold' holds 5"),
    ]:
        with pytest.raises(InputError, match=text):
            read_votes(votes, options=ReadOptions(**options))  # type: ignore[arg-type]
    repeated = pa.concat_tables([votes, votes])
    with pytest.raises(InputError, match="more than once in the votes"):
        read_votes(repeated, key="id", options=ReadOptions(gold_file={"id": ["a"], "gold": [1]}))


def test_gold_of_a_second_file_is_added_to_that_of_the_votes() -> None:
    sources = {name: [0, 1] * 3 for name in ("s1", "s2", "s3")}
    table = {"id": list("abcdef"), **sources, "truth": [0, 1, 1, None, None, None]}
    more = {"id": ["c", "d"], "truth": [0, 1], "chance": [0.5, 0.25]}
    votes = read_votes(table, key="id", gold="truth", options=ReadOptions(gold_file=more, chance="chance"))
    assert votes.sources == ("s1", "s2", "s3")
    assert votes.gold is not None
    assert votes.gold.values.tolist() == [0, 1, 0, 1, -1, -1]
    assert votes.gold.chances is not None
    np.testing.assert_array_equal(votes.gold.chances[:4], [np.nan, np.nan, 0.5, 0.25])
