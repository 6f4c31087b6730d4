"""A constant chosen with each set left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from left_out import chosen, constant, losses
from simulate import make_votes

from carob.label import stack
from carob.votes import Gold


def test_known_answer_each_set_is_judged_by_what_the_others_choose() -> None:
    assert chosen({"a": [1.0, 0.0], "b": [0.0, 3.0], "c": [0.5, 0.0]}) == {"a": 0, "b": 1, "c": 0}


def test_a_constant_is_put_back() -> None:
    kept = stack.DOUBT
    with constant("label.stack:DOUBT", 7.0):
        assert pytest.approx(7.0) == stack.DOUBT
    assert kept == stack.DOUBT


def test_every_value_is_scored_on_the_same_draws_where_gold_is_enough() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 120)
    votes = make_votes(np.where(rng.random((120, 4)) < 0.75, truth[:, None], 1 - truth[:, None]), 2)
    votes = replace(votes, gold=Gold(truth.astype(np.int8), votes.classes))
    first, again, other = losses(votes, "label.stack:DOUBT", [1.3, 1.3, 20.0], [30], 1)
    assert first == again != other
    assert losses(votes, "label.stack:DOUBT", [1.3], [61], 1) == []
