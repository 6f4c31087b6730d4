from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from carob.value.gains import Gain, Lacking
from carob.value.plan import _buy, best_plan
from carob.value.risks import Risks

LACKING = Lacking(Gain(2.0, 0.8, 0.8), Gain(5.0, 1.0, 1.0), 60, 1_000)


@pytest.mark.parametrize(("label_cost", "point_cost", "budget"), [(1.0, 0.1, 20.0), (0.5, 2.0, 9.0), (3.0, 0.25, 10.0)])
def test_oracle_every_affordable_purchase(label_cost: float, point_cost: float, budget: float) -> None:
    labels, points = np.meshgrid(np.arange(100.0), np.arange(300.0))
    c, b = LACKING.per_label.expected, LACKING.per_point.expected
    every = c / (60 + labels) + b / (1_000 + points)
    found = _buy(LACKING, 0.5, label_cost, point_cost, budget)
    least = every[labels * label_cost + points * point_cost <= budget].min()
    assert c / (60 + found.buy_labels) + b / (1_000 + found.buy_points) <= least + 1e-4
    assert found.cost <= budget


def test_labels_that_cost_nothing_are_bought_for_points_that_are_there() -> None:
    found = _buy(LACKING, 0.5, 0.0, 10.0, 5.0)
    assert (found.buy_points, found.cost) == (0, 0)
    assert 900 < found.buy_labels <= 940


def test_of_purchases_that_are_about_as_good_the_cheapest_is_taken() -> None:
    little = replace(LACKING, per_label=Gain(0.001, 0.8, 0.8), per_point=Gain(0.001, 0.8, 0.8))
    assert _buy(little, 0.5, 1.0, 1.0, 1e6).cost == 0


def test_the_frontier_has_more_and_less_money(risks: Risks) -> None:
    found = best_plan(risks, 1.0, 0.1, 20.0)
    assert [purchase.budget for purchase in found.frontier] == [0, 2, 4, 10, 20, 40, 100]
    assert found.frontier[0].cost == 0
    assert found.frontier[4].risk == found.risk_after
    assert found.risk_before == risks.scores["votes and gold"].loss
    assert found.gain.value == pytest.approx(found.risk_before - found.risk_after)
    assert found.interval_after.low <= found.risk_after <= found.interval_after.high
