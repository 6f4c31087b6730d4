from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate import make_votes

from carob import InputError, Moments, Votes
from carob._kernels import threads
from carob.count.statistics import BLOCKS, Statistics, number_of_blocks
from carob.votes import Outputs
from carob.votes.counts import block_of
from carob.votes.storage import Sparse


def random_votes(n: int = 700, m: int = 5, K: int = 3, seed: int = 0) -> Votes:
    return make_votes(np.random.default_rng(seed).integers(-1, K, (n, m)), K)


def sparse(votes: Votes) -> Votes:
    """The same votes, held sparsely."""
    point, source = np.nonzero(votes.values >= 0)
    cells = Sparse.of_entries(len(votes), len(votes.sources), point, source, votes.values[point, source])
    return Votes(cells, votes.sources, votes.coding, votes.keys, votes.gold)


TRIPLES = (np.array([0, 3, 6, 10, 14]), np.array([1, -1, 1, 1, -1]), np.array([[0, 1, 2], [0, 2, 4], [1, 3, 4]]))


def counted(votes: Votes, first_row: int = 0) -> Statistics:
    found = Statistics.of(votes, [(0, 2), (1, 3, 4)], first_row)
    return found.with_triples(votes, *TRIPLES, first_row)


def test_oracle_every_block_counts_its_points() -> None:
    votes = random_votes()
    found = counted(votes)
    block = block_of(np.arange(len(votes)), BLOCKS)
    assert len(found.blocks) == BLOCKS
    feature, sign, triples = TRIPLES
    outputs = votes.outputs
    given = (votes.values[:, outputs.source[feature]] == outputs.spoken[feature] - 1) * sign
    assert found.triples is not None
    for b in range(BLOCKS):
        rows = np.flatnonzero(block == b)
        assert found.blocks[b] == Moments.of(votes.take(rows))
        for t, (f, g, h) in enumerate(triples):
            assert found.triples.sums[b, t] == (given[rows, f] * given[rows, g] * given[rows, h]).sum()
        for counts in found.groups:
            for row in rows[:5]:
                place = 0
                for i in counts.group:
                    place = place * 4 + votes.values[row, i] + 1
                assert counts.joint[b, place] > 0
                for i, vote in enumerate(votes.values[row]):
                    if vote >= 0:
                        assert counts.with_others[b, place, 3 * i + vote] > 0
            assert counts.joint[b].sum() == len(rows)
            assert counts.with_others[b].sum() == (votes.values[rows] >= 0).sum()


@given(st.lists(st.integers(0, 300), max_size=4), st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_invariant_split_and_merge(cuts: list[int], seed: int) -> None:
    votes = random_votes(300, seed=seed)
    whole = counted(votes)
    edges = [0, *sorted(cuts), 300]
    parts = [counted(votes.take(slice(a, b)), a) for a, b in itertools.pairwise(edges) if b > a]
    total = parts[0]
    for part in parts[1:]:
        total = part + total
    assert total == whole


def test_invariant_storage_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = random_votes(2_000)
    whole = counted(votes)
    assert counted(sparse(votes)) == whole
    assert Moments.of(sparse(votes)) == Moments.of(votes) == whole.moments
    monkeypatch.setattr(threads, "THREADS", 1)
    assert counted(votes) == whole


def test_points_over_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    import carob.count.statistics as module

    votes = random_votes(1_000)
    whole = counted(votes)
    monkeypatch.setattr(module, "_CHUNK", 77)
    assert counted(votes) == whole


def test_negative_control_other_votes_have_other_statistics() -> None:
    one, two = random_votes(200), random_votes(200, seed=1)
    assert counted(one) != counted(two)
    assert Statistics.of(one) != counted(one)
    assert counted(one) != "statistics"


def test_weighted_blocks_are_points_that_occur_so_often() -> None:
    votes = random_votes(400)
    found = counted(votes)
    weights = np.random.default_rng(0).integers(0, 3, BLOCKS)
    moments, sums = found.weighted(weights)
    again = np.repeat(np.arange(400), weights[block_of(np.arange(400), BLOCKS)])
    assert moments == Moments.of(votes.take(again))
    assert found.triples is not None
    assert sums is not None
    np.testing.assert_array_equal(sums, weights @ found.triples.sums)
    assert Statistics.of(votes).weighted(weights)[1] is None


def test_blocks_are_even_and_neighbours_are_apart() -> None:
    block = block_of(np.arange(320_000), 32)
    share = np.bincount(block, minlength=32) / len(block)
    assert (np.abs(share - 1 / 32) < 5 * np.sqrt(1 / 32 / len(block))).all()
    together = (block[1:] == block[:-1]).mean()
    assert abs(together - 1 / 32) < 5 * np.sqrt(1 / 32 / len(block))


def test_many_sources_have_fewer_blocks() -> None:
    assert number_of_blocks(Outputs((3,) * 20)) == 32
    assert number_of_blocks(Outputs((3,) * 700)) == 2**28 // (8 * 1_400**2)
    assert number_of_blocks(Outputs((3,) * 5_000)) == 10


def test_refusals() -> None:
    votes = random_votes(50)
    with pytest.raises(InputError, match="same groups"):
        Statistics.of(votes) + Statistics.of(votes, [(0, 1)])
    with pytest.raises(InputError, match="same triples"):
        Statistics.of(votes) + Statistics.of(votes).with_triples(votes, *TRIPLES)
    with pytest.raises(TypeError):
        Statistics.of(votes) + 1  # type: ignore[operator]
