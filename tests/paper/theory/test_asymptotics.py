from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from pair_moments import pair_covariance

from carob import InputError
from carob._types import Bools, Floats
from carob.paper import Ising, asymptotics
from carob.paper.datasets import paper_model
from carob.paper.experiments.trials import aggregate_all
from carob.paper.theory.canonical import signs
from carob.paper.theory.decomposition import Learner, learn
from carob.paper.theory.lemmas import class_conditional_misspecification
from carob.paper.theory.triplet_limits import allowed_pairs


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


def estimates(
    truth: Ising, n: int, trials: int, learner: Learner, known: tuple[tuple[int, int], ...], mu: float
) -> Floats:
    """Triplets one after another, from samples of points; with mu = E[Y], of covariances."""
    rng = np.random.default_rng(1)
    found = np.empty((trials, truth.m))
    for trial in range(trials):
        votes = 2.0 * truth.sample(n, rng).values - 1
        c = votes.T @ votes / n - (mu != 0) * np.outer(votes.mean(axis=0), votes.mean(axis=0))
        for i in range(truth.m):
            x = [
                np.sqrt(c[i, j] * c[i, k] / c[j, k] / (1 - mu**2))
                for j, k in combinations([s for s in range(truth.m) if s != i], 2)
                if not set(known) & {tuple(sorted(pair)) for pair in ((i, j), (i, k), (j, k))}
            ]
            found[trial, i] = np.median(x) if learner == "median" else np.mean(x)
    return found


@pytest.mark.parametrize("learner", ["mean", "median"])
@pytest.mark.parametrize(("known", "symmetric"), [(((0, 1),), True), ((), False), (((2, 3),), False)])
def test_class_conditional_triplets_and_known_pairs_agree_with_monte_carlo(
    learner: Literal["mean", "median"], known: tuple[tuple[int, int], ...], symmetric: bool
) -> None:
    p = [0.85, 0.8, 0.8, 0.75, 0.85, 0.8]
    truth = Ising.from_means(p, epsilons={(0, 1): 0.1, (2, 3): 0.08}, class_balance=0.3)
    n, trials = 20_000, 150
    expected = asymptotics(truth, learner, known_pairs=known, symmetric=symmetric)
    found = estimates(truth, n, trials, learner, known, 0.0 if symmetric else -0.4)
    z = (found.mean(axis=0) - expected.limit - expected.drift / np.sqrt(n)) / np.sqrt(expected.variance / n / trials)
    assert np.abs(z).max() < 4
    ratio = found.var(axis=0, ddof=1) / (expected.variance / n)
    assert np.abs(ratio - 1).max() < 4.5 * np.sqrt(2 / (trials - 1))


@pytest.mark.parametrize("symmetric", [True, False])
def test_oracle_variances_of_means_by_enumeration(symmetric: bool) -> None:
    truth = Ising(0.3, np.array([0.4, 0.6, 0.3, 0.5, 0.8, 0.6]), {(0, 1): 0.3, (2, 5): 0.2})
    mu = 0.0 if symmetric else float(truth.class_balance[1] - truth.class_balance[0])
    c, covariance = truth.pair_moments - mu**2 * np.outer(truth.a, truth.a), pair_covariance(truth, mu)
    upper = np.triu_indices(6, 1)
    for known in ((), ((0, 1),)):
        expected = asymptotics(truth, "mean", known_pairs=known, symmetric=symmetric)
        for i in range(6):
            allowed = allowed_pairs(truth, known)

            def mean(moments: Floats, i: int = i, allowed: Bools = allowed) -> float:
                full = np.ones((6, 6))
                full[upper] = moments
                full = np.triu(full) + np.triu(full, 1).T
                values = [
                    np.sqrt(full[i, j] * full[i, k] / full[j, k] / (1 - mu**2))
                    for j, k in combinations(range(6), 2)
                    if allowed[i, j] and allowed[i, k] and allowed[j, k]
                ]
                return float(np.mean(values))

            at = c[upper]
            steps = 1e-6 * np.eye(len(at))
            gradient = np.array([(mean(at + step) - mean(at - step)) / 2e-6 for step in steps])
            assert expected.limit[i] == pytest.approx(mean(at), rel=1e-12)
            assert expected.variance[i] == pytest.approx(gradient @ covariance @ gradient, rel=1e-6)


