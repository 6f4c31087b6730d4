"""The bench of labels on a tiny folder and on kinds of a file, without other libraries."""

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
from label_quality import carob_labels, dawid_skene
from pyarrow import parquet
from simulate import draw_votes, sample, symmetric_conditionals

from carob import Gold, LabelModel

SCRIPT = Path(__file__).parents[2] / "bench" / "label_quality.py"
KINDS = """
import numpy as np
def easy(rng):
    y = rng.integers(0, 2, 300)
    votes = np.where(rng.random((300, 5)) < 0.8, y[:, None], 1 - y[:, None])
    odds = (2 * votes - 1).sum(axis=1) * np.log(4)
    p = 1 / (1 + np.exp(-odds))
    return votes, y, np.stack([1 - p, p], axis=1)
KINDS = {"easy": easy}
"""


def run(*words: object) -> Any:
    command = [sys.executable, str(SCRIPT), *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True)


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
    write(found, "no_gold", [-1, -1], [0, 1], [1, 1])
    parquet.write_table(pa.table({"gold": [0, 1], "s": ["a", "b"]}), found / "words.parquet")
    return found


def test_known_answer_a_count_by_hand_and_draws_that_are_too_large(folder: Path) -> None:
    done = run(folder, "--gold", "0", "20", "--draws", "2", "--json")
    none, twenty = json.loads(done.stdout)
    rows = {row["set"]: row["scores"] for row in none["rows"]}
    right, loss, right_all, loss_all = rows["by_hand"]["count"]
    third = 2 / 3  # pseudo-votes of a class
    tie, wrong = math.log((1 + third) / 4), math.log(third / 4)
    assert (right, right_all) == (pytest.approx(0.25), pytest.approx((0.5 + 1 / 3) / 3))
    assert (loss, loss_all) == (pytest.approx(-(tie + wrong) / 2), pytest.approx(-(tie + wrong + math.log(1 / 3)) / 3))
    assert rows["plain"]["carob"][0] > 0.75
    assert [row["set"] for row in twenty["rows"]] == ["plain"]
    assert "no_gold" in done.stderr
    assert "'s' (string)" in done.stderr


def test_kinds_of_a_file_are_drawn_and_intervals_told(tmp_path: Path) -> None:
    (tmp_path / "kinds.py").write_text(KINDS)
    (told,) = json.loads(run("--kinds", tmp_path / "kinds.py", "--gold", "25", "--draws", "2", "--json").stdout)
    assert [row["set"] for row in told["rows"]] == ["easy", "easy"]
    assert told["rows"][0]["scores"]["oracle"][1] < told["rows"][0]["scores"]["count"][1]
    assert set(told["intervals"]["easy"]) == {"sources", "class balance", "right", "log loss"}


def test_tables_for_people_name_every_set(folder: Path) -> None:
    shown = run(folder, "--gold", "0", "--only", "plain").stdout
    assert "below the count by more than .02: 0" in shown
    assert "by_hand" not in shown


def test_labels_are_those_of_a_label_model() -> None:
    votes = sample(300, abstain=0.3)
    gold = np.where(np.arange(300) < 30, votes.own_gold.values, -1).astype(np.int8)
    model = LabelModel().fit(votes, Gold(gold, votes.classes))
    np.testing.assert_allclose(carob_labels(votes, None)(gold), model.predict_proba(votes), atol=1e-12)


def test_recovery_plain_dawid_skene_is_near_the_best_on_votes_that_fit_it() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 2_000, symmetric_conditionals([0.9, 0.8, 0.8, 0.7, 0.7]), [0.5, 0.5])
    p = dawid_skene(votes, np.full(2_000, -1, dtype=np.int8))
    assert (p.argmax(axis=1) == votes.own_gold.values).mean() > 0.9
