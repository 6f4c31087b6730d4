from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob import Gold, InputError
from carob.paper import labeled


def test_known_answer_by_hand() -> None:
    votes = make_votes([[0, 1], [0, -1], [1, 1], [1, 1], [0, 0]], gold=[0, 0, 1, 1, -1])
    model = labeled(votes, votes.gold)
    # Source 0: always right, so cut to 1 - 1/4 and 1/4. Source 1: class 0 half abstain, half 1.
    np.testing.assert_allclose(model.conditionals[0], [[0, 0.75, 0.25], [0, 0.25, 0.75]])
    np.testing.assert_allclose(model.conditionals[1, 0], [0.5, 0, 0.5])
    np.testing.assert_allclose(model.conditionals[1, 1], [0.25, 0, 0.75])
    np.testing.assert_allclose(model.class_balance, [0.5, 0.5])


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("symmetric", [True, False])
def test_recovery(K: int, symmetric: bool) -> None:
    truth = symmetric_conditionals([0.5, 0.6, 0.9], K, 0.2)
    votes = draw_votes(np.random.default_rng(0), 100_000, truth, np.full(K, 1 / K))
    model = labeled(votes, votes.gold, symmetric=symmetric)
    np.testing.assert_allclose(model.conditionals, truth, atol=0.01)


def test_joint_table_of_dependent_sources() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50_000)
    a = np.where(rng.random(50_000) < 0.8, y, 1 - y)
    copy = np.where(rng.random(50_000) < 0.9, a, y)
    votes = make_votes(np.column_stack([a, copy, a]), gold=y)
    model = labeled(votes, votes.gold, groups=((0, 1), (2,)))
    # given Y = 1: the first is right with .8; the second is right too, or wrong with .9 where the first is
    np.testing.assert_allclose(model.tables[0][1, 1:, 1:], [[0.18, 0.02], [0, 0.8]], atol=0.006)


def test_one_gold_label_gives_chance() -> None:
    votes = make_votes([[0, 1], [1, 1]], gold=[0, -1])
    model = labeled(votes, votes.gold, symmetric=True)
    np.testing.assert_allclose(model.accuracy, 0.5)


def test_refusals() -> None:
    votes = make_votes([[0, 1], [1, 1]])
    with pytest.raises(InputError, match="no gold label"):
        labeled(votes, Gold(np.array([-1, -1], dtype=np.int8), (0, 1)))
    with pytest.raises(InputError, match=r"no gold label is of class 1.*symmetric"):
        labeled(votes, Gold(np.array([0, -1], dtype=np.int8), (0, 1)))


@pytest.mark.parametrize("K", [2, 3])
def test_recovery_joint_table_of_symmetric_sources(K: int) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, 60_000)
    a = np.where(rng.random(60_000) < 0.7, y, (y + rng.integers(1, K, 60_000)) % K)
    copy = np.where(rng.random(60_000) < 0.8, a, rng.integers(0, K, 60_000))
    copy[rng.random(60_000) < 0.1] = -1
    votes = make_votes(np.column_stack([a, copy, a]), K, gold=y)
    model = labeled(votes, votes.gold, symmetric=True, groups=((0, 1), (2,)))
    counted = labeled(votes, votes.gold, symmetric=False, groups=((0, 1), (2,)))
    np.testing.assert_allclose(model.tables[0], counted.tables[0], atol=0.012)
    # Classes are alike: turning all of them around the circle changes nothing.
    turned = np.concatenate([model.tables[0][:, :1], np.roll(model.tables[0][:, 1:], 1, axis=1)], axis=1)
    turned = np.concatenate([turned[:, :, :1], np.roll(turned[:, :, 1:], 1, axis=2)], axis=2)
    np.testing.assert_allclose(np.roll(turned, 1, axis=0), model.tables[0], atol=1e-12)


def test_many_classes_are_counted_each_for_itself() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 20, 40_000)
    votes = make_votes(np.where(rng.random((3, 40_000)) < 0.8, y, rng.integers(0, 20, (3, 40_000))).T, 20, gold=y)
    model = labeled(votes, votes.gold)
    expected = [(votes.values[y == k, 0] == k).mean() for k in range(20)]
    np.testing.assert_allclose(np.diagonal(model.source_tables[0][:, 1:]), expected, atol=1e-3)
