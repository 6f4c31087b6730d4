from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from run_carob import carob

from carob import InputError, LabelModel, check, read_votes
from carob.commands.check import CheckResult


def test_it_prints_what_the_command_prints(votes_csv: Path) -> None:
    votes = read_votes(votes_csv, key="id", gold="y")
    found = check(votes)
    assert isinstance(found, CheckResult)
    assert found.problems == ()
    printed = carob("check", votes_csv, "--key", "id", "--gold", "y").stdout
    assert printed.partition("\n\nNext:")[0] == str(found)
    assert repr(found) == str(found)


def test_arrays_gold_and_settings(votes_csv: Path) -> None:
    votes = read_votes(votes_csv, key="id", gold="y")
    found = check(votes.values, votes.own_gold.values, model=LabelModel(class_balance=0.5))
    assert found.data.n_gold == 300
    assert [share.value for share in found.class_balance] == [0.5, 0.5]
    without = check(votes.values, model=LabelModel(class_balance=0.5))
    assert without.data.n_gold is None
    with pytest.raises(InputError, match="level must be"):
        check(votes, model=LabelModel(level=2))


def test_problems_are_told_not_raised() -> None:
    values = np.array([[0, 1], [1, 1], [1, 0]])
    found = check(values, model=LabelModel("triplets"))
    assert str(found).startswith("Not ready: 1 thing to mend.")
    assert "Triplets need three sources" in str(found)
    assert check(values).problems == ()
    assert str(check(values)).startswith("Can be fitted, with 1 thing to look at first: 3 points, 2 sources")
