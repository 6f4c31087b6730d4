from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from karat import InputError, Ising, asymptotics, bounds, decompose
from karat.datasets import paper_model
from karat.theory.canonical import signs
from karat.theory.decomposition import learn
from karat.theory.ising import accuracy_model


def strong_model(m: int, d: int, epsilon: float = 0.1) -> Ising:
    """Sources of accuracy .75 to .9, the first d pairs dependent."""
    return Ising.from_means(np.linspace(0.75, 0.9, m), epsilons={(2 * k, 2 * k + 1): epsilon for k in range(d)})


GRID = [(paper_model(0), 0), (paper_model(2), 2), (paper_model(5), 5), (strong_model(8, 0), 0), (strong_model(8, 3), 3)]


def monte_carlo(
    truth: Ising, learner: Literal["labeled", "median", "random"], n: int, trials: int = 100
) -> tuple[float, float]:
    """Mean excess of the paper's form (without its sampling noise), and its standard error."""
    rng = np.random.default_rng(0)
    found = [
        decompose(truth, accuracy_model(learn(counts, learner, rng), truth.class_balance)).paper_excess
        for counts in truth.sample_counts(n, rng, trials)
    ]
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(trials))


@pytest.mark.parametrize("truth", [truth for truth, _ in GRID])
def test_upper_bounds_are_above_monte_carlo(truth: Ising) -> None:
    n = 5_000
    labeled, error = monte_carlo(truth, "labeled", n)
    # Theorem 2 is exact to order 1/n, so it may be touched but not passed.
    assert labeled <= bounds.labeled_bound(truth, n).total + 3 * error
    assert labeled == pytest.approx(bounds.labeled_bound(truth, n).total, abs=4 * error + 1e-4)
    unlabeled, error = monte_carlo(truth, "random", n)
    assert unlabeled <= bounds.unlabeled_bound(truth, n).total + 3 * error
    found = bounds.correction(truth)
    assert found.holds
    rng = np.random.default_rng(1)
    estimates = np.array([learn(counts, "median", rng) for counts in truth.sample_counts(n, rng, 100)])
    rho = float(((estimates - truth.a) ** 2).mean(axis=0).max())
    corrected, error = monte_carlo(truth, "median", n)
    assert corrected <= bounds.corrected_bound(truth, rho).total + 3 * error


@pytest.mark.parametrize("truth", [truth for truth, d in GRID if d])
def test_lower_bound_is_below_the_exact_limit(truth: Ising) -> None:
    limit = asymptotics(truth, "mean").limit
    exact = decompose(truth, accuracy_model(limit)).paper_excess
    assert bounds.lower_bound(truth).total <= exact + 1e-12
    assert bounds.lower_bound(truth).terms["standing_bias"] >= 0
    for weight in (0.0, 0.3, 1.0):
        mixed = decompose(truth, accuracy_model(weight * limit + (1 - weight) * truth.a)).paper_excess
        assert bounds.lower_bound(truth, weight).total <= mixed + 1e-12


def test_bounds_scale_as_the_paper_says() -> None:
    s = bounds.Summary.of(paper_model(2))
    n = 10_000
    base = bounds.unlabeled_bound(s, n).terms
    more_edges = bounds.unlabeled_bound(replace(s, d=4), n).terms
    assert more_edges["standing_bias"] == pytest.approx(2 * base["standing_bias"])
    assert more_edges["bias_and_variance"] == pytest.approx(2 * base["bias_and_variance"])
    assert more_edges["sampling"] == base["sampling"]
    more_sources = bounds.unlabeled_bound(replace(s, m=20), n).terms
    assert more_sources["standing_bias"] == pytest.approx(base["standing_bias"] / 2)
    assert more_sources["sampling"] == pytest.approx(2 * base["sampling"])
    more_points = bounds.unlabeled_bound(s, 2 * n).terms
    assert more_points["standing_bias"] == base["standing_bias"]
    assert more_points["bias_and_noise"] == pytest.approx(base["bias_and_noise"] / np.sqrt(2))
    assert more_points["sampling"] == pytest.approx(base["sampling"] / 2)
    assert bounds.labeled_bound(s, 2 * n).terms["sampling"] == pytest.approx(10 / (4 * n))
    lower = bounds.lower_bound(replace(s, m=1000, d=2)).terms["standing_bias"]
    more_lower = bounds.lower_bound(replace(s, m=2000, d=4)).terms["standing_bias"]
    assert more_lower / lower == pytest.approx(4 / 8, rel=0.01)  # d^2 / m^3


