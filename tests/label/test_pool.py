from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from simulate import ballots_of, held_sparsely, make_votes, sample

from carob.label import pool as module
from carob.label.consensus import PSEUDO_VOTES, Evidence, learn
from carob.label.pool import IN_FULL, REPEATING, REPETITION, Pool, discount, without_gold
from carob.posterior.naive_bayes import softmax
from carob.votes import Votes


def some_pool(K: int, m: int = 4, seed: int = 0, groups: Any = None) -> Pool:
    """Five readings of two kinds of evidence."""
    rng = np.random.default_rng(seed)
    alone = groups or tuple((i,) for i in range(m))
    return Pool(
        class_balance=rng.dirichlet(np.full(K, 4.0)),
        silent=rng.dirichlet(np.full(K, 4.0)),
        evidence=tuple(Evidence(rng.normal(size=(m, K, K)), (K + 1,) * m, alone) for _ in range(2)),
        weight=rng.dirichlet(np.ones(5)),
        slope=np.array([1.0, 0.6, 0.0, 1.4, 0.35]),
        repetition=np.array([0.0, 0.4, 0.0, 3.0, 0.15]),
        count=rng.normal(size=5),
        shift=rng.normal(size=(5, K)),
        learned=np.array([0, 1, 0, 1, 0]),
    )


def some_votes(K: int, n: int = 50, m: int = 4, seed: int = 0) -> Votes:
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((n, m)) < 0.4, -1, rng.integers(0, K, (n, m)))
    values[0] = -1
    return make_votes(values, K)


def slow_posterior(pool: Pool, row: npt.NDArray[np.int8]) -> Any:
    """Of one point, one vote and one reading after another; every source is alone."""
    K = len(pool.class_balance)
    voters = [i for i in range(len(row)) if row[i] >= 0]
    if not voters:
        return pool.silent
    counted = [sum(row == y) + PSEUDO_VOTES * pool.class_balance[y] for y in range(K)]
    total = np.zeros(K)
    for r in range(len(pool.weight)):
        log_odds = pool.evidence[pool.learned[r]].log_odds
        worth = pool.slope[r] / (1 + (len(voters) - 1) * pool.repetition[r])
        score = [
            np.log(pool.class_balance[y])
            + pool.shift[r, y]
            + worth * sum(log_odds[i, row[i], y] for i in voters)
            + pool.count[r] * np.log(counted[y] / sum(counted) / pool.class_balance[y])
            for y in range(K)
        ]
        total += pool.weight[r] * np.exp(score) / np.exp(score).sum()
    return total


@pytest.mark.parametrize("K", [2, 3])
def test_oracle_the_mixture_is_that_of_a_slow_version(K: int) -> None:
    pool, votes = some_pool(K), some_votes(K)
    expected = np.array([slow_posterior(pool, row) for row in votes.values])
    np.testing.assert_allclose(pool.posterior(votes), expected, atol=1e-12)
    np.testing.assert_allclose(pool.posterior(held_sparsely(votes)), expected, atol=1e-12)


def test_blocks_of_points_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, votes = some_pool(3), some_votes(3, 300)
    whole = pool.posterior(votes)
    monkeypatch.setattr(module, "_BLOCK", 64)
    assert np.array_equal(pool.posterior(votes), whole)


def test_nobody_votes() -> None:
    pool = some_pool(2)
    assert np.array_equal(pool.posterior(make_votes(np.full((2, 4), -1))), np.tile(pool.silent, (2, 1)))
    assert pool.posterior(make_votes(np.zeros((0, 4)))).shape == (0, 2)


