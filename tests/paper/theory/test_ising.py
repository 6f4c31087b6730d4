from __future__ import annotations

import itertools

import numpy as np
import pytest
from simulate import EDGES

from carob import InputError, Moments
from carob.paper import Ising
from carob.paper.datasets import PAPER_ACCURACIES, paper_model
from carob.paper.theory import loss
from carob.paper.theory.canonical import signs
from carob.paper.theory.ising import accuracy_model, patterns


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
