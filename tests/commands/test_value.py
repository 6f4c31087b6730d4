from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from carob import InputError, LabelModel, NotIdentifiedError, data_value, plan, rate
from carob.commands.inputs import VotesFile
from carob.commands.progress import Stage
from carob.commands.value import plan_purchase, rate_file, value_votes
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions
from carob.value.advice import DataValue
from carob.value.votes_alone import VotesAlone


def test_the_same_as_from_python(votes_csv: Path) -> None:
    file = VotesFile(str(votes_csv), ReadOptions(key="id", gold="y"))
    seen: list[tuple[Stage, int, int]] = []
    settings = Settings(class_balance=0.5, known_pairs=[("a", "b")], level=0.8, rng=1)
    found = value_votes(file, settings, progress=lambda *step: seen.append(step))
    votes = file.read()
    assert isinstance(found, DataValue)
    assert (found.n_unlabeled, found.n_gold, found.level) == (2_000, 300, 0.8)
    model = LabelModel(class_balance=0.5, known_pairs=[("a", "b")], level=0.8, rng=1)
    expected = data_value(votes, votes.gold, model=model)
    assert found.to_dict() == expected.to_dict()
    assert seen[:2] == [("reading", 0, 0), ("value", 0, 0)]
    assert seen[-1][1] == seen[-1][2] > 1


def test_risks_have_intervals_and_worth_is_what_a_gain_must_be(votes_csv: Path) -> None:
    file = VotesFile(str(votes_csv), ReadOptions(key="id", gold="y"))
    found = value_votes(file, Settings(), worth=0.3)
    assert isinstance(found, DataValue)
    assert found.kind == "stop"
    assert found.equivalent_labels.low > 10
    for score in found.scores:
        assert score.loss_low <= score.loss <= score.loss_high
    sizes = [row["n"] or 0 for row in found.curve]
    assert sizes == sorted(sizes)


def test_without_gold_it_cannot_tell(votes_csv: Path) -> None:
    found = value_votes(VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))), Settings())
    assert isinstance(found, VotesAlone)
    assert (found.kind, found.n_gold) == ("cannot tell", 0)


def test_a_plan_is_the_same_as_from_python(votes_csv: Path) -> None:
    file = VotesFile(str(votes_csv), ReadOptions(key="id", gold="y"))
    found = plan_purchase(file, Settings(level=0.8, rng=1), 0.5, 0.001, 40)
    votes = file.read()
    model = LabelModel(level=0.8, rng=1)
    expected = plan(votes, votes.gold, label_cost=0.5, point_cost=0.001, budget=40, model=model)
    assert found.to_dict() == expected.to_dict()
    assert 0 < found.cost <= 40
    assert found.risk_after < found.risk_before


def test_refusals_of_a_plan(votes_csv: Path) -> None:
    with pytest.raises(InputError, match="label_cost must be a number of 0 or more"):
        plan_purchase(VotesFile("nothing.csv"), Settings(), -1, 1, 5)  # before the file is looked for
    with pytest.raises(NotIdentifiedError, match="20 gold labels at least"):
        plan_purchase(VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))), Settings(), 1, 1, 5)


def test_the_same_as_from_python_with_groups_and_chances(votes_csv: Path, tmp_path: Path) -> None:
    lines = votes_csv.read_text(encoding="utf-8").splitlines()
    few = tmp_path / "few.csv"
    rows = [f"{line},{'ab'[i % 2]},{0.001 if i % 3 else ''}" for i, line in enumerate(lines[1:401])]
    few.write_text("\n".join([f"{lines[0]},system,chance", *rows]), encoding="utf-8")
    file = VotesFile(str(few), ReadOptions(key="id", gold="y", by="system", chance="chance"))
    found = rate_file(file, Settings(level=0.8))
    votes = file.read()
    assert not {"system", "chance"} & set(votes.sources)
    assert votes.gold is not None
    by, chances = np.arange(400) % 2, np.where(np.arange(400) % 3, 0.001, np.nan)
    expected = rate(votes, votes.gold, by=np.array(["a", "b"])[by], chances=chances, model=LabelModel(level=0.8))
    assert found.to_dict() == expected.to_dict()
    assert [group.group for group in found.groups] == ["a", "b"]


def test_refusals_of_a_rate(votes_csv: Path) -> None:
    with pytest.raises(InputError, match="there is no column 'nothing'"):
        rate_file(VotesFile(str(votes_csv), ReadOptions(key="id", gold="y", by="nothing")), Settings())
    with pytest.raises(InputError, match="a rate needs gold labels"):
        rate_file(VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))), Settings())
