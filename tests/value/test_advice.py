from __future__ import annotations

import numpy as np
import pytest

from karat import equivalent_labels
from karat.datasets import paper_model
from karat.estimate.settings import Settings
from karat.value.advice import conclude, equivalent
from karat.value.jackknife import Estimate, Interval
from karat.value.risks import Risks, measure_risks
from karat.votes import GoldPoints

SETTINGS = Settings(class_balance=0.5, symmetric=True)


@pytest.fixture(scope="module")
def risks() -> Risks:
    votes = paper_model(5).sample(1_500, 0)
    return measure_risks(votes, GoldPoints.of(votes, votes.own_gold).take(slice(0, 80)), SETTINGS)


def test_oracle_every_number_from_the_curves(risks: Risks) -> None:
    found = conclude(risks, SETTINGS)
    labeled, both = risks.labeled, risks.combined
    assert found.risk["labeled"] == Interval.of(labeled.at(80), 0.9, 0.0)
    assert found.risk["combined"] == Interval.of(both.curve.at(80), 0.9, 0.0)
    assert found.risk["unlabeled"].value == risks.mean.risk.value
    assert found.risk["corrected"].value == risks.median.risk.value
    assert found.gains["labels"].value == pytest.approx(both.curve.at(80).value - both.curve.at(130).value)
    assert found.gains["points"].value == pytest.approx(both.per_point.value * (1 / 1_500 - 1 / 15_000))
    f, ratio = found.equivalent_labels, found.data_value_ratio
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((1_500 / f.value, 1_500 / f.high, 1_500 / f.low))
    assert (found.n_unlabeled, found.n_gold, found.level) == (1_500, 80, 0.9)


def test_parts_of_a_risk_add_up(risks: Risks) -> None:
    found = conclude(risks, SETTINGS)
    for name, parts in found.shares.items():
        assert parts.standing + parts.bias + parts.variance == pytest.approx(found.risk[name].value)
    assert found.shares["labeled"].bias == 0
    assert found.shares["corrected"].variance == pytest.approx(max(risks.median.per_point.value, 0) / 1_500)
    assert found.shares["labeled"].standing == pytest.approx(risks.labeled.at(1e6).value)


def test_the_curve_has_the_numbers_that_people_think_in(risks: Risks) -> None:
    found = conclude(risks, SETTINGS)
    assert [row["n"] for row in found.curve] == [10, 20, 50, 80, 100, 130, 200, 500]
    for row in found.curve:
        assert row["labeled"] == pytest.approx(risks.labeled.at(row["n"]).value)
        assert row["combined"] == pytest.approx(risks.combined.curve.at(row["n"]).value)
        assert row["corrected"] == risks.median.risk.value


def test_the_aggregate_that_was_asked_for_is_the_one_that_is_weighed(risks: Risks) -> None:
    mean = conclude(risks, Settings("mean", class_balance=0.5, symmetric=True))
    assert mean.equivalent_labels == equivalent(risks, risks.mean.risk, 0.9)
    assert conclude(risks, SETTINGS).equivalent_labels == equivalent(risks, risks.median.risk, 0.9)


def test_only_gold_that_counts_as_bought_is_learned_from(risks: Risks) -> None:
    found = conclude(risks, SETTINGS, 30)
    assert found.n_gold == 30
    assert found.risk["labeled"].value == pytest.approx(risks.labeled.at(30).value)


def test_f_is_where_the_labeled_curve_is_as_low(risks: Risks) -> None:
    zero = np.zeros(len(risks.judge.blocks))
    for n in (12.0, 60.0, 400.0):
        value = risks.labeled.at(n).value
        found = equivalent(risks, Estimate(value, value + zero), 0.9)
        assert found.value == pytest.approx(n, rel=0.02)
        assert found.low <= found.value <= found.high
        half = (Estimate(value, value + zero) - risks.labeled.at(found.value)).half(0.9)
        grid = np.geomspace(5, 1e6, 1_200)
        assert found.low == equivalent_labels(grid, risks.labeled.values(grid), value + half)
    never = equivalent(risks, Estimate(0.0, zero), 0.9)
    assert never.value == np.inf
    assert equivalent(risks, Estimate(9.0, 9.0 + zero), 0.9).value == 5
