from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, count, pairwise, product
from typing import Literal

import numpy as np
import pytest

from carob import InputError
from carob.paper import Ising, asymptotics, bounds, decompose, triplets
from carob.paper.datasets import paper_model
from carob.paper.experiments.trials import random_triplet_accuracies, triplet_accuracies
from carob.paper.theory.canonical import signs
from carob.paper.theory.decomposition import learn
from carob.paper.theory.estimation import estimation_error
from carob.paper.theory.ising import accuracy_model
from carob.paper.theory.triplet_limits import triplet_limits


def strong_model(m: int, d: int, epsilon: float = 0.1) -> Ising:
    """Sources of accuracy .75 to .9, the first d pairs dependent."""
    return Ising.from_means(np.linspace(0.75, 0.9, m), epsilons={(2 * k, 2 * k + 1): epsilon for k in range(d)})


def good_model(m: int, d: int, a: float, epsilon: float) -> Ising:
    """Sources with equal and high E[l_i Y], the first d pairs a little dependent: where the bounds are not so loose."""
    edges = {(2 * k, 2 * k + 1): epsilon for k in range(d)}
    return Ising.from_means(np.full(m, (1 + a) / 2), epsilons=edges)


# Numbers that are all different, so that none can stand in for another.
# b^2 a_min^2 = 1/4 1/9 = 1/36; 1 - limit^2 = 16/25; (1 - b^2) / b^2 (1 / b^4 + 2 / b^2) = 3 (16 + 8) = 72. Hence
#   c1 = 2 36 (1 + 36 25/16) = 72 57.25 = 4122
#   c2 = 36 25/16 sqrt(3 72) = 56.25 6 sqrt(6) = 337.5 sqrt(6)
#   c3 = 3 72 36 (25/16)^2 = 7776 625/256 = 18984.375
#   c4 = 3 72 / 8 25/16 = 27 25/16 = 42.1875
#   c5 = 4 36 (25/16)^2 = 144 625/256 = 351.5625
BY_HAND = bounds.Summary(
    m=12,
    d=3,
    a_min=1 / 3,
    a_max=1 / 2,
    limit_max=3 / 5,
    b_min=1 / 2,
    epsilon_min=0.1,
    epsilon_max=0.2,
    inference_bias=0.01,
)

WELL_BY_HAND = replace(BY_HAND, d=0, epsilon_min=0.0, epsilon_max=0.0)

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


def test_summary_by_hand() -> None:
    a, epsilons = [0.6, 0.4, 0.8, 0.5, 0.7, 0.3], {(0, 1): 0.05, (2, 3): 0.1}
    s = bounds.Summary.of(Ising.from_means((1 + np.array(a)) / 2, epsilons=epsilons))
    b = {(i, j): a[i] * a[j] + epsilons.get((i, j), 0) for i, j in combinations(range(6), 2)}
    b |= {(j, i): value for (i, j), value in b.items()}
    limits = [
        np.sqrt(b[i, j] * b[i, k] / b[j, k]) for i in range(6) for j, k in combinations(range(6), 2) if i not in (j, k)
    ]
    # Given Y, P(both as u Y, v Y) = (1 + u a_i + v a_j + u v b_ij) / 4; I is its divergence from the product.
    nats = 0.0
    for i, j in epsilons:
        for u, v in product((-1, 1), repeat=2):
            both = (1 + u * a[i] + v * a[j] + u * v * b[i, j]) / 4
            nats += both * np.log(both / ((1 + u * a[i]) / 2 * (1 + v * a[j]) / 2))
    assert (s.m, s.d) == (6, 2)
    assert (s.a_min, s.a_max, s.b_min) == pytest.approx((0.3, 0.8, 0.3 * 0.4))
    assert (s.epsilon_min, s.epsilon_max) == pytest.approx((0.05, 0.1))
    assert (s.limit_max, s.inference_bias) == pytest.approx((max(limits), nats))


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


