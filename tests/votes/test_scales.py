from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carob import InputError
from carob.votes import Votes
from carob.votes.scales import ALL, MOST_BINS, Numbers, Scale, StatedKind, running_against, score_words, stated_kinds
from carob.votes.storage import Dense


def numbers(*values: float) -> Numbers:
    return Numbers("judge", np.array(values))


def test_few_numbers_have_a_bin_each_and_nothing_is_rounded_away() -> None:
    values = np.array([0.0, 3.0, 3.5, 9.0, 3.0])
    scale = Scale.of(values, "score")
    assert scale.centres == (0, 3, 3.5, 9)
    assert scale.edges == (1.5, 3.25, 6.25)
    assert scale.codes(Numbers("judge", values)).tolist() == [0, 1, 2, 3, 1]


def test_many_numbers_have_bins_of_about_as_many_points() -> None:
    values = np.random.default_rng(0).normal(size=6_400)
    scale = Scale.of(values, "score")
    assert scale.size == MOST_BINS
    counts = np.bincount(scale.codes(Numbers("judge", values)))
    assert counts.min() > 0.9 * 6_400 / MOST_BINS
    assert counts.max() < 1.1 * 6_400 / MOST_BINS
    middle = [values[scale.codes(Numbers("judge", values)) == k].mean() for k in range(MOST_BINS)]
    np.testing.assert_allclose(scale.centres, middle)


def test_a_number_that_many_points_have_is_one_bin() -> None:
    values = np.concatenate([np.zeros(4_000), np.random.default_rng(0).random(1_000)])
    scale = Scale.of(values, "score")
    codes = scale.codes(Numbers("judge", values))
    assert (codes[:4_000] == 0).all()
    assert scale.size > MOST_BINS / 8


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=80))
def test_codes_are_in_the_order_of_the_numbers_and_no_bin_is_empty(values: list[float]) -> None:
    given_values = np.array(values)
    scale = Scale.of(given_values, "score")
    codes = scale.codes(Numbers("judge", given_values))
    assert (np.diff(codes[np.argsort(given_values, kind="stable")]) >= 0).all()
    assert np.bincount(codes, minlength=scale.size).min() >= 1
    assert len(scale.edges) + 1 == scale.size == len(scale.standing) <= MOST_BINS


def test_standing_is_the_share_below_and_turns_round() -> None:
    scale = Scale.of(np.array([1.0, 1.0, 2.0, 3.0]), "score")
    assert scale.standing == (0.25, 0.625, 0.875)
    assert not scale.turned
    assert scale.turn().turned
    np.testing.assert_allclose(scale.turn().leaning, [0.75, 0.375, 0.125])
    stated = Scale.of(np.array([0.1, 0.9]), "probability", 0, 1)
    np.testing.assert_allclose(stated.leaning, [0.1, 0.9])


def test_bins_in_words() -> None:
    scale = Scale.of(np.array([1.0, 2.0, 3.0]), "score")
    assert [scale.words(k) for k in range(3)] == ["up to 1.5", "1.5 to 2.5", "2.5 or more"]
    assert Scale.of(np.array([4.0, 4.0]), "score").words(0) == "4"
    turned = score_words([("a", scale.turn()), ("p", Scale.of(np.array([0.5]), "probability"))])
    assert turned == ["Scores: a (1 to 3, high ones for the first class).", "Probabilities: p (0.5 to 0.5)."]


def test_new_numbers_beyond_those_seen_are_in_the_outer_bins_unless_a_range_was_stated() -> None:
    scale = Scale.of(np.array([1.0, 2.0, 3.0]), "score")
    assert scale.codes(numbers(-50, 50, np.nan)).tolist() == [0, 2, -1]
    stated = Scale.of(np.array([1.0, 2.0, 3.0]), "score", 0, 5)
    with pytest.raises(InputError, match=r"judge holds 7 \(first in row 2\): its scores are from 0 to 5"):
        stated.codes(numbers(2, 7))
    with pytest.raises(InputError, match="a probability is from 0 to 1"):
        Scale.of(np.array([0.2, 0.4]), "probability", 0, 1).codes(numbers(1.5))


@pytest.mark.parametrize(("value", "text"), [(np.nan, "NaN in row 2"), (np.inf, "infinity in row 2")])
def test_what_is_no_number_is_refused(value: float, text: str) -> None:
    with pytest.raises(InputError, match=text):
        Numbers.of(np.array([1.0, value]), None, "judge", [-1.0])


def test_values_that_mean_nothing_said() -> None:
    assert Numbers.of(np.array([1, -1, 3]), None, "judge", [-1.0]).full.tolist() == [True, False, True]
    assert Numbers.of(np.array([1, np.nan]), None, "judge", [np.nan]).full.tolist() == [True, False]
    assert Numbers.of(np.array([1, 2]), np.array([False, True]), "judge", []).full.tolist() == [True, False]
    with pytest.raises(InputError, match="a score is a number"):
        Numbers.of(np.array(["a", "b"]), None, "judge", [])


def test_stated_kinds() -> None:
    assert stated_kinds(None, ["a"]) == {}
    assert stated_kinds("score", ["a", "b"]) == {"a": StatedKind("score"), "b": StatedKind("score")}
    assert stated_kinds({ALL: "vote", "b": "0..5"}, ["a", "b"])["b"] == StatedKind("score", 0, 5)
    assert StatedKind.of("p", "probability") == StatedKind("probability", 0, 1)
    for kinds, text in [
        ({"z": "score"}, "no source 'z' whose kind to state"),
        ({"a": "number"}, "the kind of 'a' must be one of 'vote', 'score', 'probability', not 'number'"),
        ({"a": "5..1"}, "a range of scores is written 0..10"),
        ({"a": "x..1"}, "a range of scores is written 0..10"),
    ]:
        with pytest.raises(InputError, match=text):
            stated_kinds(kinds, ["a", "b"])


def test_numbers_as_large_as_can_be_and_none_at_all() -> None:
    scale = Scale.of(np.array([1.7e308, 1.6e308, 1.5e308, -1.7e308]), "score")
    assert np.isfinite([*scale.edges, *scale.centres]).all()
    assert scale.codes(numbers(1.7e308, 1.6e308, -1.7e308)).tolist() == [3, 2, 0]
    many = Scale.of(1.7e308 * np.linspace(-1, 1, 1_000), "score")
    assert np.isfinite(many.centres).all()
    assert Scale.of(np.array([np.nan]), "score").codes(numbers(np.nan)).tolist() == [-1]


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
