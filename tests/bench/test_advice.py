"""The measure of advice, cut down: one small set, one number of gold labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from advice import advised, flips, summary
from label_quality import VoteSet, read_folder
from pyarrow import parquet
from sets import some_gold

from carob import LabelModel
from carob.posterior.losses import score


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> VoteSet:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    values = np.where(rng.random((500, 4)) < [0.8, 0.75, 0.7, 0.65], truth[:, None], 1 - truth[:, None])
    folder: Path = tmp_path_factory.mktemp("sets")
    parquet.write_table(
        pa.table({"gold": truth, **{f"s{i}": values[:, i] for i in range(4)}}), folder / "small.parquet"
    )
    sets, skipped = read_folder(str(folder), None)
    assert skipped == {}
    return sets[0]


@pytest.mark.slow
def test_what_is_told_is_held_against_hidden_gold(data: VoteSet) -> None:
    rows = list(advised(data, 60, [0.5, 0.5], 2))
    assert len(rows) == 2
    drawn, rest = some_gold(data.votes, 60, 1)
    model = LabelModel(class_balance=0.5).fit(data.votes, drawn)
    assert rows[1]["risk"]["combined"]["true"] == pytest.approx(score(model.predict_proba(data.votes), rest).loss)
    told = summary(rows, [], {"small": flips(data, 0.5)})
    assert 0 <= told["risk, combined"]["covered"] <= 1
    assert 0 <= told["risk, combined"]["plain cross-validation covered"] <= 1
    assert told["risk, combined"]["worst set"][::2] == ["small", 2]
    losses = np.array([[part["true"] for part in row["risk"].values()] for row in rows]).mean(axis=0)
    worse = told["worse than the better part"]["by more than .005, by means over draws"]
    assert worse == (losses[0] - losses.min() > 0.005)
    assert told["f"]["two-sided"] + told["f"]["one-sided"] == 2
    assert len(told["verdicts of six draws of 30 labels"]["small"]) == 6


def test_a_folder_without_enough_gold_has_an_empty_table() -> None:
    told = summary([], [], {})
    assert told["calls"] == 0
    assert told["gain of labels"]["covered"] is None
    assert told["verdict"] == {}
