from __future__ import annotations

import numpy as np
import pytest

from carob.paper.structure import DependentPair
from carob.posterior.settings import Settings
from carob.value.changes import MOST_PAIRS, SourceChange, _apart, source_changes
from carob.value.interval import Interval
from carob.value.risks import measure_risks
from carob.votes import GoldPoints, Votes


def pair(first: str, second: str, correlation: float = 0.3) -> DependentPair:
    return DependentPair(first, second, correlation, 9.0)


def test_pairs_that_are_tried_share_no_source_and_leave_three_outside() -> None:
    pairs = [pair("a", "b"), pair("b", "c"), pair("c", "d"), pair("e", "f")]
    assert _apart(pairs, 20) == [pairs[0], pairs[2], pairs[3]]
    assert _apart(pairs, 7) == [pairs[0], pairs[2]]
    assert _apart(pairs, 5) == [pairs[0]]
    assert _apart(pairs, 4) == []
    many = [pair(f"a{i}", f"b{i}") for i in range(9)]
    assert _apart(many, 50) == many[:MOST_PAIRS]
    assert MOST_PAIRS == 5


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_copy_is_to_be_merged_or_dropped_and_that_is_measured_on_gold(symmetric: bool) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2_000)
    values = np.where(rng.random((2_000, 6)) < [0.75, 0.75, 0.7, 0.7, 0.65, 0.7], truth[:, None], 1 - truth[:, None])
    values[:, 1] = np.where(rng.random(2_000) < 0.9, values[:, 0], values[:, 1])
    votes = Votes.from_array(values, gold=truth)
    settings = Settings(class_balance=0.5, symmetric=symmetric)
    risks = measure_risks(votes, GoldPoints.of(votes, votes.own_gold).take(slice(0, 200)), settings)
    merge, drop = source_changes(risks)
    assert (merge.action, merge.sources) == ("merge", (("s0", "s1"),))
    assert drop.action == "drop"
    assert drop.sources in (("s0",), ("s1",))
    for change in (merge, drop):
        assert change.gain.low <= change.gain.value <= change.gain.high
        assert abs(change.gain.value) < 0.1


def test_the_default_counts_copies_once_by_itself_and_nothing_is_left_to_try() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    values = np.where(rng.random((600, 5)) < 0.75, truth[:, None], 1 - truth[:, None])
    values[:, 1] = np.where(rng.random(600) < 0.9, values[:, 0], values[:, 1])
    votes = Votes.from_array(values, gold=truth)
    risks = measure_risks(votes, GoldPoints.of(votes, votes.own_gold).take(slice(0, 40)), Settings(class_balance=0.5))
    assert source_changes(risks) == ()


def test_independent_sources_need_no_change() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1_000)
    values = np.where(rng.random((1_000, 5)) < 0.7, truth[:, None], 1 - truth[:, None])
    votes = Votes.from_array(values, gold=truth)
    settings = Settings(class_balance=0.5, symmetric=False)
    risks = measure_risks(votes, GoldPoints.of(votes, votes.own_gold).take(slice(0, 60)), settings)
    assert source_changes(risks) == ()


def test_plain_values() -> None:
    found = SourceChange("drop", ("a",), Interval(0.1, 0.0, 0.2)).to_dict()
    assert found == {"action": "drop", "sources": ("a",), "gain": {"value": 0.1, "low": 0.0, "high": 0.2}}
