from __future__ import annotations

import pytest

from carob.value.advice import conclude
from carob.value.equivalent import equivalent
from carob.value.gains import prospects
from carob.value.risks import Risks


def test_oracle_every_number_from_the_risks(risks: Risks) -> None:
    found = conclude(risks)
    expected = prospects(80, 1_500, risks.cross.variation, risks.by_points)
    assert found.scores == risks.cross.scores(0.9)
    assert found.gains["labels"] == expected.loss.by_labels(50).interval(0.9)
    assert found.gains["points"] == expected.loss.by_points(9 * 1_500).interval(0.9)
    assert found.accuracy_gains["labels"] == expected.right.by_labels(50).interval(0.9)
    f, ratio = found.equivalent_labels, found.data_value_ratio
    assert f == equivalent(risks, 0.9)
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((1_500 / f.value, 1_500 / f.high, 1_500 / f.low))
    assert (found.n_unlabeled, found.n_gold, found.level) == (1_500, 80, 0.9)


def test_parts_of_the_risk_add_up(risks: Risks) -> None:
    found = conclude(risks)
    parts = found.shares
    assert parts.labels + parts.points + parts.rest == pytest.approx(found.scores[-1].loss)
    assert min(parts.labels, parts.points, parts.rest) >= 0


def test_the_curve_has_the_numbers_that_people_think_in(risks: Risks) -> None:
    found = conclude(risks)
    assert [row["n"] for row in found.curve] == [10, 20, 50, 80, 100, 130, 200, 500]
    by_size = {row["n"]: row for row in found.curve}
    assert by_size[80]["combined"] == pytest.approx(found.scores[-1].loss)
    assert by_size[130]["combined"] == pytest.approx(found.scores[-1].loss - found.gains["labels"].value)
    assert by_size[500]["labeled"] is None  # gold does not tell so far
    assert by_size[20]["combined"] is None  # nor of so few labels, where there are 80
    few, many = by_size[20]["labeled"], by_size[80]["labeled"]
    assert few is not None
    assert many is not None
    assert few > many


def test_a_gain_that_a_user_asks_for_decides(risks: Risks) -> None:
    assert conclude(risks, worth=0.2).kind == "stop"
    assert conclude(risks, worth=0.2).decision.unit == "accuracy"
