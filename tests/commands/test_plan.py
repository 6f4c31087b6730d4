from __future__ import annotations

from pathlib import Path

import pytest

from carob import InputError, LabelModel, NotIdentifiedError, plan
from carob.commands.inputs import VotesFile
from carob.commands.plan import plan_purchase
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions


def test_the_same_as_from_python(votes_csv: Path) -> None:
    file = VotesFile(str(votes_csv), ReadOptions(key="id", gold="y"))
    found = plan_purchase(file, Settings(level=0.8, rng=1), 0.5, 0.001, 40)
    votes = file.read()
    model = LabelModel(level=0.8, rng=1)
    expected = plan(votes, votes.gold, label_cost=0.5, point_cost=0.001, budget=40, model=model)
    assert found.to_dict() == expected.to_dict()
    assert 0 < found.cost <= 40
    assert found.risk_after < found.risk_before


def test_refusals(votes_csv: Path) -> None:
    with pytest.raises(InputError, match="label_cost must be a number of 0 or more"):
        plan_purchase(VotesFile("nothing.csv"), Settings(), -1, 1, 5)  # before the file is looked for
    with pytest.raises(NotIdentifiedError, match="20 gold labels at least"):
        plan_purchase(VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))), Settings(), 1, 1, 5)