@pytest.mark.parametrize("a", [0.9, 0.95, 0.98])
def test_upper_bounds_are_near_monte_carlo_where_sources_are_good(a: float) -> None:
    """Of poor sources the bounds are thousands of nats, which nothing can pass; here they are within a factor."""
    truth, n = good_model(8, 0, a, 0), 5_000
    found, error = monte_carlo(truth, "random", n)
    assert found - 3 * error <= bounds.unlabeled_bound(truth, n).total <= 12 * found
    assert found - 3 * error <= bounds.well_specified_combination(truth, n, n).at(1).total <= 12 * found


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("a", [0.95, 0.97])
def test_every_term_of_theorem_3_is_above_the_sum_that_it_bounds(a: float, d: int) -> None:
    """The sums of eq:acc_decomposition over sources and triplets, with exact limits and variances."""
    truth, n = good_model(10, d, a, 0.3 * (1 - a**2)), 10_000
    sums = dict.fromkeys(("bias_and_noise", "bias_and_variance", "sampling"), 0.0)
    for i in range(10):
        triplets = triplet_limits(truth, i)
        bias, rest, variance = triplets.limit - truth.a[i], 1 - triplets.limit**2, triplets.variance / n
        sums["bias_and_noise"] += (np.abs(bias) / rest * np.sqrt(2 / np.pi * variance)).mean()  # E|x| of a Gaussian
        sums["bias_and_variance"] += (np.maximum(bias, 0) / rest**2 * variance).mean()
        sums["sampling"] += (variance / (2 * rest)).mean()
    sums["standing_bias"] = estimation_error(truth, "random").sum()
    terms = bounds.unlabeled_bound(truth, n).terms
    for name, value in sums.items():
        assert value <= terms[name]
    # All but the first are of the right size; that one takes epsilon^2 to be epsilon.
    for name, most in {"bias_and_noise": 35, "bias_and_variance": 25, "sampling": 10}.items():
        assert terms[name] <= most * sums[name]


@pytest.mark.parametrize("truth", [truth for truth, d in GRID if d])
def test_lower_bound_is_below_the_exact_limit(truth: Ising) -> None:
    limit = asymptotics(truth, "mean").limit
    exact = decompose(truth, accuracy_model(limit)).paper_excess
    assert bounds.lower_bound(truth).total <= exact + 1e-12
    for weight in (0.0, 0.3, 1.0):
        mixed = decompose(truth, accuracy_model(weight * limit + (1 - weight) * truth.a)).paper_excess
        assert bounds.lower_bound(truth, weight).total <= mixed + 1e-12


def test_lower_bound_grows_as_the_exact_error_of_sources_without_an_edge() -> None:
    """The theorem bounds the sum over these sources; of weak dependence, both go with m, d, epsilon and alpha alike.

    With all a equal, a triplet (i, j, k) with the edge (j, k) gives abar^2 = a^4 / (a^2 + epsilon), so a - abar is
    epsilon / (2 a), against the bound's epsilon a^4 / 2; a divergence is (a - abar)^2 / (2 (1 - a^2)), against half
    the square. The exact sum is a^-10 / (1 - a^2) times the bound; with a^2 = 3/4, (4/3)^5 4 = 4096/243.
    """
    for m, d, epsilon, weight in ((8, 1, 2e-3, 1.0), (8, 3, 2e-3, 1.0), (14, 4, 2e-3, 0.5), (14, 1, 1e-3, 0.2)):
        truth = good_model(m, d, np.sqrt(0.75), epsilon)
        limit = weight * asymptotics(truth, "mean").limit + (1 - weight) * truth.a
        exact = decompose(truth, accuracy_model(limit)).estimation
        without_edge = sum(exact[i] for i in range(2 * d, m))
        bound = bounds.lower_bound(truth, weight)
        assert without_edge / bound.terms["standing_bias"] == pytest.approx(4096 / 243, rel=0.01)
        assert bound.terms["inference_bias"] == truth.inference_bias
    # Where every source has an edge, nothing is left to bound.
    assert bounds.lower_bound(paper_model(5)).terms["standing_bias"] == 0


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


