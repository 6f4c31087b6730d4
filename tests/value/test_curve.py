from __future__ import annotations

import numpy as np
import pytest

from karat.value.curve import FORM_ERROR, Curve


def test_known_answer_a_curve_of_its_form_is_found_again_and_continued() -> None:
    n = np.array([5.0, 10, 20, 40, 80, 160])
    curve = Curve(n, 0.5 + 3 / n + 8 / n**2, np.full(6, 1e-3))
    asked = np.array([20, 33, 1e6])
    np.testing.assert_allclose(curve.at(asked), 0.5 + 3 / asked + 8 / asked**2)
    assert curve.at(5.0) == pytest.approx(curve.risk[0])  # below the form, the points themselves
    assert curve.at(np.sqrt(50.0)) == pytest.approx((curve.risk[0] + curve.risk[1]) / 2)  # and straight lines in log n
    np.testing.assert_allclose(curve.weights(50.0).sum(), 1)


def test_a_curve_of_two_terms_has_no_higher_powers() -> None:
    n = np.array([10.0, 20, 40, 80])
    curve = Curve(n, 0.3 + 2 / n, np.zeros(4), form_from=20.0, terms=2)
    np.testing.assert_allclose(curve.at([30.0, 1e9]), [0.3 + 2 / 30, 0.3])
    bent = Curve(n, 0.3 + 2 / n + 5 / n**2, np.zeros(4), form_from=20.0, terms=2)
    assert abs(bent.at(20.0) - bent.risk[1]) > 1e-4


def test_noisy_points_count_for_less() -> None:
    n = np.array([20.0, 40, 80, 160])
    curve = Curve(n, np.array([0.5, 0.5, 0.9, 0.5]), np.array([0.0, 0.0, 10.0, 0.0]), terms=2)
    np.testing.assert_allclose(curve.at([25.0, 1e6]), 0.5, atol=1e-3)
    even = Curve(n, np.array([0.5, 0.5, 0.9, 0.5]), np.zeros(4), terms=2)
    assert even.at(1e6) > 0.6


def test_a_curve_that_goes_up_by_noise_is_pooled() -> None:
    n = np.array([10.0, 20, 40, 80])
    curve = Curve(n, np.array([0.9, 0.6, 0.7, 0.5]), np.full(4, 0.01)).falling()
    np.testing.assert_allclose(curve.risk, [0.9, 0.65, 0.65, 0.5])
    np.testing.assert_allclose(Curve(n, 5 / n, np.zeros(4)).falling().risk, 5 / n)


def test_pooling_weighs_by_how_sure_points_are() -> None:
    n = np.array([10.0, 20])
    errors = np.array([0.0, 0.01])
    weights = 1 / (errors + FORM_ERROR) ** 2
    found = Curve(n, np.array([0.4, 0.6]), errors).falling().risk
    np.testing.assert_allclose(found, (weights @ [0.4, 0.6]) / weights.sum())


def test_known_answer_means_and_errors_of_draws() -> None:
    curve = Curve.of_draws([10, 20], [[1.0, 2.0, 3.0], [0.5, 0.5, 0.5]])
    np.testing.assert_allclose(curve.risk, [2.0, 0.5])
    np.testing.assert_allclose(curve.error, [1 / np.sqrt(3), 0])
    np.testing.assert_allclose(curve.n, [10, 20])


def test_draws_have_the_form_of_gold_alone_unless_told_otherwise() -> None:
    curve = Curve.of_draws([10, 20], [[1.0, 2.0], [0.5, 0.7]])
    assert (curve.form_from, curve.terms) == (20.0, 4)
    assert Curve.of_draws([10], [[1.0, 2.0]], 40.0, 2).terms == 2
