from __future__ import annotations

import numpy as np
import pytest
from simulate import held_sparsely, make_votes

from carob.votes import Votes


def slow_tally(values: np.ndarray, K: int) -> np.ndarray:
    return np.array([[sum(vote == y for vote in row) for y in range(K)] for row in values])


@pytest.mark.parametrize("K", [2, 4])
def test_oracle_votes_are_counted_one_by_one(K: int) -> None:
    values = np.random.default_rng(0).integers(-1, K, (60, 7))
    votes = make_votes(values, K)
    for held in (votes, held_sparsely(votes)):
        np.testing.assert_array_equal(held.tally(), slow_tally(values, K))
        np.testing.assert_array_equal(held.tally(10, 40), slow_tally(values[10:40], K))
        np.testing.assert_array_equal(held.leanings(), slow_tally(values, K))


def test_scores_are_parts_of_votes_and_count_as_no_votes() -> None:
    values = np.array([[0.0, 1, 0.2], [1, 1, 0.9], [1, 0, np.nan], [0, 0, 0.4]])
    votes = Votes.from_array(values, abstain=[np.nan, -1], kinds={"s2": "probability"})
    np.testing.assert_array_equal(votes.tally(), [[1, 1], [0, 2], [1, 1], [2, 0]])
    np.testing.assert_allclose(votes.leanings(), np.array([[1.8, 1.2], [0.1, 2.9], [1, 1], [2.6, 0.4]]))
    np.testing.assert_array_equal(votes.number, [3, 3, 2, 3])
    np.testing.assert_array_equal(votes.tally(once=[(0, 1)]), [[1, 1], [0, 1], [1, 1], [1, 0]])


def test_with_three_classes_a_score_leans_to_none() -> None:
    values = np.array([[0.0, 5.5], [1, 2.5], [2, 7.5]])
    votes = Votes.from_array(values, kinds={"s1": "score"})
    np.testing.assert_allclose(votes.leanings(), np.eye(3) + 1 / 3)
