from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from simulate import make_votes, names

from carob import InputError, Moments, Votes
from carob.count.moments import mirrored


def naive_moments(votes: Votes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    m, K = len(votes.sources), len(votes.classes)
    single = np.zeros((m, K), dtype=np.int64)
    pair = np.zeros((m, K, m, K), dtype=np.int64)
    for row in votes.values.tolist():
        for i, u in enumerate(row):
            if u >= 0:
                single[i, u] += 1
            for j, v in enumerate(row):
                if u >= 0 and v >= 0:
                    pair[i, u, j, v] += 1
    return single, pair


@st.composite
def vote_sets(draw: st.DrawFn) -> Votes:
    K = draw(st.integers(2, 4))
    n, m = draw(st.integers(1, 150)), draw(st.integers(1, 6))
    values = draw(arrays(np.int8, (n, m), elements=st.integers(draw(st.sampled_from([-1, 0])), K - 1)))
    return make_votes(values, K)


@given(vote_sets())
@settings(max_examples=60, deadline=None)
def test_oracle_counts_one_by_one(votes: Votes) -> None:
    single, pair = naive_moments(votes)
    moments = Moments.of(votes)
    assert np.array_equal(moments.single, single)
    assert np.array_equal(moments.pair, pair)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 4095, 4096, 4097, 131072, 131073, 300_001])
def test_oracle_at_the_edges_of_words_chunks_and_blocks(n: int) -> None:
    rng = np.random.default_rng(n)
    votes = make_votes(rng.integers(-1, 3, (n, 4)), 3)
    features = (votes.values[:, :, None] == np.arange(3)).reshape(n, 12).astype(np.int64)
    assert np.array_equal(Moments.of(votes).pair.reshape(12, 12), features.T @ features)


@given(vote_sets(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_invariant_order_of_points(votes: Votes, random: object) -> None:
    order = np.arange(len(votes))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert Moments.of(votes.take(order)) == Moments.of(votes)


@given(vote_sets(), st.data())
@settings(max_examples=40, deadline=None)
def test_invariant_order_of_sources(votes: Votes, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(votes.sources))))
    turned = Moments.of(votes.select([votes.sources[i] for i in order]))
    moments = Moments.of(votes)
    assert np.array_equal(turned.single, moments.single[order])
    assert np.array_equal(turned.pair, moments.pair[order][:, :, order])


@given(vote_sets(), st.data())
@settings(max_examples=40, deadline=None)
def test_invariant_split_and_merge(votes: Votes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(votes)), max_size=4)))
    edges = [0, *cuts, len(votes)]
    parts = [Moments.of(votes.take(slice(a, b))) for a, b in pairwise(edges)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert total == Moments.of(votes)
    assert total.without(parts[0]) + parts[0] == total


def test_invariant_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    import carob._kernels.threads

    votes = make_votes(np.random.default_rng(0).integers(-1, 2, (10_000, 7)))
    expected = Moments.of(votes)
    for threads in (1, 3, 8):
        monkeypatch.setattr(carob._kernels.threads, "THREADS", threads)
        assert Moments.of(votes) == expected


def test_moments_of_patterns_are_moments_of_points() -> None:
    votes = make_votes(np.random.default_rng(1).integers(-1, 3, (500, 5)), 3)
    patterns = votes.patterns
    assert len(patterns) < 500
    assert Moments.of_patterns(patterns.values, patterns.counts, votes.sources, votes.classes) == Moments.of(votes)


def test_read_only_and_row_major_arrays_count_the_same() -> None:
    values = np.random.default_rng(2).integers(0, 2, (100, 3)).astype(np.int8)
    expected = Moments.of(make_votes(values))
    frozen = np.asfortranarray(values)
    frozen.flags.writeable = False
    assert Moments.of(make_votes(frozen)) == expected


def test_derived_counts() -> None:
    votes = make_votes([[0, 0, -1], [1, 0, 1], [1, 1, 1], [-1, 1, 0]])
    moments = Moments.of(votes)
    assert moments.coverage.tolist() == [3, 4, 3]
    assert moments.together.tolist() == [[3, 3, 2], [3, 4, 3], [2, 3, 3]]
    assert moments.agree.tolist() == [[3, 2, 2], [2, 4, 1], [2, 1, 3]]


def test_moments_that_do_not_fit_are_refused() -> None:
    votes = make_votes([[0, 1], [1, 1]])
    other = Votes(votes.values, ("b", "a"), votes.coding)
    with pytest.raises(InputError, match="same sources"):
        Moments.of(votes) + Moments.of(other)
    with pytest.raises(TypeError):
        Moments.of(votes) + 1  # type: ignore[operator]
    assert Moments.of(votes) != Moments.of(other)
    assert Moments.of(votes) != "moments"
    assert names(2) == votes.sources


@pytest.mark.parametrize("size", [1, 256, 600])
def test_oracle_a_triangle_is_turned_over_by_tiles_as_at_once(size: int) -> None:
    upper = np.triu(np.random.default_rng(0).integers(1, 100, (size, size)))
    expected = upper + np.triu(upper, 1).T
    found = mirrored(upper)
    assert found is upper
    np.testing.assert_array_equal(found, expected)
