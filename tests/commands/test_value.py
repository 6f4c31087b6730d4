from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from carob import data_value
from carob.commands.inputs import VotesFile
from carob.commands.progress import Stage
from carob.commands.value import value_votes
from carob.posterior.settings import Settings
from carob.read.table import Reading
from carob.value.advice import DataValue
from carob.value.votes_alone import VotesAlone


def test_the_same_as_from_python(votes_csv: Path) -> None:
    file = VotesFile(str(votes_csv), Reading(key="id", gold="y"))
    seen: list[tuple[Stage, int, int]] = []
    settings = Settings("mean", class_balance=0.5, symmetric=True, known_pairs=[("a", "b")], level=0.8, rng=1)
    found = value_votes(file, settings, progress=lambda *step: seen.append(step))
    votes = file.read()
    assert isinstance(found, DataValue)
    assert (found.n_unlabeled, found.n_gold, found.level) == (2_000, 300, 0.8)
    expected = data_value(
        votes,
        votes.gold,
        aggregate="mean",
        class_balance=0.5,
        symmetric=True,
        known_pairs=[("a", "b")],
        level=0.8,
        rng=1,
    )
    assert found.to_dict() == expected.to_dict()
    assert seen[:2] == [("reading", 0, 0), ("value", 0, 0)]
    assert seen[-1][1] == seen[-1][2] > 1


def test_risks_have_intervals_and_worth_is_what_a_gain_must_be(votes_csv: Path) -> None:
    file = VotesFile(str(votes_csv), Reading(key="id", gold="y"))
    found = value_votes(file, Settings(symmetric=True), worth=0.3)
    assert isinstance(found, DataValue)
    assert found.kind == "stop"
    assert found.equivalent_labels.low > 20
    for risk in found.risk.values():
        assert risk.low <= risk.value <= risk.high
    sizes = [row["n"] or 0 for row in found.curve]
    assert sizes == sorted(sizes)


@pytest.mark.slow
def test_copies_among_the_sources_call_for_a_fix(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 1_500)
    values = np.where(rng.random((1_500, 7)) < 0.72, truth[:, None], 1 - truth[:, None])
    for copy, of in ((1, 0), (3, 2)):
        values[:, copy] = np.where(rng.random(1_500) < 0.95, values[:, of], values[:, copy])
    path = tmp_path / "copies.csv"
    lines = [
        f"{','.join(map(str, row))},{y if i < 1_300 else ''}"
        for i, (row, y) in enumerate(zip(values, truth, strict=True))
    ]
    path.write_text("\n".join([",".join(f"s{i}" for i in range(7)) + ",y", *lines]) + "\n")
    found = value_votes(VotesFile(str(path), Reading(gold="y")), Settings(class_balance=0.5, symmetric=False))
    assert isinstance(found, DataValue)
    assert found.kind == "fix sources"
    assert found.decision.fix is not None
    assert found.decision.fix.gain.low > 0
    assert found.decision.fix in found.changes


def test_without_gold_it_cannot_tell(votes_csv: Path) -> None:
    found = value_votes(VotesFile(str(votes_csv), Reading(key="id", drop=("y",))), Settings())
    assert isinstance(found, VotesAlone)
    assert (found.kind, found.n_gold) == ("cannot tell", 0)
