from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob import InputError
from carob.paper import Ising, asymptotics
from carob.paper.datasets import paper_model
from carob.paper.theory.decomposition import learn
from carob.paper.theory.ising import accuracy_model
from carob.paper.theory.lemmas import (
    accuracy_bias_range,
    class_conditional_bias_bound,
    class_conditional_misspecification,
    combined_kl_expansion,
    edge_epsilon,
    kl_expansion,
    largest_bias,
    sampling_error,
)
from carob.paper.theory.triplet_limits import triplet_limits


@given(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-1, 1), st.floats(-1, 1))
@settings(max_examples=80, deadline=None)
def test_epsilon_of_an_edge_equals_enumeration(ti: float, tj: float, tij: float, ty: float) -> None:
    found = edge_epsilon(ti, tj, tij)
    with_edge = Ising(ty, np.array([ti, 0.3, tj]), {(0, 2): tij})
    without = Ising(ty, np.array([ti, 0.3, tj]), {})
    assert found.epsilon == pytest.approx(with_edge.epsilons[0, 2], abs=1e-13)
    assert found.delta_i == pytest.approx(with_edge.a[0] - without.a[0], abs=1e-13)
    assert found.delta_j == pytest.approx(with_edge.a[2] - without.a[2], abs=1e-13)
    assert found.delta_ij == pytest.approx(with_edge.pair_moments[0, 2] - without.pair_moments[0, 2], abs=1e-13)
    assert found.a_i == pytest.approx(without.a[0], abs=1e-13)
    assert found.a_j == pytest.approx(without.a[2], abs=1e-13)


@given(st.floats(0.01, 2), st.floats(0.01, 2), st.floats(0.01, 2))
@settings(max_examples=80, deadline=None)
def test_epsilon_is_between_zero_and_one_for_positive_parameters(ti: float, tj: float, tij: float) -> None:
    assert 0 < edge_epsilon(ti, tj, tij).epsilon < 1


def test_symmetry() -> None:
    truth = Ising(0.4, np.array([0.2, 0.5, 0.1]), {(0, 1): 0.3})
    model = accuracy_model(truth.a)
    given_class = truth.probabilities / truth.probabilities.sum(axis=0)
    cube = given_class.reshape(2, 2, 2, 2)
    for i in range(3):
        axes = tuple(k for k in range(3) if k != i)
        np.testing.assert_allclose(cube.sum(axis=axes).T, model.conditionals[i][:, 1:], atol=1e-14)


def test_class_conditional_misspecification_equals_enumeration() -> None:
    truth = Ising(0.4, np.array([0.2, 0.5, 0.1]), {(0, 2): 0.3})
    cube = truth.probabilities.reshape(2, 2, 2, 2)
    pair = cube.sum(axis=1)
    expected = np.zeros((2, 2))
    for y in (0, 1):
        joint = pair[:, :, y]
        expected += np.outer(joint.sum(axis=1), joint.sum(axis=0)) / joint.sum() - joint
    np.testing.assert_allclose(class_conditional_misspecification(truth, 0, 2), expected, atol=1e-14)
    np.testing.assert_allclose(class_conditional_misspecification(truth, 0, 1), 0, atol=1e-14)
    # On the scale of -1 and +1 it is epsilon again: sum of u v delta = -epsilon.
    u = np.array([-1, 1])
    assert (np.outer(u, u) * expected).sum() == pytest.approx(-truth.epsilons[0, 2])


@pytest.mark.parametrize("d", [1, 2, 4, 5])
def test_standing_bias_is_within_its_range(d: int) -> None:
    truth = paper_model(d)
    bias = asymptotics(truth, "mean").bias
    epsilons = list(truth.epsilons.values())
    b_min = float(truth.pair_moments.min())
    for i in range(10):
        found = accuracy_bias_range(10, d, min(epsilons), max(epsilons), b_min, float(truth.a.min()), in_edge=i < 2 * d)
        assert found.low <= bias[i] <= found.high
        assert abs(bias[i]) <= largest_bias(10, max(epsilons), b_min, float(truth.a.min()))
    with pytest.raises(InputError, match="three sources"):
        accuracy_bias_range(2, 1, 0.1, 0.1, 0.1, 0.1, True)


def test_standing_bias_fills_its_range_where_sources_are_good() -> None:
    """The nearer a and b are to 1, the less the lemma gives away; of poor sources the range is too wide to be left."""
    a, m, d = 0.97, 8, 2
    truth = Ising.from_means(np.full(m, (1 + a) / 2), epsilons={(0, 1): 0.018, (2, 3): 0.024})
    b_min = float(truth.pair_moments.min())
    bias = asymptotics(truth, "mean").bias
    for i in range(m):
        found = accuracy_bias_range(m, d, 0.018, 0.024, b_min, a, in_edge=i < 2 * d)
        assert found.low <= bias[i] <= found.high
        assert found.low > 0.5 * bias[i] if i < 2 * d else found.low > 1.5 * bias[i]
        assert found.high < 2 * bias[i] if i < 2 * d else found.high < 0.7 * bias[i]
    assert np.abs(bias).max() <= largest_bias(m, 0.024, b_min, a) < 1.5 * np.abs(bias).max()


