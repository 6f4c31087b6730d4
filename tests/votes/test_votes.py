from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes

from carob import InputError, Votes
from carob.votes.storage import Dense, Sparse


def test_take_and_select() -> None:
    votes = make_votes([[0, 1, 1], [1, 0, 0], [1, 1, 1]], gold=[0, 1, -1])
    some = votes.take(np.array([2, 0]))
    assert some.values.tolist() == [[1, 1, 1], [0, 1, 1]]
    assert some.gold is not None
    assert some.gold.values.tolist() == [-1, 0]
    assert votes.select(["s2", "s0"]).values.tolist() == [[1, 0], [0, 1], [1, 1]]
    with pytest.raises(InputError, match="no source 'x'"):
        votes.select(["x"])


def test_a_crowd_as_a_whole_array_is_held_sparsely() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    values = np.full((300, 120), -1)
    for point in range(300):
        asked = rng.choice(120, 5, replace=False)
        values[point, asked] = np.where(rng.random(5) < 0.8, truth[point], 1 - truth[point])
    crowd = Votes.from_array(values, abstain=-1, classes=[0, 1])
    assert isinstance(crowd.storage, Sparse)
    np.testing.assert_array_equal(crowd.values, values)
    assert isinstance(crowd.select(crowd.sources[:50]).storage, Sparse)
    few = Votes.from_array(values[:, :99], abstain=-1, classes=[0, 1])
    assert isinstance(few.storage, Dense)
