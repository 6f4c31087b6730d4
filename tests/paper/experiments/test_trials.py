from __future__ import annotations

import numpy as np
import pytest

from carob.paper import expected_loss
from carob.paper.datasets import paper_model
from carob.paper.experiments.trials import Trials, random_triplet_accuracies, triplet_accuracies
from carob.paper.theory.decomposition import Learner, learn
from carob.paper.theory.ising import accuracy_model


@pytest.fixture(scope="module")
def trials() -> Trials:
    return Trials(paper_model(3))


def test_points_and_counts_give_the_same_distribution_of_moments(trials: Trials) -> None:
    n, size = 60, 3_000
    by_counts = trials.moments(trials.sample(n, size, np.random.default_rng(0)))
    rng = np.random.default_rng(1)
    by_points = np.empty_like(by_counts)
    for k in range(size):
        s = 2.0 * trials.truth.sample(n, rng).values - 1
        by_points[k] = s.T @ s / n
    pairs = np.triu_indices(10, 1)
    one, two = by_counts[:, *pairs], by_points[:, *pairs]
    mean_error = np.sqrt((one.var(axis=0) + two.var(axis=0)) / size)
    assert (np.abs(one.mean(axis=0) - two.mean(axis=0)) < 4.5 * mean_error).all()
    # Their covariances too: of 45 moments, 1,035 numbers, each with a standard error below this.
    spread = np.sqrt(2 * np.outer(one.var(axis=0), one.var(axis=0)) * 2 / size)
    assert (np.abs(np.cov(one.T) - np.cov(two.T)) < 5 * spread).all()
    # And the exact mean.
    assert (np.abs(one.mean(axis=0) - trials.truth.pair_moments[pairs]) < 4.5 * one.std(axis=0) / np.sqrt(size)).all()


def test_labeled_estimates_of_components_are_those_of_counts(trials: Trials) -> None:
    n, size = 80, 4_000
    found = trials.labeled(n, size, np.random.default_rng(0))
    counts = trials.sample(n, size, np.random.default_rng(1))
    same = np.clip(counts @ trials.r / n, -1 + 2 / n, 1 - 2 / n)
    error = np.sqrt((found.var(axis=0) + same.var(axis=0)) / size)
    assert (np.abs(found.mean(axis=0) - same.mean(axis=0)) < 4.5 * error).all()
    np.testing.assert_allclose(np.cov(found.T), np.cov(same.T), atol=5 * 1.5 / n / np.sqrt(size))


def test_oracle_loss_of_many_models_is_that_of_one_after_another(trials: Trials) -> None:
    a = np.random.default_rng(0).uniform(-0.5, 0.8, (5, 10))
    exact = [expected_loss(trials.truth, accuracy_model(row)).value for row in a]
    np.testing.assert_allclose(trials.loss(a), exact, rtol=1e-6)  # posteriors are cut at 1e-6


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_oracle_triplets_of_many_samples_are_those_of_one_after_another(trials: Trials, aggregate: Learner) -> None:
    n = 150
    counts = trials.sample(n, 6, np.random.default_rng(2))
    found = triplet_accuracies(trials.moments(counts), n, aggregate)  # type: ignore[arg-type]
    nothing = np.zeros(counts.shape[1])
    one_by_one = [learn(np.stack([nothing, sample], axis=1), aggregate) for sample in counts]
    np.testing.assert_allclose(found, one_by_one, rtol=1e-10)


def test_a_random_triplet_is_any_of_the_usable_ones() -> None:
    b = np.array([[[1, 0.3, 0.2, 0.25], [0.3, 1, 0.35, 0.2], [0.2, 0.35, 1, -0.1], [0.25, 0.2, -0.1, 1]]])
    found = random_triplet_accuracies(np.repeat(b, 4_000, axis=0), 1_000, np.random.default_rng(0))
    of_first = np.sqrt([0.3 * 0.2 / 0.35, 0.3 * 0.25 / 0.2])  # with sources 2 and 3 the ratio is negative
    values, number = np.unique(found[:, 0].round(12), return_counts=True)
    np.testing.assert_allclose(values, of_first, atol=1e-12)
    assert abs(number[0] - 2_000) < 4.5 * np.sqrt(1_000)
    np.testing.assert_allclose(np.unique(found[:, 2].round(12)), [np.sqrt(0.2 * 0.35 / 0.3)])


def test_a_negative_ratio_is_dropped_or_turned() -> None:
    b = np.full((1, 4, 4), 0.2)
    b[0, 0, 1] = b[0, 1, 0] = -0.1
    dropped = triplet_accuracies(b, 1_000, "mean")
    turned = triplet_accuracies(b, 1_000, "mean", "absolute")
    assert dropped[0, 0] == pytest.approx(np.sqrt(0.2))  # of three triplets, one has a positive ratio
    assert turned[0, 0] == pytest.approx((np.sqrt(0.2) + 2 * np.sqrt(0.1)) / 3)
