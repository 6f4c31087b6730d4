from __future__ import annotations

import numpy as np
import pytest
from karat.estimate.fit import Settings
from karat.value.learning import Measured, measure

from karat.datasets import paper_model
from karat.value.plan import _risk, best_plan
from karat.votes import Gold


@pytest.fixture(scope="module")
def measured() -> Measured:
    votes = paper_model(5).sample(1_000, 0)
    gold = votes.code_gold(votes.gold)
    few = Gold(np.where(np.arange(1_000) < 60, gold.values, -1).astype(np.int8), gold.classes)
    return measure(votes, few, Settings("median", 0.5, True, (), "drop", "positive", 0.9, 0, 0))


@pytest.mark.parametrize(("label_cost", "point_cost", "budget"), [(1.0, 0.1, 20.0), (0.5, 2.0, 9.0), (3.0, 0.25, 10.0)])
def test_oracle_every_affordable_purchase(
    measured: Measured, label_cost: float, point_cost: float, budget: float
) -> None:
    labels, points = np.meshgrid(np.arange(100.0), np.arange(300.0))
    risks = _risk(measured, labels.ravel(), points.ravel())
    affordable = (labels * label_cost + points * point_cost <= budget).ravel()
    found = best_plan(measured, label_cost, point_cost, budget, 0.9)
    assert found.risk_after <= risks[affordable].min() + 1e-4
    assert found.interval_after.low <= found.risk_after <= found.interval_after.high
