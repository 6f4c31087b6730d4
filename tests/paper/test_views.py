from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from simulate import draw_votes, held_sparsely, make_votes, symmetric_conditionals

from carob import InputError, NotIdentifiedError
from carob._kernels import threads
from carob.count.moments import Moments
from carob.paper import views as module
from carob.paper.tensor import clearness
from carob.paper.views import MOST_CLASSES, SPLITS, TRIPLES, ViewCounts, Views, choose_views, pair_clearness
from carob.votes import Votes
from carob.votes.counts import block_of


def alone(m: int) -> tuple[tuple[int, ...], ...]:
    return tuple((i,) for i in range(m))


def sample(n: int = 700, m: int = 7, K: int = 3, seed: int = 0, abstain: float = 0.3) -> Votes:
    accuracies = np.linspace(0.5, 0.9, m)
    return draw_votes(np.random.default_rng(seed), n, symmetric_conditionals(accuracies, K, abstain), np.full(K, 1 / K))


def most_votes(row: list[int], pool: tuple[int, ...]) -> int:
    """What a pool says, as plainly as it can be written."""
    votes = [row[i] for i in pool if row[i] >= 0]
    return 0 if not votes else 1 + max(votes, key=lambda vote: (votes.count(vote), -votes.index(vote)))


def test_oracle_counts_of_single_sources_and_pools_one_point_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = sample()
    pools = ((0,), (3, 1, 5), (6, 2), (4,))
    views = Views(pools, np.array([[0, 1, 2], [3, 2, 1]]))
    found = ViewCounts.of(votes, views)
    B = len(found.n)
    triples, pairs = np.zeros_like(found.triples), np.zeros_like(found.with_sources)
    for b, row in zip(block_of(np.arange(len(votes)), B), votes.values.tolist(), strict=True):
        said = [most_votes(row, pool) for pool in pools]
        for t, (u, v, w) in enumerate(views.triples):
            triples[b, t, said[u], said[v], said[w]] += 1
        for view in range(len(pools)):
            for i in range(7):
                pairs[b, view, i, said[view], row[i] + 1] += 1
    np.testing.assert_array_equal(found.triples, triples)
    np.testing.assert_array_equal(found.with_sources, pairs)
    assert found.n.sum() == len(votes)
    # Neither threads, nor parts, nor how votes are held change a count.
    monkeypatch.setattr(threads, "THREADS", 1)
    monkeypatch.setattr(module, "_CHUNK", 1)
    for other in (
        ViewCounts.of(votes, views),
        ViewCounts.of(held_sparsely(votes), views),
        ViewCounts.of(votes.take(slice(0, 300)), views) + ViewCounts.of(votes.take(slice(300, None)), views, 300),
    ):
        np.testing.assert_array_equal(other.triples, triples)
        np.testing.assert_array_equal(other.with_sources, pairs)
        np.testing.assert_array_equal(other.n, found.n)


def test_weighted_blocks_are_points_that_count_so_often() -> None:
    votes = sample()
    views = Views(alone(7), np.array([[0, 1, 2]]))
    found = ViewCounts.of(votes, views)
    weights = np.random.default_rng(0).multinomial(len(found.n), np.full(len(found.n), 1 / len(found.n)))
    rows = np.repeat(np.arange(len(votes)), weights[block_of(np.arange(len(votes)), len(found.n))])
    n, triples, pairs = found.weighted(weights)
    plain = ViewCounts.of(votes.take(rows), views).weighted()
    assert n == len(rows) == plain[0]
    np.testing.assert_allclose(triples, plain[1])
    np.testing.assert_allclose(pairs, plain[2])


def test_some_triples_and_views_beside_others() -> None:
    votes = sample()
    found = ViewCounts.of(votes, Views(alone(7), np.array([[0, 1, 2], [4, 5, 6], [2, 3, 4]])))
    part = found.of_triples(np.array([1]))
    assert part.views.pools == ((4,), (5,), (6,))
    both = found.of_triples(np.array([0])).beside(part)
    assert both.views.pools == ((0,), (1,), (2,), (4,), (5,), (6,))
    assert both.views.triples.tolist() == [[0, 1, 2], [3, 4, 5]]
    np.testing.assert_array_equal(both.triples, found.triples[:, :2])
    np.testing.assert_array_equal(both.with_sources[:, 3:], found.with_sources[:, 4:])


