from __future__ import annotations

import numpy as np
import pytest

from carob.paper import Ising
from carob.paper.theory import loss


@pytest.mark.parametrize("m", [5, 12, 16])
def test_grid_agrees_with_enumeration_to_the_stated_error(m: int) -> None:
    rng = np.random.default_rng(m)
    truth = Ising.from_means(rng.uniform(0.55, 0.75, m), {(0, 1): 0.6, (2, 3): 0.62}, class_balance=0.4)
    for start, weights in ((2 * truth.theta_y, 2 * truth.theta), (0.3, rng.uniform(-0.5, 1, m))):
        exact = loss.expected_log_loss(truth, start, weights)
        grid = loss._on_grid(truth, start, weights)
        assert exact.error == 0
        assert grid.error < 1e-6
        assert -1e-12 <= grid.value - exact.value <= grid.error


def test_a_thousand_sources_agree_with_sampling() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 0.58, 1000)
    truth = Ising.from_means(p, {(i, i + 1): 0.56 for i in range(0, 400, 2)})
    entropy = truth.conditional_entropy
    naive = loss.expected_loss(truth, truth.source_model())
    assert 0 < entropy < naive.value
    votes = truth.sample(20_000, rng)
    assert votes.gold is not None
    x = 2 * truth.theta_y + (2.0 * votes.values - 1) @ (2 * truth.theta)
    losses = np.logaddexp(0, -(2.0 * votes.gold.values - 1) * x)
    assert losses.mean() == pytest.approx(entropy, abs=4 * losses.std() / np.sqrt(20_000) + 1e-5)


def test_many_sources_that_tell_nothing() -> None:
    assert Ising.from_means(np.full(25, 0.5)).conditional_entropy == pytest.approx(np.log(2), abs=1e-9)


def test_a_hundred_sources_grid_error_is_small() -> None:
    truth = Ising.from_means(np.full(100, 0.55))
    found = loss.expected_log_loss(truth, 0.0, 2 * truth.theta)
    # All weights are equal, so the sum is binomial and the expectation a sum of 101 terms.
    from scipy.stats import binom

    k = np.arange(101)
    w = 2 * truth.theta[0]
    exact = float(binom.pmf(k, 100, 0.55) @ np.logaddexp(0, -(2 * k - 100) * w))
    assert found.value == pytest.approx(exact, abs=found.error)
    assert found.error < 1e-6
