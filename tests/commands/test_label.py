from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import pytest

from carob import InputError
from carob.commands.fit import fit_votes
from carob.commands.inputs import VotesFile
from carob.commands.label import label_votes
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions


@pytest.fixture(scope="module")
def model_file(votes_csv: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.json"
    fit_votes(
        VotesFile(str(votes_csv), ReadOptions(key="id", gold="y")), Settings(class_balance=0.5), model_file=str(path)
    )
    return path


def test_the_points_it_learned_from_get_the_same_labels(votes_csv: Path, model_file: Path, tmp_path: Path) -> None:
    first, again = str(tmp_path / "first.csv"), str(tmp_path / "again.csv")
    fitted = fit_votes(VotesFile(str(votes_csv), ReadOptions(key="id", gold="y")), Settings(class_balance=0.5), first)
    found = label_votes(VotesFile(str(votes_csv), ReadOptions(key="id")), str(model_file), again)
    assert (found.n_points, found.classes, found.out) == (2_000, (0, 1), again)
    assert found.labels == fitted.labels
    assert Path(first).read_bytes() == Path(again).read_bytes()


def test_new_points(model_file: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "new.csv", tmp_path / "labels.csv"
    path.write_text("j,i,h,g,f,e,d,c,b,a,text\n" + ",".join("1" * 10) + ",x\n" + ",".join("0" * 10) + ",y\n")
    found = label_votes(VotesFile(str(path)), str(model_file), str(out))
    assert [share.points for share in found.labels] == [1, 1]
    labels = pyarrow.csv.read_csv(out)
    assert labels.column_names == ["row", "label", "p_0", "p_1", "n_votes"]
    assert labels["label"].to_pylist() == [1, 0]


def test_refusals_leave_nothing_behind(votes_csv: Path, model_file: Path, tmp_path: Path) -> None:
    other, damaged, out = tmp_path / "other.csv", tmp_path / "damaged.json", tmp_path / "labels.csv"
    other.write_text("a,b,c\n0,1,1\n")
    with pytest.raises(InputError, match="no column 'd'"):
        label_votes(VotesFile(str(other)), str(model_file), str(out))
    damaged.write_text(model_file.read_text()[:100])
    with pytest.raises(InputError, match="damaged"):
        label_votes(VotesFile(str(votes_csv), ReadOptions(key="id")), str(damaged), str(out))
    with pytest.raises(InputError, match="must be different files"):
        label_votes(VotesFile(str(other)), str(model_file), str(other))
    with pytest.raises(InputError, match="end the name in one"):
        label_votes(VotesFile(str(other)), str(model_file), str(tmp_path / "labels.txt"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["damaged.json", "other.csv"]
