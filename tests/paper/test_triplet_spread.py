from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from simulate import draw_votes, symmetric_conditionals

from carob import Moments
from carob.paper.triplet_spread import widest_spread


def test_oracle_every_triplet_by_itself() -> None:
    votes = draw_votes(np.random.default_rng(1), 4_000, symmetric_conditionals([0.9, 0.8, 0.7, 0.75, 0.65]), [0.5, 0.5])
    found = widest_spread(Moments.of(votes))
    assert found is not None
    i = votes.sources.index(found.source)
    signs = 2.0 * votes.values - 1
    b = signs.T @ signs / len(signs)
    others = [k for k in range(5) if k != i]
    slow = [(1 + np.sqrt(b[i, j] * b[i, k] / b[j, k])) / 2 for j, k in combinations(others, 2)]
    assert found.accuracies == pytest.approx(np.sort(np.minimum(slow, 1)))
    assert found.negative == 0
    assert found.median == pytest.approx(np.median(slow))


def test_a_copy_widens_the_spread_and_a_known_pair_narrows_it() -> None:
    votes = draw_votes(np.random.default_rng(2), 4_000, symmetric_conditionals([0.7] * 6), [0.5, 0.5])
    values = votes.values.copy()
    copied = np.random.default_rng(3).random(len(votes)) < 0.8
    values[copied, 1] = values[copied, 0]
    moments = Moments.of(type(votes)(values, votes.sources, votes.coding))
    wide, narrow = widest_spread(moments), widest_spread(moments, ((0, 1),))
    assert wide is not None
    assert narrow is not None
    assert wide.source in ("s0", "s1")
    assert wide.width > 2 * narrow.width


def test_three_sources_have_one_triplet_each_which_is_no_spread() -> None:
    votes = draw_votes(np.random.default_rng(2), 500, symmetric_conditionals([0.7] * 3), [0.5, 0.5])
    assert widest_spread(Moments.of(votes)) is None
