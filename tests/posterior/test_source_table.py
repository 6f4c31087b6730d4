from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from simulate import sample

from carob import LabelModel

EXPECTED_COLUMNS = [
    "source", "polarity", "coverage", "overlaps", "conflicts", "correct", "incorrect", "empirical_accuracy",
    "accuracy", "low", "high",
]  # fmt: skip


def test_sources_have_snorkels_columns_and_ours() -> None:
    votes = sample(abstain=0.5)
    model = LabelModel(class_balance=0.5, replicates=20).fit(votes, votes.gold)
    frame = model.sources_
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == EXPECTED_COLUMNS
    values, gold = votes.values, votes.gold
    assert gold is not None
    for i, row in enumerate(frame.to_dict("records")):
        column = values[:, i]
        others = np.delete(values, i, axis=1)
        voted = column >= 0
        assert row["coverage"] == pytest.approx(voted.mean())
        assert row["overlaps"] == pytest.approx((voted & (others >= 0).any(axis=1)).mean())
        differs = ((others >= 0) & (others != column[:, None])).any(axis=1)
        assert row["conflicts"] == pytest.approx((voted & differs).mean())
        assert row["correct"] == (column == gold.values).sum()
        assert row["incorrect"] == (voted & (column != gold.values)).sum()
        assert row["low"] <= row["accuracy"] <= row["high"]
        assert row["polarity"] == [0, 1]


def test_without_gold_nothing_is_claimed_about_gold() -> None:
    table = LabelModel(class_balance=0.5, replicates=0).fit(sample()).source_table_
    assert table.correct.sum() == 0
    assert np.isnan(table.empirical_accuracy).all()
    triplets = LabelModel(method="triplets", class_balance=0.5, replicates=0).fit(sample()).source_table_
    assert np.isnan(triplets.low).all()
    assert table.rows()[0]["empirical_accuracy"] is None
