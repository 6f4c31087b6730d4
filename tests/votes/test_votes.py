from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes

from karat import InputError


def test_take_and_select() -> None:
    votes = make_votes([[0, 1, 1], [1, 0, 0], [1, 1, 1]], gold=[0, 1, -1])
    some = votes.take(np.array([2, 0]))
    assert some.values.tolist() == [[1, 1, 1], [0, 1, 1]]
    assert some.gold is not None
    assert some.gold.values.tolist() == [-1, 0]
    assert votes.select(["s2", "s0"]).values.tolist() == [[1, 0], [0, 1], [1, 1]]
    with pytest.raises(InputError, match="no source 'x'"):
        votes.select(["x"])
