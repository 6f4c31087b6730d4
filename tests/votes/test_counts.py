"""Counts of what sources say, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from simulate import held_sparsely, make_votes

from carob import InputError, Votes
from carob.votes.counts import VoteCounts, block_of, mixed


def drawn(n: int, m: int, K: int, silent: float, seed: int = 0) -> Votes:
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((n, m)) < silent, -1, rng.integers(0, K, (n, m)))
    return Votes.from_array(values, classes=list(range(K)))


def by_hand(votes: Votes, telling: list[int]) -> tuple[list[list[list[int]]], int]:
    outputs = len(votes.classes) + 1
    cast = [[[0] * outputs for _ in range(3)] for _ in votes.sources]
    silent = 0
    for row in votes.values.tolist():
        said = [row[i] for i in telling if row[i] >= 0]
        kind = 2 if len({*said}) > 1 else 1 if len(said) > 1 else 0
        silent += not said
        for i, value in enumerate(row):
            cast[i][kind][value + 1] += 1
    return cast, silent


@pytest.mark.parametrize(("n", "m", "K", "silent"), [(5_000, 4, 2, 0.4), (300, 120, 3, 0.97), (200, 3, 127, 0.1)])
def test_oracle_counts_by_hand(n: int, m: int, K: int, silent: float) -> None:
    votes = drawn(n, m, K, silent)
    for telling in (range(m), range(1, m)):
        mask = np.isin(np.arange(m), list(telling))
        found = votes.count(first_row=1_000, telling=mask)
        cast, uncovered = by_hand(votes, list(telling))
        assert found.cast.tolist() == cast
        assert found.uncovered == uncovered
        hashes = mixed(np.arange(n) + 1_000)[:, None]
        assert (found.prints == ((votes.values + 1).astype(np.uint64) * hashes).sum(axis=0, dtype=np.uint64)).all()


def test_invariant_parts_add_up_and_votes_held_sparsely_are_the_same() -> None:
    votes = drawn(9_000, 130, 3, 0.97)
    dense = Votes(votes.values, votes.sources, votes.coding)
    assert type(votes.storage) is not type(dense.storage)
    assert votes.counts == dense.counts
    parts = [dense.take(slice(0, 4_097)).count(), votes.take(slice(4_097, None)).count(4_097)]
    assert parts[0] + parts[1] == votes.counts
    assert parts[0] + dense.take(slice(4_097, None)).count() != votes.counts  # rows are told by their numbers


def test_scores_are_no_votes_and_cover_points() -> None:
    votes = Votes.from_array(
        [[0.1, 1], [0.5, -1], [np.nan, -1]], kinds={"s0": "score"}, abstain=[-1, np.nan], classes=[0, 1]
    )
    assert votes.counts.by_class.tolist() == [[0, 0], [0, 1]]
    assert votes.counts.number.tolist() == [2, 1]
    assert (votes.counts.uncovered, votes.counts.shared.tolist()) == (1, [0, 0])


def test_refusal_of_other_sources() -> None:
    one, other = drawn(10, 2, 2, 0), drawn(10, 3, 2, 0)
    with pytest.raises(InputError, match="same sources and classes"):
        one.counts + other.counts
    assert one.counts.__add__(3) is NotImplemented  # type: ignore[operator]
    assert isinstance(one.counts, VoteCounts)


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


def test_known_answer_splitmix64() -> None:
    # The first numbers of the generator seeded with 0, whose n-th is the finalizer of n + 1 steps.
    assert [hex(x) for x in mixed(np.arange(3)).tolist()] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


def test_blocks_are_about_as_large() -> None:
    sizes = np.bincount(block_of(np.arange(320_000), 32), minlength=32)
    assert (np.abs(sizes - 10_000) < 5 * 100).all()