def test_partial_recovery_by_hand() -> None:
    terms = [bounds.unlabeled_bound(BY_HAND, 10_000, recovered).terms for recovered in range(4)]
    # epsilon c1 (d - d') / (m - 2 d') = 824.4 times 3/12, 2/10, 1/8 and 0; 3/12 of epsilon c3 / n is 0.094921875.
    assert [term["standing_bias"] for term in terms] == pytest.approx([206.1, 164.88, 103.05, 0])
    assert [term["bias_and_variance"] for term in terms] == pytest.approx(
        [0.094921875, 0.094921875 * 4 / 5, 0.094921875 / 2, 0]
    )
    # Without misspecification only the well-specified noise is left.
    assert terms[3] == pytest.approx(
        {"standing_bias": 0, "bias_and_noise": 0, "bias_and_variance": 0, "sampling": 0.050625, "inference_bias": 0.01}
    )


def test_partial_recovery() -> None:
    """Triplets of exact moments that avoid known pairs: the standing error falls with the bound, and ends with it."""
    truth = paper_model(4)
    moments = truth.moments()

    def standing_error(known: list[tuple[int, int]]) -> float:
        pairs = [(moments.sources[i], moments.sources[j]) for i, j in known]
        model = triplets(moments, "mean", 0.5, symmetric=True, known_pairs=pairs)
        return sum(decompose(truth, model).estimation.values())

    edges = list(truth.epsilons)
    errors = [standing_error(edges[:recovered]) for recovered in range(5)]
    terms = [bounds.unlabeled_bound(truth, 1000, recovered).terms["standing_bias"] for recovered in range(5)]
    assert all(after < before for before, after in pairwise(errors))
    assert all(after < before for before, after in pairwise(terms))
    assert all(error <= term + 1e-12 for error, term in zip(errors, terms, strict=True))
    # As many pairs that are no edges do not help.
    assert standing_error([(0, 2), (1, 3), (4, 6), (5, 7)]) > errors[0]
    with pytest.raises(InputError, match="recovered must be between 0 and 4"):
        bounds.unlabeled_bound(truth, 1000, 5)


def test_constants_by_hand() -> None:
    c = bounds.constants(BY_HAND)
    assert c.c1 == pytest.approx(4122)
    assert c.c2 == pytest.approx(337.5 * np.sqrt(6))
    assert c.c3 == pytest.approx(18984.375)
    assert c.c4 == pytest.approx(42.1875)
    assert c.c5 == pytest.approx(351.5625)
    # Another limit, of 1/2: 1 - limit^2 = 3/4, so that c4 = 27 4/3.
    assert bounds.constants(BY_HAND, 0.5).c4 == pytest.approx(36)


def test_theorems_by_hand() -> None:
    assert bounds.labeled_bound(BY_HAND, 400).terms == pytest.approx({"sampling": 0.015, "inference_bias": 0.01})
    # Theorem 3 with n = 10,000: 0.2 4122 3/12, 0.2 337.5 sqrt(6) / 100, 0.2 18984.375 3/12 / 10^4, 42.1875 12 / 10^4.
    assert bounds.unlabeled_bound(BY_HAND, 10_000).terms == pytest.approx(
        {
            "standing_bias": 206.1,
            "bias_and_noise": 0.675 * np.sqrt(6),
            "bias_and_variance": 0.094921875,
            "sampling": 0.050625,
            "inference_bias": 0.01,
        }
    )
    # Theorem 4: (12 - 6) 9 0.01 / 16 / (2 121 100) = 0.03375 / 24200; the corollary has alpha^2 of it.
    assert bounds.lower_bound(BY_HAND).terms == pytest.approx(
        {"standing_bias": 0.03375 / 24200, "inference_bias": 0.01}
    )
    assert bounds.lower_bound(BY_HAND, 0.5).terms["standing_bias"] == pytest.approx(0.03375 / 96800)
    # Proposition 1: 55 triplets, of which 10 hold a source's own edge and 2 another; 12 72 / (0.01 / 16) points;
    # c_rho = 1 / (2 3/4).
    found = bounds.correction(BY_HAND)
    assert (found.triplets, found.consistent_in_edge, found.consistent_elsewhere) == (55, 43, 52)
    assert found.n_0 == pytest.approx(1_382_400)
    assert found.c_rho == pytest.approx(2 / 3)
    assert bounds.corrected_bound(BY_HAND, 0.003).terms == pytest.approx({"sampling": 0.024, "inference_bias": 0.01})


