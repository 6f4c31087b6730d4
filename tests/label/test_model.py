from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from simulate import draw_votes, sample, some_gold, symmetric_conditionals

from carob.label.model import EVIDENCE, _mode, learn_votes
from carob.posterior.losses import log_losses
from carob.posterior.settings import Settings
from carob.votes import Votes


def loss(p: np.ndarray, truth: np.ndarray) -> float:
    return float(log_losses(p[np.arange(len(truth)), truth]).mean())


def test_oracle_the_mode_is_that_of_a_general_optimizer() -> None:
    rng = np.random.default_rng(0)
    features, labels, before = rng.normal(size=(40, 3, 5)), rng.integers(0, 3, 40), rng.normal(size=(40, 3))
    centre, spread = np.eye(1, 5)[0], np.full(5, 0.7)

    def objective(at: np.ndarray) -> float:
        score = before + features @ at
        lost = np.logaddexp.reduce(score, axis=1) - score[np.arange(40), labels]
        return float(lost.sum() + 0.5 * (((at - centre) / spread) ** 2).sum())

    mode, evidence, curvature = _mode(features, before, labels, centre, spread)
    found = minimize(objective, np.zeros(5), tol=1e-12)
    np.testing.assert_allclose(mode, found.x, atol=1e-4)
    steps = np.eye(5) * 1e-3
    sides = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    hessian = [[sum(s * t * objective(mode + s * a + t * b) for s, t in sides) for b in steps] for a in steps]
    np.testing.assert_allclose(curvature, np.array(hessian) / 4e-6, rtol=1e-3, atol=1e-3)
    laplace = -found.fun - 0.5 * np.linalg.slogdet(curvature)[1] - np.log(spread).sum()
    assert evidence == pytest.approx(laplace, abs=1e-4)


def test_known_answer_gold_weighs_readings_by_bayes_rule() -> None:
    votes = sample(400, abstain=0.3)
    learned = learn_votes(votes, Settings())
    truth = some_gold(votes, 30).values
    rows = np.flatnonzero(truth >= 0)
    likelihood = [EVIDENCE * np.log(p[rows, truth[rows]]).sum() for p in learned.components.averaged]
    expected = learned.prior * np.exp(likelihood - np.max(likelihood))
    np.testing.assert_allclose(learned.fit_gold(truth).weights, expected / expected.sum(), rtol=1e-6)


def test_new_votes_are_labeled_as_those_learned_from() -> None:
    votes, few = sample(500, abstain=0.4), np.array([3, 1])
    for gold in (None, some_gold(votes, 50).values):
        learned = learn_votes(votes, Settings())
        mixture = learned.with_gold(np.full(500, -1, dtype=np.int8) if gold is None else gold)
        np.testing.assert_allclose(mixture.posterior(votes), learned.probabilities(mixture), atol=1e-12)
        np.testing.assert_allclose(mixture.posterior(votes.take(few)), mixture.posterior(votes)[few], atol=1e-12)


@pytest.mark.parametrize("gold", [0, 40])
def test_a_class_balance_that_is_given_is_met_and_kept_on_silent_points(gold: int) -> None:
    votes = sample(600, abstain=0.6)
    values = votes.values.copy()
    values[:50] = -1
    some = Votes(values, votes.sources, votes.coding)
    learned = learn_votes(some, Settings(class_balance=[0.8, 0.2]))
    truth = np.where((np.arange(600) >= 560) & (np.arange(600) < 560 + gold), votes.own_gold.values, -1).astype(np.int8)
    p = learned.with_gold(truth).posterior(some)
    np.testing.assert_allclose(p.mean(axis=0), [0.8, 0.2], atol=2e-3)
    np.testing.assert_allclose(p[:50], [[0.8, 0.2]] * 50)


def test_gold_helps_and_an_unlucky_draw_hardly_hurts() -> None:
    gains = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        votes = draw_votes(rng, 1_500, symmetric_conditionals(rng.uniform(0.6, 0.85, 6), abstain=0.2), [0.6, 0.4])
        learned, truth = learn_votes(votes, Settings()), votes.own_gold.values
        none = learned.probabilities(learned.mixture(learned.prior, ()))
        for n in (1, 5, 25, 100):
            gold = some_gold(votes, n, seed)
            left = ~gold.known
            p = learned.with_gold(gold.values).posterior(votes)
            gains.append(loss(none[left], truth[left]) - loss(p[left], truth[left]))
    assert np.mean(gains) > -0.001
    assert min(gains) > -0.03


def test_gold_turns_votes_that_mislead() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1_000)
    hint = np.where(rng.random(1_000) < 0.35, truth, 1 - truth)  # all sources follow it, and it is mostly wrong
    values = np.where(rng.random((1_000, 6)) < 0.9, hint[:, None], 1 - hint[:, None])
    votes = Votes.from_array(values, classes=[0, 1])
    learned = learn_votes(votes, Settings())
    gold = np.where(np.arange(1_000) < 100, truth, -1).astype(np.int8)
    p = learned.with_gold(gold).posterior(votes)
    assert (p.argmax(axis=1) == truth)[100:].mean() > 0.6
