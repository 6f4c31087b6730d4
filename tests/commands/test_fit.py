from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from carob import InputError, LabelModel, load
from carob.commands.fit import fit_votes
from carob.commands.inputs import VotesFile
from carob.commands.label import label_votes
from carob.posterior.settings import Method, Settings
from carob.read.table import ReadOptions


def wide(path: Path) -> VotesFile:
    return VotesFile(str(path), ReadOptions(key="id", gold="y"))


def with_gold(votes_csv: Path, gold: int, folder: Path) -> Path:
    """The same file with so many gold labels."""
    header, *lines = votes_csv.read_text().splitlines()
    kept = [line if i < gold else line.rpartition(",")[0] + "," for i, line in enumerate(lines)]
    path = folder / "votes.csv"
    path.write_text("\n".join([header, *kept]) + "\n")
    return path


def test_what_is_written(votes_csv: Path, tmp_path: Path) -> None:
    out, model_file = tmp_path / "labels.parquet", tmp_path / "model.json"
    settings = Settings(class_balance=0.5)
    found = fit_votes(wide(votes_csv), settings, str(out), str(model_file))
    assert (found.out, found.model_file) == (str(out), str(model_file))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.parquet", "model.json"]
    labels = pyarrow.parquet.read_table(out)
    assert labels.column_names == ["id", "label", "p_0", "p_1", "n_votes"]
    assert labels["id"].to_pylist()[:2] == ["p0", "p1"]
    p = labels["p_1"].to_numpy()
    assert np.array_equal(labels["label"].to_numpy(), (p > 0.5).astype(int))
    assert [share.points for share in found.labels] == [(p <= 0.5).sum(), (p > 0.5).sum()]
    votes = wide(votes_csv).read()
    direct = LabelModel(class_balance=0.5).fit(votes, votes.gold)
    np.testing.assert_array_equal(p, direct.predict_proba(votes)[:, 1])
    np.testing.assert_array_equal(load(model_file).predict_proba(votes)[:, 1], p)


def test_what_is_told(votes_csv: Path) -> None:
    found = fit_votes(wide(votes_csv), Settings(class_balance=0.5))
    assert (found.out, found.model_file) == (None, None)
    assert found.score is None  # it would be measured on gold that was learned from
    assert [score.name for score in found.scores] == ["majority vote", "votes alone", "gold alone", "votes and gold"]
    assert all(score.accuracy > 0.7 for score in found.scores)
    assert [share.label for share in found.class_balance] == [0, 1]
    assert "on 2,000 points, corrected by 300 gold labels." in found.explanation
    triplets = fit_votes(wide(votes_csv), Settings(method="triplets", class_balance=0.5))
    assert triplets.scores == ()
    assert triplets.score is not None
    assert triplets.score.points == 300
    assert triplets.score.accuracy > 0.7
    without = fit_votes(VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))), Settings(class_balance=0.5))
    assert (without.score, without.scores) == (None, ())
    assert not without.learned_from_gold


@pytest.mark.parametrize(
    ("method", "gold", "learned"),
    [
        ("consensus", 9, True),
        ("consensus", 10, True),
        ("triplets", 300, False),
        ("labeled", 300, True),
    ],
)
def test_whether_sources_were_learned_from_gold(
    method: Method, gold: int, learned: bool, votes_csv: Path, tmp_path: Path
) -> None:
    path = with_gold(votes_csv, gold, tmp_path)
    found = fit_votes(wide(path), Settings(method=method, class_balance=0.5))
    assert found.data.n_gold == gold
    assert found.learned_from_gold == learned


def test_a_gold_column_without_any_gold(votes_csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    header, *lines = votes_csv.read_text().splitlines()
    path.write_text("\n".join([header, *(line.rpartition(",")[0] + "," for line in lines)]) + "\n")
    found = fit_votes(wide(path), Settings(class_balance=0.5))
    assert (found.data.n_gold, found.score) == (0, None)


def test_a_point_where_all_abstain_gets_the_class_balance(votes_csv: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "votes.csv", tmp_path / "labels.csv"
    path.write_text(votes_csv.read_text() + "last" + "," * 11 + "\n")
    fit_votes(wide(path), Settings(class_balance=0.3), str(out))
    assert pyarrow.csv.read_csv(out)["p_1"][-1].as_py() == pytest.approx(0.3)


def test_refusals_come_before_anything_is_read(tmp_path: Path) -> None:
    missing = VotesFile(str(tmp_path / "nothing.csv"))
    there = str(tmp_path / "labels.csv")
    for out, model_file, text in (
        (str(tmp_path / "no" / "labels.csv"), None, "does not exist"),
        (None, str(tmp_path / "no" / "model.json"), "does not exist"),
        (str(tmp_path / "labels.txt"), None, "end the name in one"),
        (there, there, "must be different files"),
    ):
        with pytest.raises(InputError, match=text):
            fit_votes(missing, Settings(), out, model_file)
    with pytest.raises(InputError, match="there is no file"):
        fit_votes(missing, Settings(), there)
    assert list(tmp_path.iterdir()) == []


def test_a_key_with_the_name_of_a_label_column_writes_nothing(votes_csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(votes_csv.read_text().replace("id,", "p_1,", 1))
    with pytest.raises(InputError, match="rename it"):
        fit_votes(
            VotesFile(str(path), ReadOptions(key="p_1", gold="y")),
            Settings(),
            str(tmp_path / "l.csv"),
            str(tmp_path / "m.json"),
        )
    assert [file.name for file in tmp_path.iterdir()] == ["votes.csv"]


def test_points_without_a_vote_are_counted_and_may_stay_without_a_label(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (400, 1))
    votes = np.where(rng.random((400, 4)) < 0.8, truth, 1 - truth).astype(object)
    votes[:60] = ""
    path = tmp_path / "v.csv"
    path.write_text("a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in votes))
    out, model = tmp_path / "l.csv", tmp_path / "m.json"
    settings = Settings(class_balance=0.5, replicates=0)
    found = fit_votes(VotesFile(str(path)), settings, str(tmp_path / "all.csv"), str(model))
    assert found.data.n_uncovered == 60
    labeled = label_votes(VotesFile(str(path)), str(model), str(out), leave_uncovered=True)
    assert labeled.n_uncovered == 60
    assert sum(share.points for share in labeled.labels) == 340
    header, first, *rest = out.read_text().splitlines()
    assert (header, first) == ('"row","label","p_0","p_1","n_votes"', "1,,,,0")
    assert rest[-1].endswith(",4")
    assert (tmp_path / "all.csv").read_text().splitlines()[1] == "1,0,0.5,0.5,0"
