from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from karat.value.jackknife import Estimate, Interval


def test_differences_cancel_what_two_estimates_share() -> None:
    common = np.random.default_rng(0).normal(size=20)
    one, two = Estimate(1.0, 1 + common), Estimate(0.4, 0.4 + common)
    assert (one - two).error == pytest.approx(0, abs=1e-12)
    assert one.error > 0.5
    assert (one + two.times(2)).value == pytest.approx(1.8)
    assert Interval.of(Estimate(0.1, np.array([0.0, 0.2])), 0.9, 0.0).low == 0


def test_known_answer_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.random.default_rng(0).normal(size=40)
    without = (values.sum() - values) / 39
    found = Estimate(float(values.mean()), without)
    assert found.error == pytest.approx(values.std(ddof=1) / np.sqrt(40))
    noisy = Estimate(found.value, without, noise=0.3)
    assert noisy.error == pytest.approx(np.hypot(found.error, 0.3))
    assert (noisy + noisy).noise == pytest.approx(0.3 * np.sqrt(2))
    assert noisy.times(-2).noise == pytest.approx(0.6)
    assert found.half(0.9) == pytest.approx(t.ppf(0.95, 39) * found.error, rel=0.01)


def test_an_interval_lies_around_its_estimate() -> None:
    estimate = Estimate(0.5, np.array([0.4, 0.5, 0.6]))
    found = Interval.of(estimate, 0.9)
    assert (found.low, found.high) == pytest.approx((0.5 - estimate.half(0.9), 0.5 + estimate.half(0.9)))
    assert Interval.of(estimate, 0.5).low > found.low
    assert Interval.of(Estimate(-0.2, np.array([0.0, 0.1])), 0.9, 0.0).value == 0
