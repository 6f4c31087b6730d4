from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import csv

from carob import InputError
from carob.commands.inputs import VotesFile
from carob.commands.pick import pick_votes
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions


def test_keys_and_chances_are_written_and_can_be_read_beside_gold(votes_csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "to_label.csv"
    found = pick_votes(
        VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))), Settings(), 20, "labels", str(out)
    )
    table = csv.read_csv(out)
    assert table.column_names == ["id", "chance", "y"]
    assert table["y"].null_count == 20
    assert found.picked.keys is not None
    assert table["id"].to_pylist() == found.picked.keys.tolist()
    labeled = tmp_path / "labeled.csv"
    lines = out.read_text(encoding="utf-8").splitlines()
    answers = ["", *[str(i % 2) for i in range(20)]]
    labeled.write_text("\n".join(a + b for a, b in zip(lines, answers, strict=True)), encoding="utf-8")
    reading = ReadOptions(key="id", drop=("y",), gold="y", gold_file=str(labeled), chance="chance")
    votes = VotesFile(str(votes_csv), reading).read()
    assert votes.own_gold.chances is not None
    assert votes.own_gold.chances[votes.own_gold.known] == pytest.approx(found.picked.chances)
    again = pick_votes(VotesFile(str(votes_csv), reading), Settings(), 5, "estimate")
    assert (again.picked.n_gold, again.out) == (20, None)


def test_rows_are_written_where_there_is_no_key(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("a,b,c\n" + "0,1,1\n1,1,0\n0,0,1\n" * 9, encoding="utf-8")
    out = tmp_path / "rows.csv"
    found = pick_votes(VotesFile(str(file)), Settings(), 4, "estimate", str(out))
    assert csv.read_csv(out)["row"].to_pylist() == (found.picked.rows + 1).tolist()


def test_refusals_write_nothing(votes_csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "to_label.csv"
    file = VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",)))
    for n, text in ((0, "whole number from 1 on"), (2_001, "2,000 points have no gold; ask for fewer")):
        with pytest.raises(InputError, match=text):
            pick_votes(file, Settings(), n, "estimate", str(out))
    with pytest.raises(InputError, match="inputs and outputs must be different files"):
        pick_votes(file, Settings(), 5, "estimate", str(votes_csv))
    with pytest.raises(InputError, match="labels are written as"):
        pick_votes(file, Settings(), 5, "estimate", str(tmp_path / "x.txt"))
    assert not out.exists()
