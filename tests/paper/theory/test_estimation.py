from __future__ import annotations

import numpy as np
import pytest

from carob._types import Floats
from carob.paper import Ising, bounds
from carob.paper.datasets import paper_model
from carob.paper.theory.decomposition import Learner, learn
from carob.paper.theory.estimation import estimation_error
from carob.paper.theory.lemmas import kl_expansion, sampling_error
from carob.paper.theory.triplet_limits import mean_limits, triplet_limits


def divergence(a: Floats, estimate: Floats) -> Floats:
    """KL(P(l_i | Y) || est(l_i | Y)), of each source."""
    return (1 + a) / 2 * np.log((1 + a) / (1 + estimate)) + (1 - a) / 2 * np.log((1 - a) / (1 - estimate))


def test_known_answer_the_limit_under_dependence_is_not_the_papers() -> None:
    truth = paper_model(5)
    assert estimation_error(truth, "random").sum() == pytest.approx(0.1087, abs=5e-5)
    # eq:lower_bound_est_err, which is what the mean of triplets tends to.
    assert divergence(truth.a, mean_limits(truth)).sum() == pytest.approx(0.0092, abs=5e-5)
    assert estimation_error(truth, "mean").sum() == pytest.approx(divergence(truth.a, mean_limits(truth)).sum())
    for learner in ("labeled", "median", "mean", "random"):
        assert estimation_error(paper_model(0), learner).sum() == pytest.approx(0, abs=1e-12)
    assert estimation_error(truth, "labeled", 1_000) == pytest.approx(np.full(10, 1 / 2_000))


@pytest.mark.parametrize("d", [0, 2])
@pytest.mark.parametrize("learner", ["labeled", "mean", "median", "random"])
def test_recovery_by_monte_carlo(d: int, learner: Learner) -> None:
    truth = Ising.from_means([0.8, 0.75, 0.85, 0.8, 0.7, 0.9], epsilons={(2 * k, 2 * k + 1): 0.1 for k in range(d)})
    n, trials, rng = 2_000, 600, np.random.default_rng(3)
    found = np.array([divergence(truth.a, learn(c, learner, rng)).sum() for c in truth.sample_counts(n, rng, trials)])
    expected = estimation_error(truth, learner, n).sum()
    assert found.mean() == pytest.approx(expected, abs=4 * found.std() / np.sqrt(trials), rel=0.03)
    if (learner, d) == ("random", 2):  # and the paper's expansion, with the noise that vanishes, is far below
        parts = [triplet_limits(truth, i) for i in range(6)]
        drift, variance = (
            np.array([getattr(part, name).mean() for part in parts]) / n for name in ("drift", "variance")
        )
        assert kl_expansion(truth.a, mean_limits(truth), drift, variance).sum() < 0.5 * found.mean()


def test_theorem_4_survives_by_jensen() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        m = int(rng.integers(4, 9))
        edges = {(2 * k, 2 * k + 1): rng.uniform(0.01, 0.5) for k in range(int(rng.integers(1, m // 2 + 1)))}
        truth = Ising(rng.normal(), rng.uniform(0.02, 1.5, m), edges)
        random, mean = (estimation_error(truth, learner).sum() for learner in ("random", "mean"))
        assert random >= mean >= bounds.lower_bound(truth).terms["standing_bias"]


def test_sampling_error_under_dependence_has_the_spread_of_the_limits() -> None:
    truth = Ising.from_means(np.full(6, 0.95), epsilons={(0, 1): 0.05})
    rng, n = np.random.default_rng(0), 20_000
    estimates = np.array([learn(counts, "random", rng) for counts in truth.sample_counts(n, rng, 300)])
    square = ((estimates - mean_limits(truth)) ** 2).mean(axis=0)
    b_min = float(truth.pair_moments.min())
    spread = [float(triplet_limits(truth, i).limit.var()) for i in range(6)]
    assert square[0] > 1.5 * sampling_error(b_min, n).mean_square  # the lemma as printed
    assert all(square[i] <= sampling_error(b_min, n, spread[i]).mean_square for i in range(6))
    # E(a~ - abar)^2 = E(a~ - abar_jk)^2 + Var abar_jk, both parts exactly.
    exact = [triplet_limits(truth, i).variance.mean() / n + spread[i] for i in range(6)]
    assert square == pytest.approx(exact, rel=0.35)


def test_a_limit_that_is_no_accuracy_has_infinite_error() -> None:
    truth = Ising.from_means([0.75, 0.55, 0.7, 0.7], epsilons={(0, 1): 0.5})
    assert estimation_error(truth, "random")[0] == np.inf