def test_accuracy_bias_by_hand() -> None:
    # m = 12, d = 3, b = 1/2, a = 1/3: 1 / (b^2 a^2) = 36 and (m - 1) (m - 2) = 110.
    in_edge = accuracy_bias_range(12, 3, 0.1, 0.2, 1 / 2, 1 / 3, in_edge=True)
    assert in_edge.low == pytest.approx(0.1 / 2 / 11 - 2 * 0.2 * 36 / 110)
    assert in_edge.high == pytest.approx(0.2 * 6 / 11)
    elsewhere = accuracy_bias_range(12, 3, 0.1, 0.2, 1 / 2, 1 / 3, in_edge=False)
    assert elsewhere.low == pytest.approx(-3 * 0.2 * 36 / 110)
    assert elsewhere.high == pytest.approx(-3 * 0.1 / 4 / 110)
    assert largest_bias(12, 0.2, 1 / 2, 1 / 3) == pytest.approx(0.2 * 36 / 11)


@pytest.mark.parametrize("p", [0.8, 0.95, 0.99])
def test_sampling_error_is_above_monte_carlo_and_falls_with_n(p: float) -> None:
    truth = Ising.from_means(np.full(6, p))
    b_min = float(truth.pair_moments.min())
    rng = np.random.default_rng(0)
    for n in (500, 2_000):
        found = np.array([learn(counts, "random", rng) for counts in truth.sample_counts(n, rng, 300)])
        error = found - truth.a
        bound = sampling_error(b_min, n)
        assert np.abs(error).mean(axis=0).max() <= bound.mean  # the proof bounds the mean of the size
        assert (error**2).mean(axis=0).max() <= bound.mean_square
        if p > 0.9:  # the bounds are near
            assert bound.mean <= 5 * np.abs(error).mean(axis=0).max()
            assert bound.mean_square <= 12 * (error**2).mean(axis=0).max()
    assert sampling_error(b_min, 4_000).mean_square == pytest.approx(sampling_error(b_min, 1_000).mean_square / 4)
    assert sampling_error(b_min, 4_000).mean == pytest.approx(sampling_error(b_min, 1_000).mean / 2)
    with pytest.raises(InputError, match="b_min"):
        sampling_error(0.0, 10)


def test_kl_expansion_agrees_with_the_exact_divergence() -> None:
    rng = np.random.default_rng(0)
    a, limit = np.array([0.2, 0.5, 0.7]), np.array([0.25, 0.45, 0.7])
    draws = limit + rng.normal(0, 0.01, (20_000, 3))
    right, wrong = (1 + a) / 2, (1 - a) / 2
    exact = (right * np.log((1 + a) / (1 + draws)) + wrong * np.log((1 - a) / (1 - draws))).mean(axis=0)
    error = draws - limit
    found = kl_expansion(a, limit, error.mean(axis=0), (error**2).mean(axis=0))
    np.testing.assert_allclose(found, exact, atol=2e-7)


def test_taylor_remainder_vanishes_faster_than_one_over_n() -> None:
    """With gold the estimate is binomial, so the expectation that the lemma expands is a finite sum."""
    from scipy.stats import binom

    a = 0.4
    remainders = []
    for n in (100, 1_000, 10_000):
        k = np.arange(n + 1)
        estimate = np.clip(2 * k / n - 1, -1 + 2 / n, 1 - 2 / n)
        weight = binom.pmf(k, n, (1 + a) / 2)
        exact = weight @ (
            (1 + a) / 2 * np.log((1 + a) / (1 + estimate)) + (1 - a) / 2 * np.log((1 - a) / (1 - estimate))
        )
        one = np.array([a])
        error = np.array([weight @ (estimate - a)]), np.array([weight @ (estimate - a) ** 2])
        remainders.append(n * abs(float(exact - kl_expansion(one, one, *error)[0])))
    assert remainders[0] > 5 * remainders[1] > 25 * remainders[2]


def test_combined_expansion_agrees_with_simulation() -> None:
    rng = np.random.default_rng(0)
    a, limit, weight = np.array([0.3, 0.6]), np.array([0.35, 0.5]), 0.3
    unlabeled = limit + rng.normal(0.002, 0.01, (20_000, 2))
    labeled = a + rng.normal(0, 0.02, (20_000, 2))
    mixed = weight * unlabeled + (1 - weight) * labeled
    exact = ((1 + a) / 2 * np.log((1 + a) / (1 + mixed)) + (1 - a) / 2 * np.log((1 - a) / (1 - mixed))).mean(axis=0)
    found = combined_kl_expansion(
        a, limit, weight, np.full(2, 0.002), ((unlabeled - limit) ** 2).mean(axis=0), ((labeled - a) ** 2).mean(axis=0)
    )
    np.testing.assert_allclose(found, exact, atol=2e-5)


