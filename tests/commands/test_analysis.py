from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulate import draw_votes, symmetric_conditionals

from carob import InputError, LabelModel
from carob.commands.analysis import Analysis, Prices, analyse
from carob.commands.inputs import VotesFile
from carob.commands.report import report_votes
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions
from carob.value.advice import DataValue
from carob.value.plan import Plan
from carob.value.votes_alone import VotesAlone
from carob.votes import Gold, Votes


def some_votes(n_gold: int) -> Votes:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.8, 0.7, 0.75, 0.65, 0.7]), [0.5, 0.5])
    truth = np.where(np.arange(500) < n_gold, votes.own_gold.values, -1).astype(np.int8)
    return Votes(votes.values, votes.sources, votes.coding, gold=Gold(truth, votes.classes))


def test_all_parts_are_there_with_gold() -> None:
    stages: list[str] = []
    found: Analysis = analyse(some_votes(60), Settings(), lambda stage, done, total: stages.append(stage))
    assert found.labeled is not None
    assert found.labeled.alone is not None
    assert isinstance(found.value, DataValue)
    assert len(found.by_points) == 2  # 250 and 500
    assert found.spread is not None
    assert list(dict.fromkeys(stages)) == ["sources", "value", "points"]
    model = LabelModel().fit(found.votes, found.votes.gold)
    assert np.array_equal(found.labeled.probabilities, model.predict_proba(found.votes))
    plan = found.plan(Prices(2.0, 0.1, 50.0))
    assert isinstance(plan, Plan)
    assert plan.cost <= 50


def test_without_gold_there_is_no_plan() -> None:
    found = analyse(some_votes(0), Settings())
    assert isinstance(found.value, VotesAlone)
    assert found.labeled is not None
    assert found.labeled.alone is None
    assert found.plan(Prices()) is None


def test_what_cannot_be_weighed_says_why() -> None:
    found = analyse(some_votes(0), Settings(method="triplets"))
    assert found.value is None
    assert "method='triplets' is not weighed here" in found.no_value


def test_what_cannot_be_learned_has_problems() -> None:
    found = analyse(some_votes(0).select(["s0", "s1"]), Settings(method="triplets"))
    assert found.labeled is None
    assert found.check.problems


def test_prices_are_checked() -> None:
    with pytest.raises(InputError, match="budget must be a number of 0 or more"):
        Prices(budget=-1)


def test_a_report_of_a_file(votes_csv: Path) -> None:
    data = VotesFile(str(votes_csv), ReadOptions(key="id", drop=["y"]))
    result = report_votes(data, Settings(class_balance=0.5), Prices())
    assert result.name == str(votes_csv)
    assert result.plan is None
    assert len(result.analysis.votes) == 2_000
