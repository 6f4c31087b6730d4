"""Counts of what sources say, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from carob import InputError, Votes
from carob.votes.counts import VoteCounts
from carob.votes.row_hash import mixed


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
