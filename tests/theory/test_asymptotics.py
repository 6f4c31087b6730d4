from __future__ import annotations

import numpy as np
import pytest

from karat import InputError, Ising, asymptotics
from karat.datasets import paper_model
from karat.theory.asymptotics import pair_covariance
from karat.theory.canonical import signs
from karat.theory.decomposition import Learner, learn


def test_known_answers() -> None:
    truth = paper_model(5)
    assert asymptotics(truth, "mean").excess == pytest.approx(0.017086, abs=5e-7)
    assert asymptotics(truth, "median").excess == pytest.approx(0.008155, abs=5e-7)
    assert asymptotics(truth, "labeled").excess == pytest.approx(0.008155, abs=5e-7)
    assert np.abs(asymptotics(truth, "mean").bias).max() == pytest.approx(0.0612, abs=5e-5)
    assert np.abs(asymptotics(truth, "median").bias).max() < 1e-12
    assert asymptotics(truth, "random").excess > asymptotics(truth, "mean").excess
    for learner in ("labeled", "mean", "median", "random"):
        assert asymptotics(paper_model(0), learner).excess == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("d", [0, 2, 5])
@pytest.mark.parametrize("learner", ["labeled", "mean", "median", "random"])
def test_limit_and_variance_agree_with_monte_carlo(d: int, learner: Learner) -> None:
    truth, n, trials = paper_model(d), 100_000, 400
    expected = asymptotics(truth, learner)
    rng = np.random.default_rng(d)
    found = np.array([learn(counts, learner, rng) for counts in truth.sample_counts(n, rng, trials)])
    variance = expected.variance / n + expected.triplet_variance
    z = (found.mean(axis=0) - expected.limit - expected.drift / np.sqrt(n)) / np.sqrt(variance / trials)
    assert np.abs(z).max() < 4
    # The variance of a sample variance of Gaussians is 2 / (trials - 1) of its square.
    ratio = found.var(axis=0, ddof=1) / variance
    assert np.abs(ratio - 1).max() < 4.5 * np.sqrt(2 / (trials - 1))


def test_pair_covariance_by_sampling() -> None:
    truth = Ising.from_means([0.7, 0.6, 0.8, 0.75], {(0, 1): 0.62})
    s = signs(4)
    b = np.array(
        [
            (s.T @ (s * counts.sum(axis=1)[:, None]) / 1_000)[np.triu_indices(4, 1)]
            for counts in truth.sample_counts(1_000, 0, 4_000)
        ]
    )
    np.testing.assert_allclose(1_000 * np.cov(b.T), pair_covariance(truth), atol=0.07)


def test_refusals() -> None:
    with pytest.raises(InputError, match="learner must be"):
        asymptotics(paper_model(0), "magic")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="three sources"):
        asymptotics(Ising.from_means([0.7, 0.6]), "mean")
    with pytest.raises(InputError, match="agree more often than not"):
        asymptotics(Ising.from_means([0.7, 0.6, 0.4]), "mean")
    with pytest.raises(InputError, match="at most 20 sources"):
        asymptotics(Ising.from_means(np.full(25, 0.7)), "mean")
