from __future__ import annotations

import numpy as np
from simulate import draw_votes, symmetric_conditionals

from carob.paper.count import count
from carob.paper.kinds import ClassConditional, Symmetric
from carob.paper.settings import TripletSettings
from carob.votes import Votes


def sample(K: int = 2) -> Votes:
    return draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.7, 0.8, 0.6, 0.7], K), np.full(K, 1 / K))


def test_third_moments_are_counted_only_where_the_class_balance_needs_them() -> None:
    assert count(sample(), TripletSettings()).triple_sums is not None
    assert count(sample(), TripletSettings(class_balance=0.5)).triple_sums is None
    assert count(sample(), TripletSettings(symmetric=True)).triple_sums is None
    assert count(sample(3), TripletSettings()).triple_sums is None


def test_groups_and_kinds_are_settled_on_the_way() -> None:
    found = count(sample(), TripletSettings(known_pairs=[("s3", "s1")]))
    assert isinstance(found.kind, ClassConditional)
    assert found.pairs == ((3, 1),)
    assert found.groups == ((0,), (1, 3), (2,))
    assert [counts.group for counts in found.statistics.groups] == [(1, 3)]
    assert isinstance(count(sample(3), TripletSettings()).kind, Symmetric)
    sums = found.statistics.triples
    assert sums is not None
    assert sums.sums.sum(axis=0).tolist() == list(found.triple_sums)  # type: ignore[arg-type]
    together = {tuple(sorted(found.statistics.moments.outputs.source[sums.feature[list(t)]])) for t in sums.triples}
    assert not any({1, 3} <= set(triple) for triple in together)
