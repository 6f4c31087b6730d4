from __future__ import annotations

import numpy as np
import pytest

from karat.datasets import paper_model
from karat.estimate.settings import Settings
from karat.value.plan import _risk, best_plan
from karat.value.risks import Risks, measure_risks
from karat.votes import GoldPoints


@pytest.fixture(scope="module")
def risks() -> Risks:
    votes = paper_model(5).sample(1_000, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 60))
    return measure_risks(votes, gold, Settings(class_balance=0.5, symmetric=True))


@pytest.mark.parametrize(("label_cost", "point_cost", "budget"), [(1.0, 0.1, 20.0), (0.5, 2.0, 9.0), (3.0, 0.25, 10.0)])
def test_oracle_every_affordable_purchase(risks: Risks, label_cost: float, point_cost: float, budget: float) -> None:
    labels, points = np.meshgrid(np.arange(100.0), np.arange(300.0))
    every = _risk(risks, labels.ravel(), points.ravel())
    affordable = (labels * label_cost + points * point_cost <= budget).ravel()
    found = best_plan(risks, label_cost, point_cost, budget, 0.9)
    assert found.risk_after <= every[affordable].min() + 1e-4
    assert found.interval_after.low <= found.risk_after <= found.interval_after.high


def test_known_answer_the_risk_of_a_purchase(risks: Risks) -> None:
    curve, per_point = risks.combined.curve, max(risks.combined.per_point.value, 0)
    now = curve.at(60).value
    np.testing.assert_allclose(_risk(risks, np.array([0.0]), np.array([0.0])), now)
    np.testing.assert_allclose(_risk(risks, np.array([0.0]), np.array([1_000.0])), now - per_point / 2_000)
    more = min(now, *(curve.at(60 + n).value for n in (50, 200)))
    assert _risk(risks, np.array([50.0, 200.0]), np.zeros(2))[1] == pytest.approx(more)