def test_partial_recovery() -> None:
    truth = paper_model(4)
    terms = [bounds.unlabeled_bound(truth, 1000, recovered).terms["standing_bias"] for recovered in range(5)]
    s, c = bounds.Summary.of(truth), bounds.constants(truth)
    for recovered, value in enumerate(terms):
        assert value == pytest.approx(s.epsilon_max * c.c1 * (4 - recovered) / (10 - 2 * recovered))
    assert terms[4] == 0
    with pytest.raises(InputError, match="recovered must be between 0 and 4"):
        bounds.unlabeled_bound(truth, 1000, 5)


def test_constants_by_hand() -> None:
    s = bounds.Summary(10, 2, 0.5, 0.5, 0.5, 0.5, 0.1, 0.1, 0.0)
    c = bounds.constants(s)
    # b = a = limit = 1/2: 1 - limit^2 = 3/4, b^2 a^2 = 1/16, (1 - b^2) / b^2 (1 / b^4 + 2 / b^2) = 3 * 24 = 72.
    assert c.c1 == pytest.approx(32 * (1 + 64 / 3))
    assert c.c2 == pytest.approx(64 / 3 * np.sqrt(216))
    assert c.c3 == pytest.approx(3 * 72 / (9 / 16) * 16)
    assert c.c4 == pytest.approx(3 * 72 / (8 * 0.75))
    assert c.c5 == pytest.approx(4 * 16 / (9 / 16))
    assert bounds.correction(s).n_0 == pytest.approx(12 * 72 / (0.01 / 16))
    assert bounds.lower_bound(s).terms["standing_bias"] == pytest.approx(6 * 4 * 0.01 / 16 / (2 * 81 * 64))


@pytest.mark.parametrize("d", [0, 1, 3, 5])
def test_consistent_triplets_are_those_that_are_right_in_the_limit(d: int) -> None:
    from karat.theory.asymptotics import _triplets

    truth = paper_model(d)
    found = bounds.correction(truth)
    for i in range(10):
        values, _ = _triplets(truth.pair_moments, i)
        right = int((np.abs(values - truth.a[i]) < 1e-9).sum())
        assert right == (found.consistent_in_edge if i < 2 * d else found.consistent_elsewhere)
        assert len(values) == found.triplets


def test_proposition_1_conditions() -> None:
    s = bounds.Summary.of(paper_model(2))
    assert not bounds.correction(replace(s, m=5)).enough_sources
    assert not bounds.correction(replace(s, d=18)).few_dependencies
    assert bounds.correction(replace(s, d=17)).holds
    assert bounds.correction(replace(s, epsilon_min=s.epsilon_min / 2)).n_0 == pytest.approx(
        4 * bounds.correction(s).n_0
    )
    assert bounds.correction(s).c_rho == pytest.approx(1 / (2 * (1 - s.a_max**2)))
    with pytest.raises(InputError, match=r"m > 5 and d < \(m - 1\)\(m - 2\) / 4 = 3 are needed"):
        bounds.corrected_bound(replace(s, m=5), 0.1)


@pytest.mark.parametrize("n_labeled", [20, 1_000, 10**6])
def test_combined_bounds_and_their_best_weight(n_labeled: int) -> None:
    n_unlabeled = 10**7
    grid = np.linspace(0, 1, 2001)
    for found in (
        bounds.well_specified_combination(paper_model(0), n_unlabeled, n_labeled),
        bounds.misspecified_combination(paper_model(3), n_unlabeled, n_labeled),
        bounds.corrected_combination(paper_model(3), 0.001, n_labeled),
    ):
        values = [found.at(weight).total for weight in grid]
        assert found.best.total <= min(values) + 1e-12
        assert found.best_weight == pytest.approx(grid[int(np.argmin(values))], abs=1e-3)
    s = bounds.Summary.of(paper_model(3))
    misspecified = bounds.misspecified_combination(s, n_unlabeled, n_labeled)
    only_gold = {name: value for name, value in misspecified.at(0).terms.items() if value}
    assert only_gold == {"labeled": s.m / (2 * n_labeled), "inference_bias": s.inference_bias}


