from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes

from carob import Gold, InputError
from carob.votes import GoldPoints


def test_gold_points_are_rows_with_their_votes() -> None:
    votes = make_votes([[0, 1], [1, 1], [-1, 0], [0, 0]])
    gold = Gold(np.array([-1, 1, 0, 1], dtype=np.int8), (0, 1))
    points = GoldPoints.of(votes, gold)
    assert points.rows.tolist() == [1, 2, 3]
    assert points.truth.tolist() == [1, 0, 1]
    assert points.votes.values.tolist() == [[1, 1], [-1, 0], [0, 0]]
    assert points.counts.tolist() == [1, 2]
    assert len(points) == 3
    part = points.take(np.array([2, 0]))
    assert (part.rows.tolist(), part.truth.tolist()) == ([3, 1], [1, 1])
    assert part.counts.tolist() == [0, 2]
    assert points.select(("s1",)).votes.values.tolist() == [[1], [0], [0]]


def test_votes_without_gold_have_none_of_their_own() -> None:
    with pytest.raises(InputError, match="no gold came with the votes"):
        _ = make_votes([[0, 1]]).own_gold


def test_weights_are_what_chances_say_beside_random_points() -> None:
    votes = make_votes([[0, 1], [1, 1], [-1, 0], [0, 0]])
    gold = Gold(np.array([-1, 1, 0, 1], dtype=np.int8), (0, 1), chances=np.array([np.nan, 0.5, np.nan, 0.25]))
    points = GoldPoints.of(votes, gold)
    assert points.weights == pytest.approx(np.array([0.5, 1, 1]) * 3 / 2.5)
    assert points.weighted_counts == pytest.approx([1.2, 1.8])
    assert points.effective == pytest.approx(2.5**2 / 2.25)
    assert points.take(np.array([0])).weights == pytest.approx([0.6])
    assert GoldPoints.of(votes, Gold(gold.values, (0, 1))).weights.tolist() == [1, 1, 1]
    taken = gold.take(np.array([1, 3]))
    assert taken.chances is not None
    assert taken.chances.tolist() == [0.5, 0.25]