def test_class_conditional_bias_is_that_of_delta() -> None:
    """One edge, one triplet with it: D^2 = a_0^2 + 4 |delta| / (4 pi (1 - pi)) a_0 / a_1, as epsilon is 4 |delta|."""
    truth = Ising.from_means([0.8, 0.75, 0.7], epsilons={(0, 1): 0.1}, class_balance=0.3)
    delta = class_conditional_misspecification(truth, 0, 1)
    assert delta == pytest.approx(np.array([[-1, 1], [1, -1]]) * 0.1 / 4)
    a = truth.a
    expected = np.sqrt(a[0] ** 2 + np.abs(delta).max() / (0.3 * 0.7) * a[0] / a[1])
    assert asymptotics(truth, "mean", symmetric=False).limit[0] == pytest.approx(expected)
    # With balanced classes both kinds of triplets have one limit and one variance.
    even = Ising.from_means([0.8, 0.75, 0.7, 0.8], epsilons={(0, 1): 0.1})
    for learner in ("mean", "random"):
        one, other = (asymptotics(even, learner, symmetric=symmetric) for symmetric in (True, False))
        np.testing.assert_allclose(one.limit, other.limit)
        np.testing.assert_allclose(one.variance, other.variance)
        assert one.excess == pytest.approx(other.excess)


def test_excess_of_class_conditional_limits_is_that_of_their_tables() -> None:
    truth = Ising.from_means([0.8, 0.75, 0.7, 0.8], epsilons={(0, 1): 0.1}, class_balance=0.3)
    found = asymptotics(truth, "mean", symmetric=False)
    voted = (1 - 0.4 * truth.a) / 2
    loss = 0.0
    for votes, chances in zip(signs(4), truth.probabilities, strict=True):
        score = np.log(truth.class_balance)
        for y, weight in ((0, -0.3), (1, 0.7)):
            yes = voted + weight * found.limit
            score[y] += np.log(np.where(votes > 0, yes, 1 - yes)).sum()
        loss -= float(chances @ (score - np.logaddexp(*score)))
    assert found.excess == pytest.approx(loss - truth.conditional_entropy)


@pytest.mark.parametrize("m", [21, 300])
def test_many_sources(m: int) -> None:
    """Equal sources: all of a triplet's moments but those of an edge are a^2, so that the limits are sums by hand."""
    a, epsilon = 0.6, 0.1
    truth = Ising.from_means(np.full(m, (1 + a) / 2), epsilons={(0, 1): epsilon, (2, 3): epsilon})
    found = asymptotics(truth, "mean")
    high, low = np.sqrt(a**2 + epsilon), a**2 / np.sqrt(a**2 + epsilon)
    T = (m - 1) * (m - 2) / 2
    assert found.bias[0] == pytest.approx(((m - 2) * (high - a) + (low - a)) / T)
    assert found.bias[-1] == pytest.approx(2 * (low - a) / T)
    assert found.variance[-1] >= 1 - a**2  # gold's, which no votes beat
    assert found.variance[-1] == pytest.approx(1 - a**2, rel=10 / m)  # many sources are as good as gold
    assert 0 <= found.excess < 1e-3


def test_forty_sources_agree_with_monte_carlo() -> None:
    truth = Ising.from_means(np.tile([0.8, 0.75], 20), epsilons={(2 * k, 2 * k + 1): 0.1 for k in range(20)})
    n, trials = 10_000, 60
    rng = np.random.default_rng(0)
    votes = [2.0 * truth.sample(n, rng).values - 1 for _ in range(trials)]
    b = np.array([np.einsum("pi,pj->ij", v, v) / n for v in votes])
    for learner in ("mean", "median"):
        expected = asymptotics(truth, learner)
        found = aggregate_all(b, learner, "drop")
        z = (found.mean(axis=0) - expected.limit - expected.drift / np.sqrt(n)) * np.sqrt(
            n * trials / expected.variance
        )
        assert np.abs(z).max() < 4.5
        # Sources of one accuracy are alike, so that the twenty variances of each make one.
        ratio = found.var(axis=0, ddof=1).reshape(20, 2).mean(axis=0) / expected.variance.reshape(20, 2).mean(axis=0)
        assert np.abs(ratio * n - 1).max() < 0.25


def test_a_limit_that_is_no_accuracy_has_infinite_loss() -> None:
    truth = Ising.from_means([0.75, 0.55, 0.7, 0.7], epsilons={(0, 1): 0.5})
    found = asymptotics(truth, "mean")
    assert found.limit.max() > 1
    assert found.excess == np.inf


def test_refusals() -> None:
    with pytest.raises(InputError, match="learner must be"):
        asymptotics(paper_model(0), "magic")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="three sources"):
        asymptotics(Ising.from_means([0.7, 0.6]), "mean")
    with pytest.raises(InputError, match="agree more often than not"):
        asymptotics(Ising.from_means([0.7, 0.6, 0.4]), "mean")
    with pytest.raises(InputError, match="no triplet without a known pair"):
        asymptotics(Ising.from_means([0.7, 0.6, 0.8]), "mean", known_pairs=[(0, 1)])
