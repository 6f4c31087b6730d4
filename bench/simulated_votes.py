"""Votes of many kinds of dependence: what constants are chosen on, beside real votes.

A set draws at random whether sources are few or a crowd, vote for all classes or one, abstain or not; whether points
differ in difficulty; whether some points fool all sources alike; whether sources follow the leader of a cluster, or a
trait that only goes along with the class; whether some are worse than chance; and whether they share a bias.
"""

from __future__ import annotations

import numpy as np

from carob.votes import Votes


def simulated_votes(seed: int) -> tuple[Votes, np.ndarray]:
    """Votes and the true classes of their points."""
    rng = np.random.default_rng([77, seed])
    K = 2 if rng.random() < 0.65 else int(rng.integers(3, 9))
    n = int(np.exp(rng.uniform(np.log(150), np.log(3000))))
    balance = np.maximum(rng.dirichlet(np.full(K, np.exp(rng.uniform(0, 3)))), 0.03)
    truth = rng.choice(K, n, p=balance / balance.sum())
    layout = rng.choice(["all", "crowd", "abstaining", "one-sided"], p=[0.3, 0.3, 0.25, 0.15])
    m = int(rng.integers(15, 150)) if layout == "crowd" else int(np.exp(rng.uniform(np.log(3), np.log(60))))
    values = _speak(rng, truth, K, m)
    if layout == "crowd":
        values = _few_each(rng, values)
    elif layout == "abstaining":
        coverage = np.clip(rng.beta(1, rng.uniform(0.7, 4), m), 0.02, 1)
        values = np.where(rng.random(values.shape) < coverage, values, -1)
    elif layout == "one-sided":
        values = _one_sided(rng, values, truth, K)
    values = values[:, (values >= 0).any(axis=0)]
    if values.shape[1] < 2 or len(np.unique(truth)) < 2:
        return simulated_votes(seed + 100_000)
    return Votes.from_array(values, classes=list(range(K)), abstain=-1), truth


def _speak(rng: np.random.Generator, truth: np.ndarray, K: int, m: int) -> np.ndarray:
    """What each source would say of each point, shape (n, m)."""
    n = len(truth)
    fooled = rng.random(n) < rng.choice([0, rng.uniform(0, 0.35)])
    favourite = np.argsort(rng.random((K, K)) + 10 * np.eye(K), axis=1)[:, 0]
    seen = np.where(fooled, np.where(rng.random(n) < 0.6, favourite[truth], rng.integers(0, K, n)), truth)
    difficulty = rng.choice([0.0, 1.0]) * rng.beta(1, rng.uniform(1, 4), n)
    trait = np.where(rng.random(n) < rng.uniform(0, 0.8), truth, rng.integers(0, K, n))
    by_trait = rng.choice([0, rng.uniform(0, 0.5)])
    clusters = int(rng.integers(1, max(2, m // 3 + 1)))
    following = rng.uniform(0.2, 0.95) if rng.random() < 0.45 else 0.0
    leader = [np.where(rng.random(n) < rng.uniform(0.3, 0.9), seen, rng.integers(0, K, n)) for _ in range(clusters)]
    quality, adverse = rng.uniform(0.5, 0.9), rng.choice([0, 0, rng.uniform(0, 0.25)])
    bias, biased = rng.dirichlet(np.ones(K)), rng.choice([0, rng.uniform(0, 0.5)])
    values = np.empty((n, m), dtype=np.int8)
    for i in range(m):
        accuracy = np.clip(rng.beta(6 * quality, 6 * (1 - quality)), 0.02, 0.98)
        if rng.random() < adverse:
            accuracy = rng.uniform(-0.3, 0.1)
        knows = np.clip((accuracy - 1 / K) / (1 - 1 / K), -0.5, 1)
        target = trait if rng.random() < by_trait else seen
        if knows < 0:
            target = (target + rng.integers(1, K, n)) % K
        guess = np.where(rng.random(n) < biased, rng.choice(K, n, p=bias), rng.integers(0, K, n))
        said = np.where(rng.random(n) < np.abs(knows) * (1 - difficulty), target, guess)
        values[:, i] = np.where(rng.random(n) < following, leader[rng.integers(clusters)], said)
    return values


def _few_each(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """A few workers on each point, some of them far more active than others."""
    n, m = values.shape
    each = min(int(rng.integers(2, 11)), m - 1)
    activity = np.log(rng.pareto(1.2, m) + 0.05) + rng.gumbel(size=(n, m))
    asked = np.argpartition(-activity, each, axis=1)[:, :each]
    result = np.full_like(values, -1)
    np.put_along_axis(result, asked, np.take_along_axis(values, asked, axis=1), axis=1)
    return result


def _one_sided(rng: np.random.Generator, values: np.ndarray, truth: np.ndarray, K: int) -> np.ndarray:
    """Every source votes for one class, and sometimes, as keywords do."""
    n, m = values.shape
    side = rng.integers(0, K, m)
    speaks = (values == side) & (rng.random((n, m)) < np.minimum(1, 1.5 * np.clip(rng.beta(1, 3, m), 0.01, 1)))
    if rng.random() < 0.6:
        speaks &= (truth[:, None] == side) | (rng.random((n, m)) < 1 / rng.uniform(2, 20))
    return np.where(speaks, values, -1).astype(np.int8)
