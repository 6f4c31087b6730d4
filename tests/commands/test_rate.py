from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from carob import InputError, LabelModel, rate
from carob.commands.inputs import VotesFile
from carob.commands.rate import rate_file
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions


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


def test_refusals(votes_csv: Path) -> None:
    with pytest.raises(InputError, match="there is no column 'nothing'"):
        rate_file(VotesFile(str(votes_csv), ReadOptions(key="id", gold="y", by="nothing")), Settings())
    with pytest.raises(InputError, match="a rate needs gold labels"):
        rate_file(VotesFile(str(votes_csv), ReadOptions(key="id", drop=("y",))), Settings())
