from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import InputError, Ising, Moments
from karat.datasets import PAPER_ACCURACIES, paper_model
from karat.theory import loss
from karat.theory.canonical import signs
from karat.theory.ising import accuracy_model, patterns


def enumerate_model(theta_y: float, theta: list[float], edges: dict[tuple[int, int], float]) -> np.ndarray:
    """P(votes, Y) by the definition, one configuration at a time."""
    m = len(theta)
    weights = np.empty((2**m, 2))
    for row, votes in enumerate(itertools.product([-1, 1], repeat=m)):
        for column, y in enumerate((-1, 1)):
            energy = theta_y * y + sum(t * v * y for t, v in zip(theta, votes, strict=True))
            energy += sum(value * votes[i] * votes[j] for (i, j), value in edges.items())
            weights[row, column] = np.exp(energy)
    return weights / weights.sum()


EDGES = [
    {},
    {(0, 1): 0.3},
    {(0, 1): 0.3, (2, 3): -0.2},
    {(0, 1): 0.3, (1, 2): 0.2, (0, 3): 0.1},
    {(1, 4): 0.5, (0, 4): 0.2, (0, 1): -0.1},
]


@pytest.mark.parametrize("edges", EDGES)
def test_oracle_enumeration(edges: dict[tuple[int, int], float]) -> None:
    theta_y, theta = 0.2, [0.4, 0.1, 0.3, 0.6, 0.25]
    model = Ising(theta_y, np.array(theta), edges)
    joint = enumerate_model(theta_y, theta, edges)
    np.testing.assert_allclose(model.probabilities, joint, atol=1e-15)
    votes, y = signs(5), np.array([-1, 1])
    p = joint.sum(axis=1)
    np.testing.assert_allclose(model.class_balance, joint.sum(axis=0), atol=1e-14)
    np.testing.assert_allclose(
        model.a, (joint[:, :, None] * votes[:, None, :] * y[None, :, None]).sum((0, 1)), atol=1e-14
    )
    np.testing.assert_allclose(model.pair_moments, votes.T @ (votes * p[:, None]), atol=1e-14)
    entropy = -(joint * np.log(joint / p[:, None])).sum()
    assert model.conditional_entropy == pytest.approx(entropy, abs=1e-13)
    for component, nats in model.mutual_information.items():
        assert nats == pytest.approx(total_correlation(joint, component), abs=1e-13)


def total_correlation(joint: np.ndarray, component: tuple[int, ...]) -> float:
    """Sum over y of P(y) KL(P(l_c | y) || prod P(l_i | y)), from the joint table."""
    m = int(np.log2(len(joint)))
    cube = joint.reshape((2,) * m + (2,))
    others = tuple(i for i in range(m) if i not in component)
    together = cube.sum(axis=others)
    result = 0.0
    for y in (0, 1):
        table = together[..., y] / together[..., y].sum()
        apart = np.ones(())
        for axis in range(len(component)):
            rest = tuple(k for k in range(len(component)) if k != axis)
            apart = np.multiply.outer(apart, table.sum(axis=rest))
        result += float(joint[:, y].sum() * (table * np.log(table / apart)).sum())
    return result


@pytest.mark.parametrize("edges", EDGES)
def test_round_trip_from_canonical_to_means_and_back(edges: dict[tuple[int, int], float]) -> None:
    model = Ising(0.2, np.array([0.4, 0.1, 0.3, 0.6, 0.25]), edges)
    for given_edges in ({"agreements": model.agreements}, {"epsilons": model.epsilons}):
        again = Ising.from_means(model.accuracies, class_balance=float(model.class_balance[1]), **given_edges)
        assert again.theta_y == pytest.approx(model.theta_y, abs=1e-10)
        np.testing.assert_allclose(again.theta, model.theta, atol=1e-10)
        assert again.theta_edges.keys() == model.theta_edges.keys()
        for edge, value in model.theta_edges.items():
            assert again.theta_edges[edge] == pytest.approx(value, abs=1e-10)


@given(
    st.lists(st.floats(0.05, 0.95), min_size=2, max_size=6),
    st.floats(0.01, 0.99),
    st.floats(0.02, 0.98),
)
@settings(max_examples=60, deadline=None)
def test_round_trip_from_means_to_canonical_and_back(p: list[float], place: float, balance: float) -> None:
    low, high = abs(p[0] + p[1] - 1), 1 - abs(p[0] - p[1])
    agreement = low + place * (high - low)
    model = Ising.from_means(p, {(0, 1): agreement}, class_balance=balance)
    np.testing.assert_allclose(model.accuracies, p, atol=1e-10)
    assert model.agreements[0, 1] == pytest.approx(agreement, abs=1e-10)
    assert model.class_balance[1] == pytest.approx(balance, abs=1e-10)