@pytest.mark.parametrize("d", [0, 1, 3, 5])
def test_consistent_triplets_are_those_that_are_right_in_the_limit(d: int) -> None:
    truth = paper_model(d)
    found = bounds.correction(truth)
    for i in range(10):
        values = triplet_limits(truth, i).limit
        right = int((np.abs(values - truth.a[i]) < 1e-9).sum())
        assert right == (found.consistent_in_edge if i < 2 * d else found.consistent_elsewhere)
        assert len(values) == found.triplets


def test_proposition_1_conditions() -> None:
    s = bounds.Summary.of(paper_model(2))
    assert not bounds.correction(replace(s, m=5)).enough_sources
    assert bounds.correction(replace(s, m=6)).enough_sources
    assert not bounds.correction(replace(s, d=18)).few_dependencies
    assert bounds.correction(replace(s, d=17)).holds
    assert bounds.correction(replace(s, epsilon_min=s.epsilon_min / 2)).n_0 == pytest.approx(
        4 * bounds.correction(s).n_0
    )
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


def test_combined_bounds_by_hand() -> None:
    n_unlabeled, n_labeled = 10_000, 400
    half = bounds.misspecified_combination(BY_HAND, n_unlabeled, n_labeled).at(0.5)
    # Theorem 3's terms times alpha, alpha^2, alpha^3 and alpha^2; 0.2 351.5625 3/12 / 400 times alpha (1 - alpha)^2.
    expected = {
        "standing_bias": 206.1 / 2,
        "bias_and_noise": 0.675 * np.sqrt(6) / 4,
        "bias_and_variance": 0.094921875 / 8,
        "bias_and_labels": 0.0439453125 / 8,
        "unlabeled": 0.050625 / 4,
        "labeled": 0.015 / 4,
        "inference_bias": 0.01,
    }
    assert half.terms == pytest.approx(expected)
    # The limit of the combination lies between the limit and the truth, so the larger of the two counts.
    turned = replace(BY_HAND, limit_max=BY_HAND.a_max, a_max=BY_HAND.limit_max)
    assert bounds.misspecified_combination(turned, n_unlabeled, n_labeled).at(0.5).terms == pytest.approx(expected)
    well = bounds.well_specified_combination(WELL_BY_HAND, n_unlabeled, n_labeled)
    assert well.at(0.2).terms == pytest.approx(
        {"unlabeled": 0.050625 / 25, "labeled": 0.015 * 16 / 25, "inference_bias": 0.01}
    )
    # A alpha^2 + B (1 - alpha)^2 is smallest at B / (A + B), where it is A B / (A + B).
    assert well.best_weight == pytest.approx(0.015 / 0.065625)
    assert well.best.total == pytest.approx(0.050625 * 0.015 / 0.065625 + 0.01)
    corrected = bounds.corrected_combination(BY_HAND, 0.003, n_labeled)
    assert corrected.at(0.5).terms == pytest.approx(
        {"unlabeled": 0.024 / 4, "labeled": 0.015 / 4, "inference_bias": 0.01}
    )
    assert corrected.best_weight == pytest.approx(0.015 / 0.039)


def combined_monte_carlo(
    truth: Ising, learner: Literal["median", "random"], n_unlabeled: int, n_labeled: int, weight: float
) -> tuple[float, float]:
    """Mean excess, in the paper's form, of a linear combination, and its standard error."""
    rng, trials = np.random.default_rng(0), 400
    samples = zip(
        truth.sample_counts(n_unlabeled, rng, trials), truth.sample_counts(n_labeled, rng, trials), strict=True
    )
    mixed = [weight * learn(u, learner, rng) + (1 - weight) * learn(v, "labeled") for u, v in samples]
    found = [decompose(truth, accuracy_model(a)).paper_excess for a in mixed]
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(trials))


