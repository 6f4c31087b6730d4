from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes

from carob import InputError, Votes


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
