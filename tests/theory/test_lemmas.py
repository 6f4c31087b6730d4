from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import InputError, Ising, asymptotics
from karat.datasets import paper_model
from karat.theory.decomposition import learn
from karat.theory.ising import accuracy_model
from karat.theory.lemmas import (
    accuracy_bias_range,
    class_conditional_misspecification,
    combined_kl_expansion,
    edge_epsilon,
    kl_expansion,
    largest_bias,
    sampling_error,
)


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


def test_refusals() -> None:
    with pytest.raises(InputError, match="must be finite"):
        edge_epsilon(0.1, np.inf, 0.2)
    with pytest.raises(InputError, match="not there"):
        class_conditional_misspecification(paper_model(0), 0, 10)
