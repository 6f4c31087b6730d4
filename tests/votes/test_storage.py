from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob import LabelModel, SourceModel, Votes, read_votes
from carob.paper import posterior
from carob.votes.storage import Dense, Sparse


def sparse(votes: Votes) -> Votes:
    point, source = np.nonzero(votes.values >= 0)
    shuffled = np.random.default_rng(0).permutation(len(point))
    point, source = point[shuffled], source[shuffled]
    cells = Sparse.of_entries(len(votes), len(votes.sources), point, source, votes.values[point, source])
    return Votes(cells, votes.sources, votes.coding, votes.keys, votes.gold)


@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 8), st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_oracle_sparse_votes_are_dense_ones(seed: int, n: int, m: int, K: int) -> None:
    rng = np.random.default_rng(seed)
    dense = make_votes(np.where(rng.random((n, m)) < 0.6, -1, rng.integers(0, K, (n, m))), K)
    held = sparse(dense)
    assert isinstance(held.storage, Sparse)
    assert isinstance(dense.storage, Dense)
    assert held.storage.shape == dense.storage.shape == (n, m)
    assert len(held) == n
    np.testing.assert_array_equal(held.values, dense.values)
    rows = rng.integers(0, n, 7)
    np.testing.assert_array_equal(held.take(rows).values, dense.values[rows])
    np.testing.assert_array_equal(held.take(slice(1, n, 2)).values, dense.values[1:n:2])
    mask = rng.random(n) < 0.5
    np.testing.assert_array_equal(held.take(mask).values, dense.values[mask])
    names = [dense.sources[i] for i in rng.permutation(m)[: max(1, m // 2)]]
    np.testing.assert_array_equal(held.select(names).values, dense.select(names).values)
    some = np.sort(rng.permutation(m)[: max(1, m // 2)])[::-1]
    low, high = n // 3, n - n // 4
    for votes in (held, dense):
        np.testing.assert_array_equal(votes.storage.columns(low, high, some), dense.values[low:high, some].T)
    np.testing.assert_array_equal(held.tally(low, high), dense.tally(low, high))
    group = tuple(range(m))
    np.testing.assert_array_equal(held.tally(once=[group]), dense.tally(once=[group]))
    expected = np.stack([(dense.values == y).any(axis=1) for y in range(K)], axis=1)
    np.testing.assert_array_equal(dense.tally(once=[group]), expected)


@pytest.mark.parametrize("K", [2, 3])
def test_oracle_posterior_of_sparse_votes(K: int) -> None:
    rng = np.random.default_rng(K)
    groups = ((4,), (0, 2), (1, 3, 6), (5,))
    tables = tuple(rng.dirichlet(np.ones((K + 1) ** len(g)), K).reshape(K, *[K + 1] * len(g)) for g in groups)
    dense = make_votes(np.where(rng.random((500, 7)) < 0.7, -1, rng.integers(0, K, (500, 7))), K)
    model = SourceModel(dense.sources, dense.classes, np.full(K, 1 / K), groups, tables)
    assert (dense.values < 0).all(axis=1).any()
    np.testing.assert_allclose(posterior(sparse(dense), model), posterior(dense, model), atol=1e-12)


def crowd(n: int = 600, workers: int = 120, each: int = 5) -> Votes:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, n, symmetric_conditionals(rng.uniform(0.6, 0.9, workers)), [0.5, 0.5])
    asked = np.argsort(rng.random(votes.values.shape), axis=1) < each
    return make_votes(np.where(asked, votes.values, -1), gold=votes.own_gold.values)


@pytest.mark.parametrize("n_gold", [0, 100])
def test_a_fit_of_sparse_votes_is_that_of_dense_ones(n_gold: int) -> None:
    dense = crowd()
    held = sparse(dense)
    few = dense.code_gold(np.where(np.arange(600) < n_gold, dense.own_gold.values, -1)) if n_gold else None
    one, two = (
        LabelModel(replicates=5, method="labeled" if n_gold else "triplets").fit(votes, few) for votes in (dense, held)
    )
    assert one.source_table_.rows() == two.source_table_.rows()
    np.testing.assert_allclose(two.predict_proba(held), one.predict_proba(dense), atol=1e-12)
    one, two = (LabelModel().fit(votes, few) for votes in (dense, held))  # sums in another order: not the same bits
    for mine, other in zip(one.source_table_.rows(), two.source_table_.rows(), strict=True):
        assert mine.pop("polarity") == other.pop("polarity")
        assert mine == pytest.approx(other, abs=1e-12)
    np.testing.assert_allclose(two.predict_proba(held), one.predict_proba(dense), atol=1e-12)


def test_long_tables_of_many_workers_are_held_sparsely() -> None:
    dense = crowd()
    point, worker = np.nonzero(dense.values >= 0)
    table = {"task": point, "worker": [f"w{i:03}" for i in worker], "label": dense.values[point, worker]}
    found = read_votes(table)
    assert isinstance(found.storage, Sparse)
    order = [found.sources.index(f"w{i:03}") for i in range(120)]
    np.testing.assert_array_equal(found.values[:, order], dense.values)
    few = read_votes({"task": [1, 1, 2, 2], "worker": ["a", "b", "a", "b"], "label": [0, 1, 1, 1]})
    assert isinstance(few.storage, Dense)  # as small as it gets


@given(arrays(np.int8, st.tuples(st.integers(1, 60), st.integers(1, 60)), elements=st.integers(-1, 2)))
@settings(max_examples=50, deadline=None)
def test_patterns_are_the_distinct_rows(values: npt.NDArray[np.int8]) -> None:
    patterns = make_votes(values, 3).patterns
    rows, counts = np.unique(values, axis=0, return_counts=True)
    order = np.lexsort(patterns.values.T[::-1])
    assert np.array_equal(patterns.values[order], rows)
    assert np.array_equal(patterns.counts[order], counts)
    assert np.array_equal(patterns.values[patterns.inverse], values)