@pytest.mark.parametrize("weight", [0.0, 0.4, 0.8])
def test_combined_bounds_are_above_monte_carlo(weight: float) -> None:
    n_unlabeled, n_labeled = 10_000, 1_000
    well = good_model(8, 0, 0.9, 0)
    bound = bounds.well_specified_combination(well, n_unlabeled, n_labeled).at(weight)
    found, error = combined_monte_carlo(well, "random", n_unlabeled, n_labeled, weight)
    assert found - 4 * error <= bound.total
    # The part of gold is no bound but the exact leading term. With what triplets alone have in place of their bound,
    # alpha^2 and (1 - alpha)^2 of the two parts make up the whole.
    alone, error_alone = combined_monte_carlo(well, "random", n_unlabeled, n_labeled, 1.0)
    assert found == pytest.approx(
        weight**2 * alone + bound.terms["labeled"], abs=4 * (error + weight**2 * error_alone), rel=0.06
    )
    apart = good_model(8, 2, 0.9, 0.04)
    found, error = combined_monte_carlo(apart, "random", n_unlabeled, n_labeled, weight)
    assert found - 4 * error <= bounds.misspecified_combination(apart, n_unlabeled, n_labeled).at(weight).total
    # Without triplets the bound is that of gold, and is touched.
    if weight == 0:
        assert found == pytest.approx(
            bounds.misspecified_combination(apart, n_unlabeled, n_labeled).at(0).total, abs=4 * error, rel=0.06
        )


def test_best_weight_moves_as_the_paper_says() -> None:
    truth = good_model(10, 3, 0.95, 0.01)
    weights = [bounds.misspecified_combination(truth, 10**9, n).best_weight for n in (10, 30, 50, 10_000)]
    assert 1 > weights[0] > weights[1] > weights[2] > 0
    assert weights[3] == 0
    well = bounds.well_specified_combination(good_model(10, 0, 0.95, 0), 10**9, 10).best_weight
    assert 1 > well > weights[0]
    corrected = bounds.corrected_combination(truth, 1e-6, 10).best_weight
    assert 1 > corrected > weights[0]


def test_value_ratios_by_hand() -> None:
    assert bounds.value_ratio_well_specified(WELL_BY_HAND) == pytest.approx(84.375)  # 2 42.1875
    # 2 eps (c1 d n / m^2 + c2 sqrt(n) / m + c3 d / m^2) + 2 c4, n = 10,000:
    # 0.4 (4122 3 10^4 / 144 + 337.5 sqrt(6) 100 / 12 + 18984.375 3 / 144) + 84.375
    # = 0.4 (858750 + 2812.5 sqrt(6) + 395.5078125) + 84.375
    expected = 343742.578125 + 1125 * np.sqrt(6)
    assert bounds.value_ratio_misspecified(BY_HAND, 10_000) == pytest.approx(expected)
    # 2 n 2/3 0.003, with as many points as Proposition 1 asks for.
    assert bounds.value_ratio_corrected(BY_HAND, 1_382_400, 0.003) == pytest.approx(0.004 * 1_382_400)
    growth = bounds.value_ratio_misspecified(BY_HAND, 2 * 10**9) / bounds.value_ratio_misspecified(BY_HAND, 10**9)
    assert growth == pytest.approx(2, rel=0.01)


def test_value_ratios() -> None:
    """By the definition: n_U over the smallest n_L whose bound is at most that of n_U, looked for one by one."""
    well, apart = (bounds.Summary.of(good_model(10, d, 0.97, 1e-4)) for d in (0, 2))
    n, rho = 20_000, 1e-5
    with pytest.warns(UserWarning, match="proven from n_0 = 701,307,975 points on; with 20,000 noise"):
        corrected = bounds.value_ratio_corrected(apart, n, rho)
    for s, ratio, bound in (
        (well, bounds.value_ratio_well_specified(well), bounds.unlabeled_bound(well, n)),
        (apart, bounds.value_ratio_misspecified(apart, n), bounds.unlabeled_bound(apart, n)),
        (apart, corrected, bounds.corrected_bound(apart, rho)),
    ):
        labels = next(k for k in count(1) if bounds.labeled_bound(s, k).total <= bound.total)
        assert labels > 100
        assert n / labels <= ratio < n / (labels - 1)


def exact_value_ratio(truth: Ising, n: int) -> float:
    """With the exact limits and variances of mean triplets in place of bounds."""
    exact = asymptotics(truth, "mean")
    spread = 0.5 * (exact.variance / (1 - truth.a**2)).sum() / n
    standing = decompose(truth, accuracy_model(exact.limit)).paper_excess - truth.inference_bias
    return float(2 * n / truth.m * (standing + spread))


