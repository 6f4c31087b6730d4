from __future__ import annotations

import numpy as np
import pytest

from carob import InputError
from carob.paper import data_value_ratio, equivalent_labels

N = np.array([10.0, 20.0, 40.0, 80.0])
CURVE = 0.5 + 3 / N


def test_known_answer_a_curve_of_its_form_is_inverted_exactly() -> None:
    for f in (12.0, 25.0, 79.0):
        assert equivalent_labels(N, CURVE, 0.5 + 3 / f) == pytest.approx(f)


def test_the_figures_take_the_grid_point_before_that_of_the_definition() -> None:
    assert equivalent_labels(N, CURVE, 0.6, "definition") == 40
    assert equivalent_labels(N, CURVE, 0.6, "figures") == 20
    assert equivalent_labels(N, CURVE, CURVE[2], "definition") == 40


def test_named_cases() -> None:
    assert equivalent_labels(N, CURVE, 0.4) == np.inf  # no number of labels does as well
    assert equivalent_labels(N, CURVE, 0.9) == 10  # at most the smallest
    assert np.isnan(equivalent_labels(N, CURVE, np.nan))
    assert np.isnan(equivalent_labels(N, [0.8, np.nan, 0.6, 0.5], 0.55))
    assert data_value_ratio(40_000, np.inf) == 0
    assert data_value_ratio(40_000, 42) == pytest.approx(952.38, abs=0.01)


def test_a_curve_that_goes_up_by_noise_counts_with_its_running_minimum() -> None:
    assert equivalent_labels(N, [0.8, 0.6, 0.65, 0.55], 0.62, "definition") == 20
    assert equivalent_labels(N, [0.8, 0.6, 0.65, 0.55], 0.58, "definition") == 80


def test_refusals() -> None:
    with pytest.raises(InputError, match="increasing"):
        equivalent_labels([20, 10], [0.6, 0.5], 0.5)
    with pytest.raises(InputError, match="convention"):
        equivalent_labels(N, CURVE, 0.6, "guess")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("n", "risk"),
    [
        ([], []),
        ([[10, 20]], [[0.5, 0.4]]),
        ([10, 20], [0.5]),
        ([20, 10], [0.5, 0.4]),
        ([0, 10], [0.5, 0.4]),
        ([5, 5], [1, 1]),
    ],
)
def test_what_is_no_curve_is_refused(n: list[object], risk: list[object]) -> None:
    with pytest.raises(InputError, match="a learning curve is a risk for each"):
        equivalent_labels(n, risk, 0.45)  # type: ignore[arg-type]
