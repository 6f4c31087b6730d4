from __future__ import annotations

import numpy as np
import pytest

from carob import Coding, InputError, Votes
from carob.read import as_votes, read_for_model, votes_for

CODING = Coding((0, 1), (-1,))


def test_whatever_a_user_hands_over_becomes_votes() -> None:
    expected = [[0, 1], [1, -1]]
    votes = Votes.from_array([[0, 1], [1, None]])
    assert as_votes(votes) is votes
    for data in ([[0, 1], [1, None]], {"a": [0, 1], "b": [1, None]}):
        assert as_votes(data).values.tolist() == expected
    assert as_votes([[-1, 1], [1, -1]], abstain=-1, classes=[0, 1]).values.tolist() == [[-1, 1], [1, -1]]
    assert as_votes({"a": [-1, 1], "b": [0, 1]}, gold=[0, 1]).classes == (0, 1)


def test_votes_for_a_model_are_found_by_name_and_written_its_way() -> None:
    table = {"b": [1, 0], "other": ["x", "y"], "a": [0, -1]}
    assert votes_for(table, ("a", "b"), CODING).values.tolist() == [[0, 1], [-1, 0]]
    assert votes_for(np.array([[0, 1]]), ("a", "b"), CODING).values.tolist() == [[0, 1]]
    votes = Votes.from_array([[0, 1], [1, 1]], sources=["b", "a"])
    assert votes_for(votes, ("a", "b"), CODING).values.tolist() == [[1, 0], [1, 1]]
    with pytest.raises(InputError, match=r"the votes have classes \(0, 1\) and the model has \(0, 1, 2\)"):
        votes_for(votes, ("a", "b"), Coding((0, 1, 2), (-1,)))
    with pytest.raises(InputError, match="votes of shape"):
        votes_for(np.array([[0, 1, 1]]), ("a", "b"), CODING)
    with pytest.raises(InputError, match="no source 'c'"):
        votes_for(votes, ("a", "c"), CODING)


def test_a_worker_of_the_model_who_is_not_there_did_not_vote() -> None:
    table = {"task": ["t", "u"], "worker": ["a", "a"], "label": [0, 1]}
    found = read_for_model(table, ("b", "a"), CODING)
    assert found.values.tolist() == [[-1, 0], [-1, 1]]
    with pytest.raises(InputError, match="no column 'b'"):
        read_for_model({"a": [0, 1]}, ("a", "b"), CODING)
