from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet
from simulate import ballots_of, draw_votes, held_sparsely, make_votes, sample, symmetric_conditionals

from carob.count.aside import set_aside
from carob.label import near_copies as module
from carob.label.consensus import learn, matching_shift
from carob.label.near_copies import left_over, near_copies
from carob.label.pool import without_gold
from carob.posterior.naive_bayes import softmax
from carob.votes import Votes


def found(votes: Votes) -> set[tuple[int, int]]:
    return set(near_copies(ballots_of(votes), guesses(votes)))


def guesses(votes: Votes) -> Any:
    ballots = ballots_of(votes)
    learned = learn(ballots, None)
    in_full = softmax(learned.scores + matching_shift(learned.scores[ballots.covered], learned.class_balance))
    return (in_full + without_gold(learned, ballots).mixed([learned.scores], ballots.tally)) / 2


def with_copy(votes: Votes, of: int, share: float, seed: int = 0) -> Votes:
    """The last source repeats another on a share of the points, and votes on its own elsewhere."""
    follows = np.random.default_rng(seed).random(len(votes)) < share
    values = votes.values.copy()
    values[follows, -1] = values[follows, of]
    return make_votes(values, len(votes.classes), votes.own_gold.values)


def one_sided(n: int, seed: int, copied: bool) -> Votes:
    """Three sources for each of two classes that say that class or nothing; the first two are copies perhaps."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    mine = np.array([1, 1, 1, 0, 0, 0])
    speaks = rng.random((n, 6)) < np.where(truth[:, None] == mine, 0.6, 0.15)
    if copied:
        follows = rng.random(n) < 0.8
        speaks[follows, 1] = speaks[follows, 0]
    return make_votes(np.where(speaks, mine, -1), 2, truth)


@pytest.mark.parametrize("seed", range(4))
def test_independent_sources_are_no_copies(seed: int) -> None:
    assert found(sample(2_000, seed)) == set()
    assert found(sample(2_000, seed, abstain=0.5, balance=0.3)) == set()
    assert found(one_sided(2_000, seed, copied=False)) == set()
    three = symmetric_conditionals([0.7, 0.6, 0.65, 0.8, 0.55, 0.7], 3, 0.2)
    assert found(draw_votes(np.random.default_rng(seed), 2_000, three, [0.5, 0.3, 0.2])) == set()
    assert found(sample(150, seed)) == set()


@pytest.mark.parametrize("seed", range(4))
def test_copied_pairs_are_found(seed: int) -> None:
    for votes in (sample(2_000, seed), sample(2_000, seed, abstain=0.4)):
        copied = with_copy(votes, of=2, share=0.8, seed=seed)
        assert found(copied) == found(held_sparsely(copied)) == {(2, 9)}
    assert found(one_sided(2_000, seed, copied=True)) == {(0, 1)}
    for silent in (0.5, 0.7):  # two copies are most of the votes on a point then, and hardly outvoted
        rules = symmetric_conditionals([0.85, 0.8, 0.7, 0.75, 0.6, 0.85], 2, silent)
        copied = with_copy(draw_votes(np.random.default_rng(seed), 3_000, rules, [0.7, 0.3]), 0, 0.97, seed)
        assert found(copied) == {(0, 5)}
    three = draw_votes(
        np.random.default_rng(seed),
        2_000,
        symmetric_conditionals([0.7, 0.65, 0.65, 0.8, 0.6, 0.75, 0.7, 0.7], 3, 0.2),
        [0.5, 0.3, 0.2],
    )
    assert found(with_copy(three, of=1, share=0.8, seed=seed)) == {(1, 7)}


def test_who_repeats_now_and_then_is_no_copy() -> None:
    assert found(with_copy(sample(2_000), of=2, share=0.2)) == set()


def test_no_source_has_two_partners() -> None:
    values = sample(2_000).values.copy()
    rng = np.random.default_rng(0)
    for i in (1, 2):
        follows = rng.random(2_000) < 0.85
        values[follows, i] = values[follows, 0]
    pairs = found(make_votes(values))
    assert len(pairs) == 1
    assert pairs < {(0, 1), (0, 2), (1, 2)}


def test_few_common_votes_or_none_that_are_wrong_make_no_copy() -> None:
    values = sample(2_000).values.copy()
    values[module.COMMON - 1 :, [0, 1]] = -1
    values[:, 1] = values[:, 0]
    assert found(make_votes(values)) == set()
    truth = np.random.default_rng(0).integers(0, 2, 500)
    assert found(make_votes(np.repeat(truth[:, None], 4, axis=1))) == set()
    for accuracy in (0.95, 0.98, 0.995):
        nearly = symmetric_conditionals(np.full(4, accuracy))
        assert found(draw_votes(np.random.default_rng(0), 1_000, nearly, [0.5, 0.5])) == set()


def test_one_source_and_a_crowd_have_no_pairs() -> None:
    assert found(make_votes(sample(100).values[:, :1])) == set()
    values = np.repeat(sample(100).values, module.MOST_SOURCES // 10 + 1, axis=1)
    assert found(make_votes(values)) == set()


@pytest.mark.parametrize("K", [2, 3])
def test_oracle_what_is_left_over(K: int) -> None:
    rng = np.random.default_rng(K)
    values = np.where(rng.random((80, 4)) < 0.3, -1, rng.integers(0, K, (80, 4)))
    values[:, 3] = np.where(values[:, 3] == 0, 0, -1)  # one-sided: its silence says something
    guess = rng.dirichlet(np.ones(K), 80)
    correlation, common = left_over(ballots_of(make_votes(values, K)), guess)
    for i in range(4):
        for j in range(4):
            both = [t for t in range(80) if (values[t, i] >= 0 or i == 3) and (values[t, j] >= 0 or j == 3)]
            shared = mine = other = 0.0
            lengths = []
            for y in range(K):
                rest = []
                for s in (i, j):
                    heard = [t for t in range(80) if values[t, s] >= 0 or s == 3]
                    of_class = [
                        (sum(guess[t, k] * (values[t, s] == y) for t in heard) + 0.5 / K)
                        / (sum(guess[t, k] for t in heard) + 0.5)
                        for k in range(K)
                    ]
                    rest.append(np.array([(values[t, s] == y) - guess[t] @ of_class for t in both]))
                shared += rest[0] @ rest[1]
                mine, other = rest[0] @ rest[0], rest[1] @ rest[1]
                lengths.append(np.sqrt(mine * other))
            assert common[i, j] == len(both)
            assert correlation[i, j] == pytest.approx(shared / sum(lengths), abs=1e-5)


def test_prompts_and_their_paraphrases_are_near_copies(shared_data: Callable[[str], Path]) -> None:
    """Ten pairs of prompts, of which the second is the first in other words; exact copies are set aside before."""
    table = parquet.read_table(shared_data("votes/prompted_youtube.parquet")).to_pydict()
    names = [name for name in table if name not in ("gold", "split")]
    votes = Votes.from_array(
        np.column_stack([table[name] for name in names]), sources=names, classes=[0, 1], abstain=-1
    )
    aside = set_aside(votes)
    left = aside.votes
    pairs = {frozenset(pair) for pair in aside.copies}
    pairs |= {frozenset((left.sources[i], left.sources[j])) for i, j in found(left)}
    true = {frozenset((name, f"{name}_aug")) for name in names if f"{name}_aug" in names}
    assert len(true) == 10
    assert len(pairs & true) >= 8
    assert len(pairs - true) <= 3