def test_combined_bounds_are_above_monte_carlo() -> None:
    truth, n_unlabeled, n_labeled, weight = paper_model(3), 20_000, 200, 0.4
    rng = np.random.default_rng(0)
    found = []
    for unlabeled, labeled in zip(
        truth.sample_counts(n_unlabeled, rng, 100), truth.sample_counts(n_labeled, rng, 100), strict=True
    ):
        a = weight * learn(unlabeled, "random", rng) + (1 - weight) * learn(labeled, "labeled")
        found.append(decompose(truth, accuracy_model(a)).paper_excess)
    bound = bounds.misspecified_combination(truth, n_unlabeled, n_labeled).at(weight).total
    assert np.mean(found) <= bound
    well = paper_model(0)
    pairs = zip(well.sample_counts(n_unlabeled, rng, 100), well.sample_counts(n_labeled, rng, 100), strict=True)
    mixed = [weight * learn(u, "random", rng) + (1 - weight) * learn(v, "labeled") for u, v in pairs]
    excess = np.mean([decompose(well, accuracy_model(a)).paper_excess for a in mixed])
    assert excess <= bounds.well_specified_combination(well, n_unlabeled, n_labeled).at(weight).total


def test_best_weight_moves_as_the_paper_says() -> None:
    s = bounds.Summary.of(paper_model(3))
    weights = [bounds.misspecified_combination(s, 10**9, n).best_weight for n in (10, 100, 10_000)]
    assert weights == sorted(weights, reverse=True)
    well = bounds.well_specified_combination(replace(s, d=0, epsilon_max=0.0), 10**9, 100).best_weight
    assert well > bounds.misspecified_combination(s, 10**9, 100).best_weight


def test_value_ratios() -> None:
    s = bounds.Summary.of(paper_model(3))
    assert bounds.value_ratio_well_specified(s) == 2 * bounds.constants(s).c4
    # By the definition: the n_L whose bound equals that of n_U.
    for n in (10_000, 1_000_000):
        unlabeled = bounds.unlabeled_bound(s, n)
        f = s.m / (2 * (unlabeled.total - s.inference_bias))
        assert bounds.value_ratio_misspecified(s, n) == pytest.approx(n / f)
        assert bounds.value_ratio_corrected(s, n, 0.01) == pytest.approx(
            n / (s.m / (2 * bounds.corrected_bound(s, 0.01).terms["sampling"]))
        )
    growth = bounds.value_ratio_misspecified(s, 2 * 10**9) / bounds.value_ratio_misspecified(s, 10**9)
    assert growth == pytest.approx(2, rel=0.01)


def test_lower_value_ratio_is_below_the_exact_one() -> None:
    for truth in (paper_model(0), paper_model(3), strong_model(8, 2)):
        for n in (10_000, 10**7):
            exact = asymptotics(truth, "mean")
            spread = 0.5 * (exact.variance / (1 - truth.a**2)).sum() / n
            standing = decompose(truth, accuracy_model(exact.limit)).paper_excess - truth.inference_bias
            assert bounds.value_ratio_lower(truth, n) <= 2 * n / truth.m * (standing + spread) * (1 + 1e-9)


def test_vote_information_is_the_curvature_of_the_likelihood() -> None:
    truth = Ising.from_means([0.7, 0.8, 0.65, 0.75], class_balance=0.4)

    def log_likelihood(a: np.ndarray) -> float:
        s = signs(4)
        given_class = np.stack([((1 - s * a) / 2).prod(axis=1), ((1 + s * a) / 2).prod(axis=1)], axis=1)
        return float(truth.probabilities.sum(axis=1) @ np.log(given_class @ truth.class_balance))

    h, found = 1e-4, np.empty((4, 4))
    steps = h * np.eye(4)
    for i in range(4):
        for j in range(4):
            corners = [
                sign * log_likelihood(truth.a + u * steps[i] + v * steps[j])
                for u, v, sign in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
            ]
            found[i, j] = -sum(corners) / (4 * h * h)
    np.testing.assert_allclose(bounds.vote_information(truth), found, atol=1e-5)


def test_refusals() -> None:
    with pytest.raises(InputError, match="at most one edge each"):
        bounds.Summary.of(Ising(0.0, np.full(4, 0.3), {(0, 1): 0.1, (1, 2): 0.1}))
    with pytest.raises(InputError, match="positive accuracies"):
        bounds.Summary.of(Ising.from_means([0.7, 0.4, 0.6]))
    with pytest.raises(InputError, match="n_labeled must be at least 1"):
        bounds.labeled_bound(paper_model(0), 0)
    with pytest.raises(InputError, match="weight must be between 0 and 1"):
        bounds.lower_bound(paper_model(1), 1.5)
    with pytest.raises(InputError, match="at most 20 sources"):
        bounds.vote_information(Ising.from_means(np.full(21, 0.7)))
