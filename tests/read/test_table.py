from __future__ import annotations

import numpy as np
import pytest

from carob import InputError
from carob.read.table import Entries, ReadOptions, VoteTable
from carob.votes.columns import Column


def test_levels_are_those_of_all_columns_or_of_all_votes() -> None:
    columns = [Column("a", [0, 1], np.array([0, 1])), Column("b", [1, 2], np.array([1, -1]))]
    assert VoteTable(2, ("a", "b"), columns, None, None).levels == {0, 1, 2}
    entries = Entries(np.array([0]), np.array([1]), Column("votes", ["x"], np.array([0])))
    assert VoteTable(2, ("a", "b"), entries, None, None).levels == {"x"}


def test_refusals() -> None:
    with pytest.raises(InputError, match="zero rows"):
        VoteTable(0, ("a",), [], None, None)
    with pytest.raises(InputError, match="no sources"):
        VoteTable(1, (), [], None, None)
    with pytest.raises(InputError, match="layout must be one of None, 'wide', 'long'"):
        ReadOptions(layout="tall")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="repeats must be one of"):
        ReadOptions(repeats="all")  # type: ignore[arg-type]
    assert ReadOptions(drop="text").drop == ("text",)