def test_oracle_clearness_of_pairs() -> None:
    votes = sample()
    found = pair_clearness(Moments.of(votes))
    for i, j in combinations(range(7), 2):
        table = np.zeros((4, 4))
        np.add.at(table, (votes.values[:, i] + 1, votes.values[:, j] + 1), 1 / len(votes))
        assert found[i, j] == found[j, i] == pytest.approx(float(clearness(table, 3, len(votes))))
    assert (np.diagonal(found) == 0).all()


def test_triples_of_single_sources_hold_no_known_pair_and_put_the_clearest_first() -> None:
    clear = np.random.default_rng(0).uniform(1, 9, (9, 9))
    clear = (clear + clear.T) / 2
    groups = ((0, 1), (2,), (3,), (4, 7), (5,), (6,), (8,))
    views = Views.single(groups, clear, 4.0, np.random.default_rng(0))
    sources = np.array([pool[0] for pool in views.pools])
    found = {frozenset(triple) for triple in sources[views.triples].tolist()}
    expected = {
        frozenset(triple)
        for triple in combinations(range(9), 3)
        if all(clear[a, b] >= 4 and {a, b} not in ({0, 1}, {4, 7}) for a, b in combinations(triple, 2))
    }
    assert found == expected
    for a, b, c in sources[views.triples].tolist():
        assert clear[a, b] == max(clear[a, b], clear[a, c], clear[b, c])
    many = Views.single(alone(80), np.full((80, 80), 9.0), 4.0, np.random.default_rng(0))
    assert len(many.triples) == TRIPLES


def test_pools_share_out_those_who_vote_alike_and_keep_known_pairs_together() -> None:
    favourite = np.repeat(np.arange(4), 3)
    groups = (*alone(12)[:10], (10, 11))
    views = Views.pooled(groups, favourite, 5, np.random.default_rng(0))
    assert views.triples.shape == (5, 3)
    for triple in views.triples:
        pools = [views.pools[v] for v in triple]
        assert sorted(i for pool in pools for i in pool) == list(range(12))
        assert all((10 in pool) == (11 in pool) for pool in pools)
        for liked in range(3):
            assert sorted(sum(favourite[i] == liked for i in pool) for pool in pools) == [1, 1, 1]
    apart = views.apart(groups)
    for view, pool in enumerate(views.pools):
        assert (apart[view] == [i not in pool for i in range(12)]).all()
    single = Views(((0,), (10,)), np.zeros((0, 3), dtype=np.intp)).apart(groups)
    assert np.flatnonzero(~single[1]).tolist() == [10, 11]


def test_single_sources_where_they_are_clear_and_pools_where_they_are_not() -> None:
    for n, size in ((20_000, 1), (100, 3)):
        votes = sample(n, 9, 5)
        found = choose_views(votes, Moments.of(votes), alone(9), np.random.default_rng(0))
        assert max(map(len, found.views.pools)) == size
    assert len(found.views.triples) <= 3 * SPLITS


def test_refusals_name_the_classes_that_look_the_same() -> None:
    rng = np.random.default_rng(0)
    tables = symmetric_conditionals(np.linspace(0.6, 0.8, 8), 4)
    tables[:, 2] = tables[:, 1] = (tables[:, 1] + tables[:, 2]) / 2
    votes = draw_votes(rng, 20_000, tables, np.full(4, 0.25))
    with pytest.raises(NotIdentifiedError, match=r"tells all 4 classes apart: votes for 1 and 2 go along"):
        choose_views(votes, Moments.of(votes), alone(8), rng)
    one_sided = np.where(rng.random((500, 3)) < 0.3, np.arange(3), -1)
    votes = make_votes(one_sided, 5)
    with pytest.raises(
        NotIdentifiedError, match=r"all 5 classes apart: .* ever vote for 0, 1, 2, 3, 4, which are merged"
    ):
        choose_views(votes, Moments.of(votes), alone(3), rng)
    many = make_votes(rng.integers(0, MOST_CLASSES + 1, (500, 3)), MOST_CLASSES + 1)
    with pytest.raises(InputError, match="at most 40 classes; there are 41"):
        choose_views(many, Moments.of(many), alone(3), rng)
