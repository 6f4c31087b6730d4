from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, symmetric_conditionals

from carob import Moments
from carob.commands.dependence import Dependence
from carob.paper import triplets


def test_agreement_is_counted_where_both_vote() -> None:
    votes = draw_votes(
        np.random.default_rng(0), 900, symmetric_conditionals([0.8, 0.7, 0.75, 0.65], abstain=0.3), [0.5, 0.5]
    )
    found = Dependence.of(Moments.of(votes), triplets(Moments.of(votes)))
    a, b = votes.values[:, 0], votes.values[:, 2]
    both = (a >= 0) & (b >= 0)
    assert found.agreement[0, 2] == pytest.approx((a == b)[both].mean())
    assert found.sources == votes.sources
    assert found.n_sources == 4


def test_of_many_sources_those_in_flagged_pairs_are_told() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 2_000, symmetric_conditionals([0.7] * 30), [0.5, 0.5])
    values = votes.values.copy()
    copied = rng.random(2_000) < 0.9
    values[copied, 29] = values[copied, 28]
    moments = Moments.of(type(votes)(values, votes.sources, votes.coding))
    found = Dependence.of(moments, triplets(moments, class_balance=0.5))
    assert len(found.sources) == 24
    assert {found.pairs[0].first, found.pairs[0].second} == {"s28", "s29"}
    assert {"s28", "s29"} <= set(found.sources)
    i, j = found.sources.index("s28"), found.sources.index("s29")
    assert found.correlation[i, j] == pytest.approx(found.pairs[0].correlation)
