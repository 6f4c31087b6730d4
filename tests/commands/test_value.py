from __future__ import annotations

from pathlib import Path

from carob import LabelModel, data_value
from carob.commands.inputs import VotesFile
from carob.commands.progress import Stage
from carob.commands.value import value_votes
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
