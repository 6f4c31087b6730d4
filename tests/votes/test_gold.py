from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes

from carob import Gold, InputError, Votes
from carob.votes import GoldPoints


def test_gold_in_every_form() -> None:
    votes = Votes.from_array([["spam", "ham"], ["ham", "ham"], ["spam", "spam"]])
    for gold in (["spam", "", "ham"], ["spam", None, "ham"], np.array(["spam", np.nan, "ham"], dtype=object)):
        assert votes.code_gold(gold).values.tolist() == [1, -1, 0]
    numbers = Votes.from_array([[0, 1], [1, 1], [0, 0]])
    for labels in ([1, -1, 0], [1, None, 0], [1.0, np.nan, 0.0], np.array([1, -1, 0], dtype=np.int8)):
        assert numbers.code_gold(labels).values.tolist() == [1, -1, 0]
    signs = Votes.from_array([[-1, 1], [1, 1], [-1, -1]])
    assert signs.code_gold([1, 0, -1]).values.tolist() == [1, -1, 0]
    assert signs.code_gold([1, None, -1]).counts.tolist() == [1, 1]


def test_gold_refusals() -> None:
    votes = Votes.from_array([[0, 1], [1, 1], [0, 0]])
    with pytest.raises(InputError, match=r"gold holds 2 \(first in row 3\)"):
        votes.code_gold([0, 1, 2])
    with pytest.raises(InputError, match="gold has 2 labels for 3 points"):
        votes.code_gold([0, 1])
    with pytest.raises(InputError, match="gold must have one axis"):
        votes.code_gold([[0, 1, 1]])
    with pytest.raises(InputError, match="gold has classes"):
        make_votes([[0, 1], [1, 2], [0, 0]], 3).code_gold(votes.code_gold([0, 1, 1]))


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
    assert points.take(np.array([0])).weights == pytest.approx([0.6])
    assert GoldPoints.of(votes, Gold(gold.values, (0, 1))).weights.tolist() == [1, 1, 1]
    taken = gold.take(np.array([1, 3]))
    assert taken.chances is not None
    assert taken.chances.tolist() == [0.5, 0.25]
