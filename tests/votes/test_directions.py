from __future__ import annotations

import numpy as np
import pytest

from carob.votes import Votes
from carob.votes.directions import running_against
from carob.votes.storage import Dense

LEAN = [np.array([0.0, 1.0])]


def sources(n: int, directions: list[int], noise: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return truth[:, None] * np.array(directions) + rng.normal(0, noise, (n, len(directions)))


@pytest.mark.parametrize("seed", range(5))
def test_scores_that_run_against_the_others_are_found(seed: int) -> None:
    votes = Votes.from_array(sources(800, [1, 1, -1, 1, -1, 1], 0.6, seed), kinds="score")
    assert [scale.turned for _, scale in votes.coding.scales] == [False, False, True, False, True, False]


def test_pure_noise_is_turned_hardly_ever() -> None:
    turned = [
        any(
            scale.turned for _, scale in Votes.from_array(sources(300, [0] * 6, 1.0, seed), kinds="score").coding.scales
        )
        for seed in range(60)
    ]
    assert sum(turned) <= 3


def test_of_two_sources_that_contradict_each_other_none_is_turned() -> None:
    values = (np.arange(100)[:, None] + np.array([0, 1])) % 2
    assert running_against(Dense(values.astype(np.int8)), LEAN * 2) == []


def test_votes_tell_the_direction_of_scores() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    votes = np.where(rng.random((500, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    judge = -truth + rng.normal(0, 0.5, 500)
    table = np.column_stack([votes, judge])
    found = Votes.from_array(table, sources=["a", "b", "c", "judge"], kinds={"judge": "score"})
    assert found.coding.scales[0][1].turned
    assert found.leanings()[truth == 1].mean(axis=0)[1] > found.leanings()[truth == 0].mean(axis=0)[1]


def test_silent_sources_do_no_harm() -> None:
    values = np.full((50, 3), -1, dtype=np.int8)
    assert running_against(Dense(values), LEAN * 3) == []