def test_sources_of_a_group_count_as_one() -> None:
    alone = some_pool(2)
    grouped = some_pool(2, groups=((0, 1), (2,), (3,)))
    assert grouped.once == [(0, 1)]
    assert alone.once == []
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, (30, 4))
    values[:, 1] = values[:, 0]
    once = values.copy()
    once[:, 1] = -1

    def twin(pool: Pool) -> Pool:
        """The first source and its copy mean the same."""
        found = []
        for evidence in pool.evidence:
            log_odds = evidence.log_odds.copy()
            log_odds[1] = log_odds[0]
            found.append(replace(evidence, log_odds=log_odds))
        return replace(pool, evidence=tuple(found))

    np.testing.assert_allclose(
        twin(grouped).posterior(make_votes(values)), twin(grouped).posterior(make_votes(once)), atol=1e-12
    )
    np.testing.assert_allclose(
        twin(grouped).posterior(make_votes(values)), twin(alone).posterior(make_votes(once)), atol=1e-12
    )


def test_discount_is_the_design_effect() -> None:
    np.testing.assert_allclose(discount(np.array([0, 1, 2, 11]), 0.5), [1, 1, 1 / 1.5, 1 / 6])
    np.testing.assert_allclose(discount(np.array([7]), 0.0), [1])
    # Votes that repeat each other fully are worth one vote together.
    np.testing.assert_allclose(7 * discount(np.array([7]), 1.0), [1])


def test_without_gold_it_is_the_mean_of_three_readings() -> None:
    votes = sample(800, abstain=0.3, balance=0.3)
    ballots = ballots_of(votes)
    consensus = learn(ballots, None)
    pool = without_gold(consensus, ballots)
    assert pool.weight.tolist() == [IN_FULL, REPEATING, 1 - IN_FULL - REPEATING]
    assert pool.repetition.tolist() == [0, REPETITION, 0]
    balance = consensus.class_balance
    # Both readings by the sources have the shares of the class balance.
    number = ballots.tally.sum(axis=1)[ballots.covered]
    for k in (0, 1):
        scores = discount(number, pool.repetition[k])[:, None] * consensus.scores[ballots.covered]
        shares = softmax(np.log(balance) + pool.shift[k] + scores).mean(axis=0)
        np.testing.assert_allclose(shares, balance, atol=2e-4)
    counted = ballots.tally + PSEUDO_VOTES * balance
    third = replace(pool, weight=np.array([0.0, 0.0, 1.0])).posterior(votes)
    np.testing.assert_allclose(third, counted / counted.sum(axis=1, keepdims=True), atol=1e-12)
    assert np.array_equal(pool.posterior(votes), pool.mixed([consensus.scores], ballots.tally))


def test_without_gold_and_without_votes() -> None:
    votes = make_votes(np.full((5, 3), -1))
    ballots = ballots_of(votes)
    pool = without_gold(learn(ballots, np.array([0.7, 0.3])), ballots)
    np.testing.assert_allclose(pool.posterior(votes), np.tile([0.7, 0.3], (5, 1)))


@pytest.mark.parametrize("K", [2, 4])
def test_meeting_the_class_balance(K: int) -> None:
    votes = some_votes(K, 3_000)
    pool, ballots = some_pool(K), ballots_of(votes.take(votes.number > 0))
    met, shift = pool.meeting_balance(ballots)
    found = met.posterior(ballots.votes)[ballots.covered].mean(axis=0)
    assert np.abs(pool.posterior(ballots.votes)[ballots.covered].mean(axis=0) - pool.class_balance).max() > 0.02
    np.testing.assert_allclose(found, pool.class_balance, atol=2e-3)
    np.testing.assert_allclose(met.shift, pool.shift + shift)
    half_silent = ballots_of(
        make_votes(np.concatenate([ballots.votes.values, np.full_like(ballots.votes.values, -1)]), K)
    )
    np.testing.assert_allclose(pool.meeting_balance(half_silent)[1], shift / 16, atol=1e-4)


def test_meeting_the_class_balance_where_nobody_votes() -> None:
    pool = some_pool(2)
    met, shift = pool.meeting_balance(ballots_of(make_votes(np.full((3, 4), -1), 2)))
    assert met is pool
    assert not shift.any()
