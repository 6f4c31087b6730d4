"""The bench of labels on a tiny folder, without other libraries."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from simulate import draw_votes, symmetric_conditionals

SCRIPT = Path(__file__).parents[2] / "bench" / "label_quality.py"


def write(folder: Path, name: str, gold: Any, *columns: Any) -> None:
    sources = {f"s{i}": pa.array(column, pa.int8()) for i, column in enumerate(columns)}
    parquet.write_table(pa.table({"gold": pa.array(gold, pa.int8()), **sources}), folder / f"{name}.parquet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("sets")
    votes = draw_votes(np.random.default_rng(0), 400, symmetric_conditionals([0.8, 0.7, 0.75, 0.65]), [0.5, 0.5])
    write(found, "plain", votes.own_gold.values, *votes.values.T)
    # A tie, two votes for a wrong class, a silent point, a point without gold; class 1 is nobody's vote.
    write(found, "by_hand", [0, 2, 2, -1], [0, 0, -1, 2], [2, 0, -1, 2])
    write(found, "one_source", [0, 1] * 10, [0, 1] * 9 + [-1, 0])
    write(found, "no_gold", [-1, -1], [0, 1], [1, 1])
    parquet.write_table(pa.table({"gold": [0, 1], "s": ["a", "b"]}), found / "words.parquet")
    return found


@pytest.fixture(scope="module")
def report(folder: Path) -> Any:
    words = [sys.executable, str(SCRIPT), str(folder), "--gold", "0", "20", "--draws", "2", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def table(report: Any, gold: int, balance: str) -> Any:
    return next(found for found in report["tables"] if (found["gold"], found["balance"]) == (gold, balance))


def test_sets_that_cannot_be_read_are_named(report: Any) -> None:
    assert list(report["skipped"]) == ["no_gold", "words"]
    assert "'s' (string)" in report["skipped"]["words"]
    assert report["sets"]["by_hand"] == {"points": 4, "gold": 3, "sources": 2, "classes": 3}


def test_counts_of_votes_are_those_by_hand(report: Any) -> None:
    found = table(report, 0, "given")["results"]["by_hand"]
    # The balance is (2, 1, 3) / 6, so the classes have 1, 1/2 and 3/2 votes more; the tie goes to class 2.
    loss = -(math.log(2 / 5) + math.log(1.5 / 5) + math.log(1.5 / 3)) / 3
    for method in ("majority", "smoothed"):
        assert found[method]["accuracy"] == pytest.approx(1 / 3)
        assert found[method]["log_loss"] == pytest.approx(loss)
    uniform = table(report, 0, "estimated")["results"]["by_hand"]["smoothed"]
    assert uniform["log_loss"] == pytest.approx(-(math.log(2 / 5) + math.log(1 / 5) + math.log(1 / 3)) / 3)


def test_carob_is_scored_where_it_answers_and_said_to_refuse_elsewhere(report: Any) -> None:
    for balance in ("given", "estimated"):
        for gold in (0, 20):
            found = table(report, gold, balance)
            assert found["results"]["plain"]["carob"]["accuracy"] > 0.75
            assert found["means"]["K = 2"]["carob"]["sets"] == (1 if gold else 2)
    given = table(report, 0, "given")
    assert given["refused"]["carob"] == []  # the default answers on one source, and on three classes of four points
    for name in ("plain", "by_hand", "one_source"):
        assert given["results"][name]["carob"]["status"] == "ok"
    assert "labeled" not in given["results"]["plain"]


def test_a_draw_larger_than_half_of_the_gold_is_left_out(report: Any) -> None:
    found = table(report, 20, "given")
    assert list(found["left_out"]) == ["by_hand", "one_source"]
    assert found["results"]["plain"]["labeled"]["status"] == "ok"


def test_tables_for_people_name_every_set(folder: Path) -> None:
    words = [sys.executable, str(SCRIPT), str(folder), "--gold", "0", "--balance", "given", "--only", "plain", "words"]
    shown = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert "worst against smoothed majority vote: log loss" in shown
    assert "cannot be read: words" in shown
    assert "by_hand" not in shown