def test_known_answers_of_the_paper() -> None:
    assert paper_model(0).conditional_entropy == pytest.approx(0.317616, abs=5e-7)
    truth = paper_model(5)
    assert truth.conditional_entropy == pytest.approx(0.361215, abs=5e-7)
    assert truth.inference_bias == pytest.approx(0.124526, abs=5e-7)
    excess = loss.expected_loss(truth, truth.source_model()).value - truth.conditional_entropy
    assert excess == pytest.approx(0.008155, abs=5e-7)
    table = [0.6893, 0.6072, 0.5954, 0.6603, 0.6939, 0.6346, 0.7462, 0.6870, 0.6462, 0.6284]
    np.testing.assert_allclose(PAPER_ACCURACIES, table, atol=5e-5)
    text = paper_model(5, scale="epsilon")
    naive = loss.expected_loss(text, text.source_model()).value - text.conditional_entropy
    assert naive == pytest.approx(0.002203, abs=5e-7)


def test_sampling_points_and_sampling_counts_have_the_same_moments() -> None:
    truth = paper_model(3)
    n, trials = 2_000, 60
    rng = np.random.default_rng(0)
    from_points = np.array([Moments.of(truth.sample(n, rng)).agree / n for _ in range(trials)])
    counts = truth.sample_counts(n, rng, trials)
    s = signs(10)
    from_counts = np.array([(1 + s.T @ (s * c.sum(axis=1)[:, None]) / n) / 2 for c in counts])
    off = ~np.eye(10, dtype=bool)
    for found in (from_points, from_counts):
        error = found.std(axis=0, ddof=1) / np.sqrt(trials)
        z = (found.mean(axis=0) - (1 + truth.pair_moments) / 2)[off] / error[off]
        assert np.abs(z).max() < 4.5
    ratio = from_points.std(axis=0)[off] / from_counts.std(axis=0)[off]
    assert 0.9 < ratio.mean() < 1.1


def test_sampled_classes_and_accuracies() -> None:
    truth = Ising.from_means([0.7, 0.6, 0.8], {(0, 2): 0.7}, class_balance=0.3)
    votes = truth.sample(200_000, 1)
    assert votes.gold is not None
    assert votes.gold.counts[1] / 200_000 == pytest.approx(0.3, abs=0.005)
    right = (votes.values == votes.gold.values[:, None]).mean(axis=0)
    np.testing.assert_allclose(right, [0.7, 0.6, 0.8], atol=0.005)
    assert (votes.values[:, 0] == votes.values[:, 2]).mean() == pytest.approx(0.7, abs=0.005)
    assert votes.classes == (-1, 1)
    same = truth.sample(100, 1)
    assert np.array_equal(truth.sample(100, 1).values, same.values)


def test_exact_moments_are_those_of_the_model() -> None:
    truth = paper_model(5)
    moments = truth.moments()
    np.testing.assert_allclose(2 * moments.agree / moments.n - 1, truth.pair_moments, atol=1e-12)
    assert patterns(3).tolist()[5] == [1, 0, 1]


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


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: Ising.from_means([0.7, 1.0]), "strictly between 0 and 1, not 1.0"),
        (lambda: Ising.from_means([0.7, float("nan")]), "strictly between 0 and 1"),
        (lambda: Ising.from_means([[0.7]]), "one number per source"),
        (lambda: Ising.from_means([0.7], class_balance=0), "class_balance must be strictly"),
        (lambda: Ising.from_means([0.7, 0.6], {(0, 1): 0.95}), r"between 0.3 and 0.9 .*not 0.95"),
        (lambda: Ising.from_means([0.7, 0.6], epsilons={(0, 1): 2.0}), r"epsilon between -0.48 and 0.72"),
        (lambda: Ising.from_means([0.7, 0.6], {(0, 2): 0.6}), "not there; sources are 0 to 1"),
        (lambda: Ising.from_means([0.7, 0.6], {(1, 1): 0.6}), "with itself"),
        (lambda: Ising.from_means([0.7, 0.6], {(0, 1): 0.6}, {(0, 1): 0.1}), "both an agreement and an epsilon"),
        (lambda: Ising(0.0, np.array([0.1, np.inf]), {}), "must be finite"),
        (lambda: Ising(0.0, np.array([]), {}), "one number per source"),
        (lambda: Ising(0.0, np.array([0.1]), {"ab": 1.0}), "pair of sources"),  # type: ignore[dict-item]
        (
            lambda: Ising.from_means([0.5, 0.5, 0.5], {(0, 1): 0.05, (1, 2): 0.05, (0, 2): 0.05}),
            "each pair is feasible, all of them are not",
        ),
        (lambda: accuracy_model([1.0]), "strictly between -1 and 1"),
        (lambda: paper_model(6), "d must be between 0 and 5"),
        (lambda: Ising.from_means(np.full(25, 0.6)).probabilities, "too many vote patterns"),
    ],
)
def test_refusals(build: object, text: str) -> None:
    with pytest.raises(InputError, match=text):
        build()  # type: ignore[operator]


def test_long_chains_are_refused() -> None:
    chain = {(i, i + 1): 0.1 for i in range(22)}
    with pytest.raises(InputError, match="edges connect 23 sources"):
        _ = Ising(0.0, np.full(23, 0.2), chain).a
