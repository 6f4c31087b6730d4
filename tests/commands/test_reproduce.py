from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from carob import InputError
from carob.commands.reproduce import ReproduceResult, reproduce_paper
from carob.paper.experiments.parts import Options


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ReproduceResult:
    return reproduce_paper("excess-error", Options(trials=10), str(tmp_path_factory.mktemp("paper") / "out"), jobs=2)


def test_numbers_beside_the_papers(result: ReproduceResult) -> None:
    numbers = result.numbers
    assert list(numbers) == ["comparison", "tables", "options", "out"]
    assert set(numbers["comparison"][0]) == {"figure", "panel", "curve", "n", "paper", "ours", "se"}
    assert len(numbers["comparison"]) == 70
    assert numbers["tables"] == {}


def test_what_is_written_is_what_was_found(result: ReproduceResult) -> None:
    out = Path(result.out)
    assert sorted(path.name for path in out.iterdir()) == ["comparison.csv", "numbers.json", "parts", "points.csv"]
    rows = list(csv.DictReader((out / "comparison.csv").read_text().splitlines()))
    assert [float(row["ours"]) for row in rows] == [row["ours"] for row in result.numbers["comparison"]]
    content = json.loads((out / "numbers.json").read_text())
    assert content["comparison"] == result.numbers["comparison"]
    points = list(csv.DictReader((out / "points.csv").read_text().splitlines()))
    assert len(points) == len(content["points"]) == len(result.found.points)


def test_folders_that_cannot_be_written_to_are_refused_before_the_work(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError, match="is a file; name a folder"):
        reproduce_paper("excess-error", Options(), str(file))
    (tmp_path / "taken" / "numbers.json").mkdir(parents=True)
    with pytest.raises(InputError, match="it is a folder"):
        reproduce_paper("excess-error", Options(), str(tmp_path / "taken"))
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["numbers.json"]
