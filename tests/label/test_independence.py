from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob import LabelModel, Votes
from carob.label.independence import borne_out, looks_independent
from carob.label.pool import IN_FULL, in_doubt


def guess(truth: np.ndarray, K: int = 2) -> np.ndarray:
    return np.eye(K)[truth]


@pytest.mark.parametrize("K", [2, 3])
def test_sources_that_work_on_their_own_look_so(K: int) -> None:
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        votes = draw_votes(rng, 1_500, symmetric_conditionals(rng.uniform(0.5, 0.9, 6), K, 0.1), np.full(K, 1 / K))
        found.append(looks_independent(votes, guess(votes.own_gold.values, K)))
    assert sum(found) >= 15


@pytest.mark.parametrize("seed", range(5))
def test_one_pair_that_repeats_itself_is_seen(seed: int) -> None:
    rng = np.random.default_rng(seed)
    votes = draw_votes(rng, 2_000, symmetric_conditionals(rng.uniform(0.6, 0.8, 6)), [0.5, 0.5])
    values = votes.values.copy()
    follows = rng.random(2_000) < 0.5
    values[follows, 1] = values[follows, 0]
    assert not looks_independent(make_votes(values), guess(votes.own_gold.values))


def test_too_few_sources_or_points_tell_nothing() -> None:
    rng = np.random.default_rng(0)
    for n, m in ((1_500, 3), (200, 6)):
        votes = draw_votes(rng, n, symmetric_conditionals([0.8] * m), [0.5, 0.5])
        assert not looks_independent(votes, guess(votes.own_gold.values))


def weight_in_full(votes: Votes) -> float:
    pool = LabelModel().fit(votes).fitted_.pool
    assert pool is not None
    return float(pool.weight[0])


def test_labels_are_surer_where_sources_work_on_their_own_and_the_class_balance_is_found() -> None:
    rng = np.random.default_rng(1)
    conditionals = symmetric_conditionals(rng.uniform(0.65, 0.85, 8))
    votes = draw_votes(rng, 4_000, conditionals, [0.8, 0.2])
    assert weight_in_full(votes) == 1 - in_doubt(8)
    assert LabelModel().fit(votes).class_balance_[1] == pytest.approx(0.2, abs=0.03)
    values = votes.values.copy()
    values[:, 1:4] = np.where(rng.random((4_000, 3)) < 0.7, values[:, :1], values[:, 1:4])
    assert weight_in_full(make_votes(values)) == IN_FULL


@pytest.mark.parametrize("K", [2, 4])
def test_recovery_gold_bears_out_what_is_so_and_not_what_is_too_sure(K: int) -> None:
    rng = np.random.default_rng(K)
    right, sure = [], []
    for _ in range(400):
        p = rng.dirichlet(np.full(K, 0.5), 100)
        truth = np.array([rng.choice(K, p=of_point) for of_point in p])
        right.append(borne_out(p, truth))
        sharper = p**3 / (p**3).sum(axis=1, keepdims=True)
        sure.append(borne_out(sharper, truth))
    assert np.mean(right) >= 0.93  # chance is beyond two standard errors in 2.3 %, of losses with a tail in some more
    assert np.mean(sure) <= 0.02
