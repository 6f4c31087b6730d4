from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from simulate import (
    draw_votes,
    make_votes,
    symmetric_conditionals,
)

from carob import InputError, Moments, Votes
from carob.paper import triplets
from carob.paper.count import count
from carob.paper.kinds import ClassConditional, Symmetric
from carob.paper.settings import TripletSettings


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
    assert [counts.group for counts in found.statistics.groups] == [(1, 3)]
    assert isinstance(count(sample(3), TripletSettings()).kind, Symmetric)
    sums = found.statistics.triples
    assert sums is not None
    assert sums.sums.sum(axis=0).tolist() == list(found.triple_sums)  # type: ignore[arg-type]
    together = {tuple(sorted(found.statistics.moments.outputs.source[sums.feature[list(t)]])) for t in sums.triples}
    assert not any({1, 3} <= set(triple) for triple in together)


def varied(n: int = 200, m: int = 4, seed: int = 0) -> Votes:
    return draw_votes(np.random.default_rng(seed), n, symmetric_conditionals(np.full(m, 0.8)), [0.5, 0.5])


def with_column(votes: Votes, column: npt.ArrayLike) -> Votes:
    return make_votes(np.column_stack([votes.values, column]))


@pytest.mark.parametrize(
    ("votes", "text"),
    [
        (varied(m=1), "three sources at least; there is 1"),
        (varied(m=2), "three sources at least; there are 2"),
        (with_column(varied(), np.ones(200)), "same on every point.*'s4'.*--drop"),
        (with_column(varied(), np.full(200, -1)), "never vote: 's4'.*--drop"),
        (with_column(varied(), varied().values[:, 1]), r"identically.*\('s1', 's4'\).*known_pairs"),
        (varied(n=4, m=5), "4 points for 5 sources.*transposed"),
    ],
)
def test_refusal_of_sources_that_tell_nothing(votes: Votes, text: str) -> None:
    with pytest.raises(InputError, match=text):
        triplets(Moments.of(votes))


def test_identical_sources_are_fine_as_a_known_pair() -> None:
    votes = with_column(varied(), varied().values[:, 1])
    model = triplets(Moments.of(votes), known_pairs=[("s4", "s1")])
    assert model.accuracy[1] == model.accuracy[4]


def test_workers_who_agree_on_few_tasks_are_not_taken_for_copies() -> None:
    votes = varied(n=500, m=6)
    sparse = votes.values.copy()
    sparse[20:, 4:] = -1
    sparse[:20, 5] = sparse[:20, 4]
    model = triplets(Moments.of(make_votes(sparse)), symmetric=True)
    assert np.isfinite(model.accuracy).all()
