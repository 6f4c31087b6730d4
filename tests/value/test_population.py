from __future__ import annotations

import numpy as np
import pytest

from karat import labeled, posterior
from karat.losses import log_losses
from karat.value.population import Population, labeled_losses
from karat.votes import Gold, Votes


def some_votes(K: int, n: int = 300, seed: int = 0) -> tuple[Votes, Gold]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, K, n)
    values = np.where(rng.random((n, 4)) < 0.6, truth[:, None], rng.integers(0, K, (n, 4)))
    values[rng.random((n, 4)) < 0.2] = -1
    votes = Votes.from_array(values, classes=list(range(K)), abstain=-1)
    return votes, Gold(truth.astype(np.int8), votes.classes)


@pytest.mark.parametrize(
    ("K", "symmetric", "groups"),
    [
        (2, False, ((0,), (1,), (2,), (3,))),
        (2, False, ((0, 2), (1,), (3,))),
        (2, True, ((0,), (1,), (2,), (3,))),
        (3, True, ((0,), (1,), (2,), (3,))),
    ],
)
def test_oracle_many_labeled_models_at_once_are_those_of_one_after_another(
    K: int, symmetric: bool, groups: tuple[tuple[int, ...], ...]
) -> None:
    votes, gold = some_votes(K)
    patterns = votes.patterns
    listed = Votes(patterns.values, votes.sources, votes.coding)
    balance = np.arange(1.0, K + 1) / np.arange(1.0, K + 1).sum()
    rng = np.random.default_rng(1)
    samples = [rng.permutation(len(votes))[:60] for _ in range(3)]
    counts = np.zeros((3, len(patterns), K), dtype=np.int64)
    for sample, rows in zip(counts, samples, strict=True):
        np.add.at(sample, (patterns.inverse[rows], gold.values[rows]), 1)
    found = labeled_losses(listed, counts, balance, symmetric, groups)
    for rows, losses in zip(samples, found, strict=True):
        model = labeled(votes.take(rows), gold.take(rows), balance, symmetric, None if symmetric else groups)
        np.testing.assert_allclose(losses, log_losses(posterior(listed, model)), atol=1e-9)


def test_a_class_without_gold_leaves_the_class_balance() -> None:
    votes, _ = some_votes(2, 20)
    counts = np.zeros((1, 20, 2), dtype=np.int64)
    counts[0, :5, 0] = 1
    losses = labeled_losses(votes, counts, np.array([0.3, 0.7]), False, ((0,), (1,), (2,), (3,)))
    np.testing.assert_allclose(losses[0], np.broadcast_to(-np.log([0.3, 0.7]), (20, 2)))


def test_recovery_draws_follow_the_joint_distribution() -> None:
    votes = Votes.from_array([[0, 0, 1], [0, 1, 1], [1, 1, 1]])
    weight, given = np.array([0.2, 0.3, 0.5]), np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    population = Population(votes, weight, given)
    joint = weight[:, None] * given
    np.testing.assert_allclose(population.joint, joint)
    np.testing.assert_allclose(population.expected(np.arange(6.0).reshape(3, 2)), (joint.ravel() * np.arange(6)).sum())
    rng = np.random.default_rng(0)
    n, size = 50, 4_000
    counts = population.draw(n, size, rng)
    assert (counts.sum(axis=(1, 2)) == n).all()
    assert (np.abs(counts.mean(axis=0) - n * joint) < 4.5 * np.sqrt(n * joint * (1 - joint) / size)).all()
    drawn, gold = population.points(20_000, rng)
    place = (drawn.values[:, None] == votes.values).all(axis=2).argmax(axis=1)
    share = np.array([[((place == p) & (gold.values == y)).mean() for y in (0, 1)] for p in range(3)])
    assert (np.abs(share - joint) < 4.5 * np.sqrt(joint * (1 - joint) / 20_000)).all()