def test_combined_cross_term_has_the_factor_that_the_paper_lacks() -> None:
    """eq:combined_param_err: 2 abar_C alpha (abar - a) / (1 - abar_C^2)^2, where the text has no abar_C."""
    a, limit, alpha, unlabeled, labeled = 0.3, 0.5, 0.4, 2e-3, 3e-3
    mixed = alpha * limit + (1 - alpha) * a
    square, rest = alpha**2 * unlabeled + (1 - alpha) ** 2 * labeled, 1 - mixed**2
    logs = (1 + a) / 2 * np.log1p((a - mixed) / (1 + mixed)) + (1 - a) / 2 * np.log1p((mixed - a) / (1 - mixed))
    ours, printed = (
        logs + 0.5 * (1 / rest + factor * 2 * alpha * (limit - a) / rest**2) * square for factor in (mixed, 1)
    )
    zero = np.zeros(1)
    found = combined_kl_expansion(zero + a, zero + limit, alpha, zero, zero + unlabeled, zero + labeled)
    assert found[0] == pytest.approx(ours, rel=1e-12)
    assert abs(found[0] - printed) > 1e-5


@pytest.mark.parametrize("theta_y", [0.0, 0.4])
def test_quadratic_system_as_printed_is_for_balanced_classes(theta_y: float) -> None:
    """Appendix B.1: in general (1 + d) alpha beta + c_i c_j / d - c_i beta - c_j alpha = O_ij / P(Y = 1)."""
    truth = Ising(theta_y, np.array([0.4, 0.7, 0.3]), {})
    low, high = truth.class_balance
    alpha, beta = truth.accuracies[:2]  # P(l = 1 | Y = 1)
    voted = high * truth.accuracies + low * (1 - truth.accuracies)
    observed = truth.probabilities.sum(axis=1).reshape(2, 2, 2).sum(axis=2)[1, 1] / high
    d, (c_i, c_j) = high / low, voted[:2] / low
    general = (1 + d) * alpha * beta + c_i * c_j / d - c_i * beta - c_j * alpha
    printed = (1 + d * d) * alpha * beta + c_i * c_j - c_i * d * beta - c_j * d * alpha
    assert general == pytest.approx(observed, rel=1e-12)
    assert bool(np.isclose(printed, observed, rtol=1e-12)) is (theta_y == 0)


def test_the_mean_does_not_reduce_the_variance_by_the_number_of_triplets() -> None:
    """Triplets share sources: at m = 10 the ratio is 3 to 7, not 36."""
    for d in (0, 5):
        truth = paper_model(d)
        ratio = asymptotics(truth, "random").variance / asymptotics(truth, "mean").variance
        assert 3 < ratio.min() < ratio.max() < 7.1


def test_class_conditional_bias_is_within_its_bound() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        m = int(rng.integers(3, 9))
        edges = {(2 * k, 2 * k + 1): rng.uniform(0.01, 0.8) for k in range(int(rng.integers(1, m // 2 + 1)))}
        truth = Ising(rng.normal(0, 0.5), rng.uniform(0.1, 2, m), edges)
        mu = float(truth.class_balance[1] - truth.class_balance[0])
        exact = sum(np.abs(triplet_limits(truth, i, mu).limit - truth.a[i]).mean() for i in range(m))
        assert np.abs(asymptotics(truth, "mean", symmetric=False).bias).sum() <= exact + 1e-12
        assert exact <= class_conditional_bias_bound(truth)


def test_class_conditional_bound_goes_with_d_delta_over_m_and_is_near_for_good_sources() -> None:
    def model(m: int, d: int, epsilon: float) -> Ising:
        edges = {(2 * k, 2 * k + 1): epsilon for k in range(d)}
        return Ising.from_means(np.full(m, 0.985), epsilons=edges, class_balance=0.4)

    one = class_conditional_bias_bound(model(9, 1, 0.01))
    assert class_conditional_bias_bound(model(9, 3, 0.01)) == pytest.approx(3 * one)
    assert class_conditional_bias_bound(model(9, 1, 0.02)) == pytest.approx(2 * one)
    assert class_conditional_bias_bound(model(17, 1, 0.01)) == pytest.approx(one / 2)
    assert class_conditional_bias_bound(model(9, 0, 0.01)) == 0
    truth = model(9, 3, 0.01)
    exact = sum(np.abs(triplet_limits(truth, i, -0.2).limit - 0.97).mean() for i in range(9))
    assert exact <= class_conditional_bias_bound(truth) < 1.5 * exact


def test_refusals() -> None:
    with pytest.raises(InputError, match="at most one edge each"):
        class_conditional_bias_bound(Ising(0.0, np.full(4, 0.3), {(0, 1): 0.1, (1, 2): 0.1}))
    with pytest.raises(InputError, match="positive accuracies and dependencies"):
        class_conditional_bias_bound(Ising.from_means([0.7, 0.4, 0.6]))
    with pytest.raises(InputError, match="must be finite"):
        edge_epsilon(0.1, np.inf, 0.2)
    with pytest.raises(InputError, match="not there"):
        class_conditional_misspecification(paper_model(0), 0, 10)
