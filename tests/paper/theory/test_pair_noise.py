from __future__ import annotations

import numpy as np
import pytest
from pair_moments import pair_covariance

from carob.paper import Ising
from carob.paper.theory.canonical import signs
from carob.paper.theory.pair_noise import PairNoise

MODELS = [
    Ising(0.3, np.array([0.4, 0.6, 0.3, 0.5, 0.8, 0.2]), {(0, 1): 0.3, (2, 5): 0.2}),
    Ising(-0.2, np.array([0.4, 0.6, 0.3, 0.5, 0.8]), {(0, 3): 0.3, (1, 3): 0.2}),
]


def test_pair_covariance_by_sampling() -> None:
    truth = Ising.from_means([0.7, 0.6, 0.8, 0.75], {(0, 1): 0.62}, class_balance=0.3)
    s = signs(4)
    covariances, moments = [], []
    for counts in truth.sample_counts(1_000, 0, 4_000):
        share = counts.sum(axis=1) / 1_000
        b = s.T @ (s * share[:, None])
        moments.append(b[np.triu_indices(4, 1)])
        covariances.append((b - np.outer(share @ s, share @ s))[np.triu_indices(4, 1)])
    np.testing.assert_allclose(1_000 * np.cov(np.array(moments).T), pair_covariance(truth), atol=0.07)
    np.testing.assert_allclose(1_000 * np.cov(np.array(covariances).T), pair_covariance(truth, -0.4), atol=0.07)


@pytest.mark.parametrize("truth", MODELS)
@pytest.mark.parametrize("symmetric", [True, False])
def test_oracle_variances_by_enumeration(truth: Ising, symmetric: bool) -> None:
    mu = 0.0 if symmetric else float(truth.class_balance[1] - truth.class_balance[0])
    noise, covariance = PairNoise(truth, mu), pair_covariance(truth, mu)
    upper = np.triu_indices(truth.m, 1)
    rng = np.random.default_rng(0)
    for _ in range(5):
        gradient = rng.normal(size=(truth.m, truth.m))
        gradient = np.triu(gradient, 1) + np.triu(gradient, 1).T
        expected = gradient[upper] @ covariance @ gradient[upper]
        assert noise.variance(gradient) == pytest.approx(expected, rel=1e-11)
    drawn = noise.draw(20_000, rng)
    np.testing.assert_allclose(drawn, drawn.transpose(0, 2, 1), atol=1e-12)
    found = np.cov(drawn[:, upper[0], upper[1]].T)
    error = np.sqrt((covariance**2 + np.outer(np.diag(covariance), np.diag(covariance))) / 20_000)
    assert (np.abs(found - covariance) / error).max() < 4.5
