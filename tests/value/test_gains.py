from __future__ import annotations

import numpy as np
import pytest

from carob.value.gains import Gain, Lacking, prospects


def test_known_answer_a_log_normal_gain() -> None:
    gain = Gain(0.002, 0.8, 0.3)
    normal = np.random.default_rng(0).normal(size=200_000)
    drawn = 0.002 * np.exp(np.where(normal < 0, 0.8, 0.3) * normal)
    found = gain.interval(0.9)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.05, 0.95])), rel=0.02)
    assert gain.likely().mean() == pytest.approx(drawn.mean(), rel=0.05)
    assert np.median(gain.likely()) == pytest.approx(0.002, rel=0.02)
    assert gain.times(3).median == pytest.approx(0.006)


def test_known_answer_the_expected_gain_of_a_log_normal_one() -> None:
    assert Gain(0.002, 0.5, 0.5).expected == pytest.approx(0.002 * np.exp(0.5**2 / 2), rel=0.01)
    assert Gain(0.002, 2.5, 0.4).expected < 0.002 < Gain(0.002, 2.5, 0.8).expected


def test_what_labels_and_points_bring() -> None:
    lacking = Lacking(Gain(2.0, 0.5, 0.5), Gain(3.0, 0.5, 0.5), 100, 1_000)
    assert lacking.by_labels(100).median == pytest.approx(2 / 100 - 2 / 200)
    assert lacking.by_points(9_000).median == pytest.approx(3 / 1_000 - 3 / 10_000)
    assert lacking.by_labels(0).median == lacking.by_points(0).median == 0


def test_a_data_set_whose_fits_differ_more_has_more_to_gain() -> None:
    calm, moved = (prospects(200, 10_000, seen, 1e-5) for seen in (0.001, 0.02))
    assert moved.loss.per_label.median > calm.loss.per_label.median
    assert moved.right.per_label.median > calm.right.per_label.median
    few, many = (prospects(200, 10_000, 0.01, seen) for seen in (1e-7, 1e-4))
    assert many.loss.per_point.median > few.loss.per_point.median