def test_lower_value_ratio_is_below_the_exact_one() -> None:
    for truth in (paper_model(0), paper_model(3), strong_model(8, 2)):
        for n in (10_000, 10**7):
            assert bounds.value_ratio_lower(truth, n) <= exact_value_ratio(truth, n) * (1 + 1e-9)
    # Without dependence triplets lose a little against the bound of Cramer and Rao, and no more.
    assert bounds.value_ratio_lower(paper_model(0), 10_000) > 0.7 * exact_value_ratio(paper_model(0), 10_000)
    # With dependence both grow with n.
    few, many = (bounds.value_ratio_lower(strong_model(8, 2), n) for n in (10_000, 10**9))
    assert many > 2 * few


def simulated_value_ratio(
    truth: Ising, n: int, learner: Literal["mean", "random"], rng: np.random.Generator, trials: int
) -> tuple[float, float]:
    """2 n / m times the estimation error of triplets in samples of n points, and its standard error."""
    s, m = signs(truth.m), truth.m
    p = truth.probabilities[:, 1] / truth.probabilities[:, 1].sum()  # of who is right
    b = np.einsum("tp,pi,pj->tij", rng.multinomial(n, p, trials) / n, s, s, optimize=True)
    estimate = triplet_accuracies(b, n, "mean") if learner == "mean" else random_triplet_accuracies(b, n, rng)
    a = truth.a
    error = (1 + a) / 2 * np.log((1 + a) / (1 + estimate)) + (1 - a) / 2 * np.log((1 - a) / (1 - estimate))
    found = 2 * n / m * error.sum(axis=1)
    return float(found.mean()), float(found.std() / np.sqrt(trials))


@pytest.mark.parametrize(
    ("theta", "edge", "before"), [([0.143, 0.093, 1.358], 0.272, 580), ([0.051, 0.056, 0.116, 1.363], 0.244, 1_521)]
)
def test_lower_value_ratio_is_below_where_weak_sources_depend(theta: list[float], edge: float, before: float) -> None:
    """With the noise of unbiased estimates added, the bound had been above."""
    truth = Ising(0.0, np.array(theta), {(0, 1): edge})
    for learner in ("mean", "random"):
        found, error = simulated_value_ratio(truth, 1_000, learner, np.random.default_rng(0), 1_000)
        assert bounds.value_ratio_lower(truth, 1_000) <= found - 4 * error
        assert found + 4 * error < before


