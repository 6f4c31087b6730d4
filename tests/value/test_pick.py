from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes, sample, some_gold

from carob import InputError, LabelModel
from carob.value import pick as module
from carob.value.pick import chances_to_learn, check_number, draw, in_a_row, pick


def test_oracle_points_are_drawn_as_often_as_is_said() -> None:
    rng = np.random.default_rng(0)
    share = rng.exponential(size=25)
    share[3] = 30.0  # certain
    times, draws = np.zeros(25), 4_000
    for _ in range(draws):
        drawn, inclusion = draw(share, 6, rng.permutation(25), rng)
        assert len(np.unique(drawn)) == 6
        times[drawn] += 1
    assert inclusion.sum() == pytest.approx(6)
    assert inclusion[3] == 1
    error = np.sqrt(inclusion * (1 - inclusion) / draws)
    assert (np.abs(times / draws - inclusion) <= 4.5 * error).all()
    others = np.arange(25) != 3
    assert inclusion[others] / inclusion[others].sum() == pytest.approx(share[others] / share[others].sum())


def test_invariant_neighbours_in_the_row_are_not_drawn_together() -> None:
    drawn, inclusion = draw(np.ones(100), 10, np.arange(100), np.random.default_rng(1))
    assert np.diff(drawn).tolist() == [10] * 9
    assert inclusion.tolist() == [0.1] * 100
    everyone, _ = draw(np.ones(5), 5, np.arange(5), np.random.default_rng(1))
    assert everyone.tolist() == [0, 1, 2, 3, 4]


def test_known_answer_uncertain_points_have_more_of_the_chance_and_silent_ones_not_too_much() -> None:
    p = np.array([[0.5, 0.5], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    share = chances_to_learn(p, np.zeros(4, dtype=bool))
    expected = np.array([module.EVEN + 4 * (1 - module.EVEN), *[module.EVEN] * 3])
    assert share == pytest.approx(expected / expected.sum())
    silent = np.array([True, False, False, False])
    capped = chances_to_learn(p, silent)
    assert capped[0] == pytest.approx(module.SILENT)
    assert capped.sum() == pytest.approx(1)
    assert chances_to_learn(p[1:], np.zeros(3, dtype=bool)) == pytest.approx([1 / 3] * 3)
    assert chances_to_learn(p[:1], silent[:1]) == pytest.approx([1])


def test_points_stand_in_a_row_by_kind() -> None:
    p = np.array([[0.1, 0.9], [0.5, 0.5], [0.7, 0.3], [0.4, 0.6], [0.9, 0.1]])
    silent = np.array([False, True, False, False, False])
    assert in_a_row(p, silent, np.random.default_rng(0)).tolist() == [1, 2, 4, 3, 0]


def test_picks_new_points_without_and_with_gold() -> None:
    votes = sample(600, abstain=0.3)
    first = pick(votes, n=20)
    assert len(first) == len(np.unique(first.rows)) == 20
    assert (first.n_gold, first.n_points, first.goal) == (0, 600, "labels")
    assert pick(votes, n=20).rows.tolist() == first.rows.tolist()
    gold = np.full(600, -1)
    chances = np.full(600, np.nan)
    gold[first.rows], chances[first.rows] = votes.own_gold.values[first.rows], first.chances
    second = pick(votes, gold, 30, chances=chances, model=LabelModel(rng=1))
    assert not set(second.rows) & set(first.rows)
    assert second.n_gold == 20
    assert (second.chances > 0).all()
    assert len(second.to_dict()["rows"]) == 30
    assert len(pick(votes, gold, 580)) == 580


def test_random_points_have_equal_chances() -> None:
    votes = sample(400)
    found = pick(votes, some_gold(votes, 100), 50, goal="estimate")
    assert found.chances == pytest.approx([1 / 300] * 50)
    assert (
        pick(votes, goal="estimate").rows.tolist()
        != pick(votes, goal="estimate", model=LabelModel(rng=2)).rows.tolist()
    )


def test_uncertain_points_are_picked_more_often() -> None:
    gaps = []
    for seed in range(5):
        votes = sample(2_000, seed=seed)
        margin = np.abs(votes.values.mean(axis=1) - 0.5)
        gaps.append(margin[pick(votes, n=300).rows].mean() - margin.mean())
    assert np.mean(gaps) < -0.01


def test_refusals() -> None:
    votes = make_votes([[0, 1, 1], [1, 1, 0], [1, 0, 1]] * 5)
    for wrong in (0, -3, 2.5, True):
        with pytest.raises(InputError, match="whole number from 1 on"):
            check_number(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="16 points are to be picked, and 15 points have no gold"):
        pick(votes, n=16)
    with pytest.raises(InputError, match="goal must be one of 'labels', 'estimate'"):
        pick(votes, n=2, goal="fun")  # type: ignore[arg-type]
