from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from carob.label.laplace import _FEW_FEATURES, laplace
from carob.label.stack import COUNT_ERROR, SHIFT_ERROR

FloatArray = npt.NDArray[np.float64]


def log_posterior(x: FloatArray, base: FloatArray, features: FloatArray, truth: Any, precision: FloatArray) -> float:
    """Of coefficients, up to a constant: slow and obvious."""
    total = 0.0
    for t, y in enumerate(truth):
        scores = [base[t, k] + features[t, k] @ x for k in range(base.shape[1])]
        total += scores[y] - np.logaddexp.reduce(scores)
    return float(total - (precision * x**2).sum() / 2)


def problem(K: int, sure: float, right: float, g: int = 60, seed: int = 0) -> Any:
    """Scores that are more or less sure of a class and right so often, with the features of a reading."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, K, g)
    said = np.where(rng.random(g) < right, truth, (truth + 1) % K)
    base = sure * np.eye(K)[said] + 0.1 * rng.normal(size=(g, K))
    counted = 2 * np.eye(K)[said] + 0.3 * rng.normal(size=(g, K))
    features = np.concatenate([counted[:, :, None], np.broadcast_to(np.eye(K), (g, K, K))], axis=2)
    return base, features, truth, 1 / np.array([COUNT_ERROR, *[SHIFT_ERROR] * K]) ** 2


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(("sure", "right"), [(1.0, 0.8), (5.0, 0.9), (5.0, 0.05), (15.0, 0.85), (40.0, 0.5)])
def test_oracle_the_optimum_is_that_of_a_general_optimiser(K: int, sure: float, right: float) -> None:
    # Scores that are sure and wrong are where Newton's steps go too far unless they are held back.
    base, features, truth, precision = problem(K, sure, right)
    found = laplace(base[None], features, truth, precision)[0][0]

    def negative(x: FloatArray) -> float:
        return -log_posterior(x, base, features, truth, precision)

    best = minimize(negative, np.zeros(K + 1), method="BFGS", tol=1e-6)
    assert log_posterior(found, base, features, truth, precision) >= -best.fun - 1e-6
    np.testing.assert_allclose(found, best.x, atol=2e-3)


def test_each_score_is_fitted_on_its_own() -> None:
    one, two = problem(2, 1.0, 0.8), problem(2, 15.0, 0.5)
    together = laplace(np.stack([one[0], two[0]]), one[1], one[2], one[3])
    for place, base in enumerate((one[0], two[0])):
        alone = laplace(base[None], one[1], one[2], one[3])
        np.testing.assert_allclose(together[0][place], alone[0][0], atol=1e-6)
        assert together[1][place] == pytest.approx(alone[1][0], abs=1e-6)


def test_oracle_the_evidence_of_one_coefficient_is_its_integral() -> None:
    for sure, right, g in ((1.0, 0.8, 40), (3.0, 0.7, 100), (0.5, 0.6, 10)):
        base, features, truth, _ = problem(2, sure, right, g)
        one, precision = features[:, :, :1], np.array([1 / COUNT_ERROR**2])

        def joint(x: float, base: Any = base, one: Any = one, truth: Any = truth, precision: Any = precision) -> float:
            density = np.exp(log_posterior(np.array([x]), base, one, truth, precision))
            return float(density * np.sqrt(precision[0] / (2 * np.pi)))

        found, log_evidence = laplace(base[None], one, truth, precision)
        centre = float(found[0, 0])
        whole = quad(joint, centre - 6, centre + 6, epsabs=0, epsrel=1e-8, points=[centre])[0]
        assert log_evidence[0] == pytest.approx(np.log(whole), abs=0.05)


def test_without_gold_points_there_is_nothing_to_fit() -> None:
    found, log_evidence = laplace(np.zeros((3, 0, 2)), np.zeros((0, 2, 3)), np.zeros(0, dtype=np.int8), np.ones(3))
    assert (found == 0).all()
    np.testing.assert_allclose(log_evidence, 0, atol=1e-12)


def test_many_features_are_fitted_as_few_are() -> None:
    rng = np.random.default_rng(0)
    g, K, F = 80, 3, _FEW_FEATURES + 4
    features, truth = rng.normal(size=(g, K, F)), rng.integers(0, K, g).astype(np.int8)
    base, precision = rng.normal(size=(2, g, K)), np.full(F, 4.0)
    found, evidence = laplace(base, features, truth, precision)
    # Features that are 0 and have a prior of their own change neither coefficients nor evidence.
    few = laplace(base, features[:, :, :5], truth, precision[:5])
    padded = np.concatenate([features[:, :, :5], np.zeros((g, K, F))], axis=2)
    many = laplace(base, padded, truth, np.append(precision[:5], precision))
    np.testing.assert_allclose(many[0][:, :5], few[0], atol=1e-8)
    np.testing.assert_allclose(many[1], few[1], atol=1e-8)
    for k in range(2):
        best = minimize(lambda x, k=k: -log_posterior(x, base[k], features, truth, precision), np.zeros(F))  # type: ignore[misc]
        np.testing.assert_allclose(found[k], best.x, atol=1e-3)
    assert evidence.shape == (2,)