def test_no_violation_of_the_lower_value_ratio_among_random_models() -> None:
    """Weak sources and few points among them."""
    rng = np.random.default_rng(0)
    tried = {False: 0, True: 0}
    for k in range(2_500):
        m = int(rng.integers(3, 7))
        edges = {(2 * e, 2 * e + 1): np.exp(rng.uniform(-4, -0.5)) for e in range(int(rng.integers(0, m // 2 + 1)))}
        truth = Ising(0.0, np.exp(rng.uniform(-3, 0.5, m)), edges)
        n = int(10 ** rng.uniform(2, 5))
        found, error = simulated_value_ratio(truth, n, "mean" if k % 2 else "random", rng, 60)
        bound = bounds.value_ratio_lower(truth, n)
        assert found + 3 * error >= bound
        tried[bool(edges)] += bound > 0
    assert min(tried.values()) > 300


def test_lower_value_ratio_of_many_sources_is_that_of_gold() -> None:
    truth = Ising.from_means(np.full(30, 0.8))
    assert bounds.value_ratio_lower(truth, 10_000) == pytest.approx(1)
    assert 1 <= bounds.value_ratio_exact(truth, 10_000, "mean") < 1.2
    # Sources that few points cannot tell from noise do not count.
    weak = Ising.from_means(np.full(3, 0.52))
    assert bounds.value_ratio_lower(weak, 1_000) == 0
    assert bounds.value_ratio_lower(weak, 10**9) == pytest.approx(bounds.value_ratio_exact(weak, 10**9), rel=1e-3)


@pytest.mark.parametrize("p", [[0.7, 0.8, 0.65], [0.9, 0.75, 0.95]])
def test_lower_value_ratio_is_attained_by_three_sources(p: list[float]) -> None:
    """Three agreements determine three accuracies: triplets are then the maximum of the likelihood."""
    truth = Ising.from_means(p)
    assert bounds.value_ratio_lower(truth, 1_000) == pytest.approx(exact_value_ratio(truth, 1_000))


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


def test_conditions_are_checked_where_they_are_used() -> None:
    few = replace(BY_HAND, m=5, d=1)
    for refused in (
        lambda: bounds.corrected_bound(few, 0.1),
        lambda: bounds.corrected_combination(few, 0.1, 10),
        lambda: bounds.value_ratio_corrected(few, 10**9, 0.1),
    ):
        with pytest.raises(InputError, match=r"not known to be consistent with m = 5 and d = 1"):
            refused()
    for refused in (
        lambda: bounds.well_specified_combination(BY_HAND, 10, 10),
        lambda: bounds.value_ratio_well_specified(BY_HAND),
    ):
        with pytest.raises(InputError, match="without dependencies; the model has 3"):
            refused()
    for warns in (
        lambda: bounds.corrected_bound(BY_HAND, 0.003, 1_382_399),
        lambda: bounds.corrected_combination(BY_HAND, 0.003, 10, 1_382_399),
        lambda: bounds.value_ratio_corrected(BY_HAND, 1_382_399, 0.003),
    ):
        with pytest.warns(UserWarning, match="from n_0 = 1,382,400 points on; with 1,382,399"):
            warns()
    bounds.corrected_bound(BY_HAND, 0.003, 1_382_400)  # does not


def test_with_all_pairs_known_no_bias_is_left() -> None:
    truth = paper_model(5)  # ten sources in five pairs
    assert bounds.estimation_bias(truth, 1_000, 5).total == 0
    assert set(bounds.unlabeled_bound(truth, 1_000, 5).terms) == set(bounds.unlabeled_bound(truth, 1_000).terms)
    known = asymptotics(truth, "mean", known_pairs=list(truth.theta_edges))
    np.testing.assert_allclose(known.bias, 0, atol=1e-12)
    for m, d in ((3, 1), (4, 2)):
        with pytest.raises(InputError, match=f"with {d} known pairs of {m} sources no triplet is left"):
            bounds.estimation_bias(replace(BY_HAND, m=m, d=d), 10, d)
        pairs = [(2 * k, 2 * k + 1) for k in range(d)]
        with pytest.raises(InputError, match="no triplet without a known pair"):
            asymptotics(Ising.from_means(np.full(m, 0.8)), "mean", known_pairs=pairs)


def test_estimation_bias_is_theorem_3_without_noise_and_inference() -> None:
    whole, bias = (f(BY_HAND, 10_000, 1) for f in (bounds.unlabeled_bound, bounds.estimation_bias))
    assert whole.total - bias.total == pytest.approx(0.050625 + 0.01)
    assert all(whole.terms[name] == value for name, value in bias.terms.items())


def test_bounds_of_many_sources() -> None:
    """Pair moments are enough, so that nothing stops at twenty sources."""
    m, a, epsilon = 1_000, 0.8, 0.02
    s = bounds.Summary.of(good_model(m, 500, a, epsilon))
    assert s.limit_max == pytest.approx(np.sqrt(a**2 + epsilon))
    assert (s.b_min, s.d, s.epsilon_max) == pytest.approx((a**2, 500, epsilon))
    assert bounds.labeled_bound(s, 1_000).total == pytest.approx(0.5 + s.inference_bias)
    assert bounds.correction(s).holds
    few = bounds.Summary.of(good_model(10, 5, a, epsilon))
    assert bounds.constants(s) == bounds.constants(few)


def test_theta_must_be_positive_and_then_every_triplet_tends_to_less_than_one() -> None:
    follower = Ising(0.0, np.array([1.0, -0.1, 0.8, 0.8]), {(0, 1): 1.0})
    assert (follower.a > 0).all()
    assert triplet_limits(follower, 0).limit.max() > 1
    with pytest.raises(InputError, match=r"theta of source 1 is -0.1"):
        bounds.Summary.of(follower)
    rng = np.random.default_rng(0)
    for _ in range(100):
        m = int(rng.integers(4, 8))
        edges = {(2 * k, 2 * k + 1): np.exp(rng.uniform(-3, 1)) for k in range(int(rng.integers(0, m // 2 + 1)))}
        truth = Ising(0.0, np.exp(rng.uniform(-5, 0.5, m)), edges)
        largest = max(triplet_limits(truth, i).limit.max() for i in range(m))
        assert largest <= bounds.Summary.of(truth).limit_max * (1 + 1e-12) < 1
    # A source that follows another, and has nothing of its own, makes triplets tend to 1 and their error infinite.
    edge_case = Ising(0.0, np.array([1.0, 0.0, 0.8, 0.8, 0.8, 0.8]), {(0, 1): 1.0})
    assert triplet_limits(edge_case, 0).limit.max() == pytest.approx(1, abs=1e-12)
    with pytest.raises(InputError, match="need triplets that tend to less than 1, not to 1"):
        bounds.constants(replace(BY_HAND, limit_max=1.0))


@pytest.mark.parametrize("seed", range(3))
def test_theorem_3_is_above_the_exact_error_of_random_triplets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        m = int(rng.integers(3, 9))
        edges = {(2 * k, 2 * k + 1): np.exp(rng.uniform(-4, 1)) for k in range(int(rng.integers(1, m // 2 + 1)))}
        truth = Ising(0.0, rng.uniform(0.05, 2, m), edges)
        for n in (10**12, 10**6, 10**4):
            bias = bounds.estimation_bias(truth, n).total + bounds.constants(truth).c4 * m / n
            assert estimation_error(truth, "random", n).sum() <= bias


def test_refusals() -> None:
    with pytest.raises(InputError, match="at most one edge each"):
        bounds.Summary.of(Ising(0.0, np.full(4, 0.3), {(0, 1): 0.1, (1, 2): 0.1}))
    with pytest.raises(InputError, match="positive accuracies"):
        bounds.Summary.of(Ising.from_means([0.7, 0.4, 0.6]))
    of_labels: list[Callable[[int], object]] = [
        lambda n: bounds.labeled_bound(BY_HAND, n),
        lambda n: bounds.well_specified_combination(WELL_BY_HAND, 10, n),
        lambda n: bounds.misspecified_combination(BY_HAND, 10, n),
        lambda n: bounds.corrected_combination(BY_HAND, 0.1, n),
    ]
    of_points: list[Callable[[int], object]] = [
        lambda n: bounds.unlabeled_bound(BY_HAND, n),
        lambda n: bounds.well_specified_combination(WELL_BY_HAND, n, 10),
        lambda n: bounds.misspecified_combination(BY_HAND, n, 10),
        lambda n: bounds.value_ratio_misspecified(BY_HAND, n),
        lambda n: bounds.value_ratio_corrected(BY_HAND, n, 0.1),
        lambda n: bounds.value_ratio_lower(paper_model(1), n),
        lambda n: bounds.value_ratio_exact(paper_model(1), n),
        lambda n: bounds.estimation_bias(BY_HAND, n),
        lambda n: bounds.corrected_bound(BY_HAND, 0.1, n),
        lambda n: bounds.corrected_combination(BY_HAND, 0.1, 10, n),
    ]
    for name, functions in (("n_labeled", of_labels), ("n_unlabeled", of_points)):
        for function in functions:
            with pytest.raises(InputError, match=f"{name} must be at least 1, not 0"):
                function(0)
    for model in (Ising.from_means([0.7, 0.6]), Ising.from_means([0.7, 0.8, 0.6], epsilons={(0, 1): -0.05})):
        with pytest.raises(InputError, match="three or more sources with positive accuracies and agreements"):
            bounds.Summary.of(model)
    with pytest.raises(InputError, match="weight must be between 0 and 1"):
        bounds.lower_bound(paper_model(1), 1.5)
    with pytest.raises(InputError, match="at most 20 sources"):
        bounds.vote_information(Ising.from_means(np.full(21, 0.7)))
