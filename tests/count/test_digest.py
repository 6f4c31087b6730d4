from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulate import draw_votes, symmetric_conditionals

from carob import Gold, InputError, LabelModel, Votes
from carob.count import digest as digests
from carob.count.digest import MOST_EACH, MOST_VOTES, Digest, learned_from, merged, row_hashes


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "MOST_VOTES", 6_000)
    monkeypatch.setattr(digests, "MOST_EACH", 0)


def data(n: int = 4_000) -> tuple[Votes, Gold]:
    conditionals = symmetric_conditionals(np.array([0.9, 0.7, 0.8, 0.6, 0.75]))
    votes = draw_votes(np.random.default_rng(1), n, conditionals, [0.6, 0.4])
    values = votes.values.copy()
    values[np.random.default_rng(2).random(values.shape) < 0.3] = -1
    known = np.where(np.arange(n) % 40 == 7, votes.own_gold.values, -1).astype(np.int8)
    return replace(votes, cells=values, gold=None), Gold(known, votes.classes)


def in_parts(votes: Votes, gold: Gold | None, edges: list[int], pairs: bool = False) -> list[Digest]:
    spans = [slice(low, high) for low, high in zip([0, *edges], [*edges, len(votes)], strict=True)]
    return [
        Digest.of(votes.take(span), None if gold is None else gold.take(span), span.start, pairs=pairs)
        for span in spans
    ]


@pytest.mark.parametrize("with_gold", [False, True])
@pytest.mark.usefixtures("few")
def test_invariant_parts_in_any_order_give_the_digest_of_the_whole(with_gold: bool) -> None:
    votes, gold = data()
    truth = gold if with_gold else None
    whole = Digest.of(votes, truth, pairs=True)
    assert len(whole.rows) < 2_500
    for edges in ([100], [1, 2, 3_999], [500, 1_000, 2_500]):
        parts = in_parts(votes, truth, edges, pairs=True)
        assert merged(parts) == merged(parts[::-1]) == whole
        assert sum(parts[1:], parts[0]) == whole


@pytest.mark.usefixtures("few")
def test_invariant_a_fit_from_a_digest_is_the_fit_from_the_votes() -> None:
    votes, gold = data()
    for truth in (None, gold):
        whole = LabelModel(rng=3).fit(votes, truth)
        from_parts = LabelModel(rng=3).fit(merged(in_parts(votes, truth, [700, 2_000])))
        assert from_parts.to_bytes() == whole.to_bytes()
        assert np.array_equal(from_parts.predict_proba(votes), whole.predict_proba(votes))


def test_invariant_crowds_and_picked_gold() -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random((600, 150)) < 0.03, rng.integers(0, 3, (600, 150)), -1)
    votes = Votes.from_array(values, classes=[0, 1, 2])
    chances = np.where(np.arange(600) % 3 == 0, 0.004, np.nan)
    gold = Gold(np.where(np.arange(600) % 5 == 0, 1, -1).astype(np.int8), votes.classes, chances=chances)
    whole = Digest.of(votes, gold)
    assert merged(in_parts(votes, gold, [11, 400])) == whole
    assert whole.points is not None
    np.testing.assert_array_equal(whole.points.weights, gold.weights[gold.known])
    assert whole != Digest.of(votes)
    assert whole != merged(in_parts(votes, gold, [11, 400])[:2])


def test_refusals() -> None:
    votes, gold = data(200)
    digest = Digest.of(votes, gold)
    with pytest.raises(InputError, match="same row numbers"):
        digest + digest
    with pytest.raises(InputError, match="same sources"):
        digest + Digest.of(votes.select(["s0", "s1", "s2"]), first_row=200)
    with pytest.raises(InputError, match="zero rows"):
        merged([])
    with pytest.raises(InputError, match="give none beside it"):
        LabelModel().fit(digest, gold)
    with pytest.raises(InputError, match="method='triplets' counts all votes anew"):
        LabelModel(method="triplets").fit(digest)


def test_all_points_are_learned_from_where_votes_are_few_and_a_fair_share_where_they_are_many() -> None:
    hashes = row_hashes(np.arange(100_000))
    assert learned_from(hashes, MOST_VOTES, 10).all()
    part = learned_from(hashes, 4 * MOST_VOTES, 10)
    assert abs(part.mean() - 0.25) < 0.01
    assert learned_from(hashes, 4 * MOST_VOTES, 4 * MOST_VOTES // MOST_EACH).all()  # many sources need more points


def test_whether_a_point_is_learned_from_depends_on_its_row_alone() -> None:
    rows = np.random.default_rng(0).permutation(1_000)
    np.testing.assert_array_equal(row_hashes(rows), row_hashes(np.arange(1_000))[rows])
