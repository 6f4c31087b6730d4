from __future__ import annotations

import numpy as np
import pytest

from karat.datasets import paper_model
from karat.estimate.settings import Settings
from karat.value.plan import _risk, best_plan
from karat.value.risks import Risks, measure_risks
from karat.votes import GoldPoints


@pytest.fixture(scope="module")
def risks_of_few() -> Risks:
    votes = paper_model(5).sample(1_000, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 60))
    return measure_risks(votes, gold, Settings(class_balance=0.5, symmetric=True))


@pytest.mark.parametrize(("label_cost", "point_cost", "budget"), [(1.0, 0.1, 20.0), (0.5, 2.0, 9.0), (3.0, 0.25, 10.0)])
def test_oracle_every_affordable_purchase(
    risks_of_few: Risks, label_cost: float, point_cost: float, budget: float
) -> None:
    labels, points = np.meshgrid(np.arange(100.0), np.arange(300.0))
    every = _risk(risks_of_few, labels.ravel(), points.ravel())
    affordable = (labels * label_cost + points * point_cost <= budget).ravel()
    found = best_plan(risks_of_few, label_cost, point_cost, budget, 0.9)
    assert found.risk_after <= every[affordable].min() + 1e-4
    assert found.interval_after.low <= found.risk_after <= found.interval_after.high


def test_known_answer_the_risk_of_a_purchase(risks_of_few: Risks) -> None:
    curve, per_point = risks_of_few.combined.curve, max(risks_of_few.combined.per_point.value, 0)
    now = curve.at(60).value
    np.testing.assert_allclose(_risk(risks_of_few, np.array([0.0]), np.array([0.0])), now)
    np.testing.assert_allclose(_risk(risks_of_few, np.array([0.0]), np.array([1_000.0])), now - per_point / 2_000)
    more = min(now, *(curve.at(60 + n).value for n in (50, 200)))
    assert _risk(risks_of_few, np.array([50.0, 200.0]), np.zeros(2))[1] == pytest.approx(more)


def test_labels_that_cost_nothing_are_bought_for_every_point(risks_of_few: Risks) -> None:
    found = best_plan(risks_of_few, 0.0, 10.0, 5.0, 0.9)
    assert found.buy_points == 0
    assert found.cost == 0
    every = _risk(risks_of_few, np.arange(941.0), np.zeros(941))
    assert found.risk_after <= every.min() + 1e-4
    assert found.buy_labels <= 940
    all_of_them = best_plan(risks_of_few, 0.0, 10.0, 5.0, 0.5)
    assert all_of_them.interval_after.low > found.interval_after.low


def test_the_frontier_has_more_and_less_money(risks_of_few: Risks) -> None:
    found = best_plan(risks_of_few, 1.0, 0.1, 20.0, 0.9)
    assert [purchase.budget for purchase in found.frontier] == [0, 2, 4, 10, 20, 40, 100]
    assert found.frontier[0].cost == 0
    assert found.frontier[4].risk == found.risk_after
    assert found.risk_before == pytest.approx(risks_of_few.combined.curve.at(60).value)
