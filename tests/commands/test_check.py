from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulate import contradicting_votes

from carob import InputError
from carob.commands.check import check_file
from carob.commands.inputs import VotesFile
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions


def test_healthy_votes(votes_csv: Path) -> None:
    found = check_file(VotesFile(str(votes_csv), ReadOptions(key="id", gold="y")), Settings())
    assert (found.data.n_points, found.data.n_gold, found.data.classes) == (2_000, 300, (0, 1))
    assert str(found.data.coding) == "classes 0, 1; -1 or an empty cell is an abstain"
    assert found.data.sources.source == list("abcdefghij")
    assert found.data.level == 0.9
    assert (found.problems, found.identified, found.pairs) == ((), True, ())
    balance = found.class_balance[1]
    assert balance.label == 1
    assert balance.low < balance.value < balance.high


def test_everything_that_keeps_it_from_fitting_is_listed(tmp_path: Path) -> None:
    rows = [[i % 2, i % 2, i % 3 % 2, 1] for i in range(300)]
    path = tmp_path / "sick.csv"
    path.write_text("a,copy,b,same,silent\n" + "".join(",".join(map(str, row)) + ",\n" for row in rows))
    found = check_file(VotesFile(str(path)), Settings(method="triplets", strict=True))
    assert len(found.problems) == 3
    assert [word in " ".join(found.problems) for word in ("'silent'", "'same'", "('a', 'copy')")] == [True] * 3
    assert found.identified
    assert found.class_balance == ()
    assert np.isnan(found.data.sources.accuracy).all()
    assert found.data.sources.coverage.tolist() == [1, 1, 1, 1, 0]
    named = check_file(
        VotesFile(str(path), ReadOptions(drop=("same", "silent"))),
        Settings(method="triplets", known_pairs=[("a", "copy")], strict=True),
    )
    assert not [problem for problem in named.problems if "copy" in problem and "identically" in problem]


def test_few_points_for_many_sources(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("a,b,c\n0,1,1\n1,0,0\n")
    assert check_file(VotesFile(str(path)), Settings()).problems == ()
    found = check_file(VotesFile(str(path)), Settings(method="triplets"))
    assert found.problems == ("2 points for 3 sources: bring more points, or is the table transposed?",)


def test_sound_input_that_cannot_tell(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    np.savetxt(path, contradicting_votes().values, "%d", ",", header="a,b,c", comments="")
    assert check_file(VotesFile(str(path)), Settings(class_balance=0.5)).problems == ()
    found = check_file(VotesFile(str(path)), Settings(method="triplets", class_balance=0.5))
    assert not found.identified
    assert len(found.problems) == 1
    assert "no triplet can be used for" in found.problems[0]


def test_gold_alone_asks_nothing_of_triplets(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("a,b,y\n0,1,0\n1,1,1\n1,0,1\n0,0,0\n")
    found = check_file(VotesFile(str(path), ReadOptions(gold="y")), Settings(method="labeled"))
    assert found.problems == ()
    assert (found.data.sources.accuracy > 0.5).any()


def test_sources_that_copy_each_other(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 3_000)
    values = np.where(rng.random((3_000, 6)) < 0.75, truth[:, None], 1 - truth[:, None])
    values[:, 1] = np.where(rng.random(3_000) < 0.8, values[:, 0], values[:, 1])
    path = tmp_path / "copies.csv"
    np.savetxt(path, values, "%d", ",", header="a,b,c,d,e,f", comments="")
    settings = Settings(class_balance=0.5)
    (pair,) = check_file(VotesFile(str(path)), settings).pairs
    assert (pair.first, pair.second) == ("a", "b")
    known = check_file(VotesFile(str(path)), Settings(class_balance=0.5, known_pairs=[("a", "b")]))
    assert known.pairs == ()


def test_refusals_are_those_of_a_fit(votes_csv: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="learns from gold labels"):
        check_file(VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))), Settings(method="labeled"))
    sick = tmp_path / "sick.csv"
    sick.write_text("a,b\n0,1\n1,1\n")
    with pytest.raises(InputError, match="level must be between 0 and 1"):
        check_file(VotesFile(str(sick)), Settings(level=2))
