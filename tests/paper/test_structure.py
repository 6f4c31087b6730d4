from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob import InputError, Moments, Votes
from carob.paper import dependent_pairs, triplets
from carob.paper.structure import unexplained


def copying(n: int = 50_000, seed: int = 0) -> Votes:
    """Eight sources of which the second follows the first and the fourth the third, each half of the time."""
    rng = np.random.default_rng(seed)
    votes = draw_votes(rng, n, symmetric_conditionals(np.linspace(0.6, 0.8, 8)), [0.5, 0.5])
    values = votes.values.copy()
    for leader, follower in ((0, 1), (2, 3)):
        follows = rng.random(n) < 0.5
        values[follows, follower] = values[follows, leader]
    return make_votes(values, gold=votes.own_gold.values)


def test_copies_are_found_and_nothing_else() -> None:
    votes = copying()
    moments = Moments.of(votes)
    found = dependent_pairs(moments, triplets(moments))
    assert {(pair.first, pair.second) for pair in found} == {("s0", "s1"), ("s2", "s3")}
    assert all(pair.correlation > 0.3 and pair.z > 10 for pair in found)


def test_negative_control_independent_sources_raise_no_alarm() -> None:
    alarms = 0
    for seed in range(20):
        votes = draw_votes(
            np.random.default_rng(seed), 3_000, symmetric_conditionals(np.linspace(0.6, 0.8, 8), 2, 0.2), [0.5, 0.5]
        )
        moments = Moments.of(votes)
        alarms += bool(dependent_pairs(moments, triplets(moments), smallest=0))
    assert alarms <= 2


def test_pairs_of_three_classes() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(
        rng, 20_000, symmetric_conditionals([0.7, 0.6, 0.65, 0.7, 0.75, 0.6, 0.7, 0.65], 3, 0.2), [1 / 3] * 3
    )
    values = votes.values.copy()
    follows = rng.random(20_000) < 0.5
    values[follows, 4] = values[follows, 2]
    moments = Moments.of(make_votes(values, 3))
    (pair,) = dependent_pairs(moments, triplets(moments))
    assert (pair.first, pair.second) == ("s2", "s4")


def test_oracle_what_the_model_leaves_over_of_every_pair() -> None:
    votes = copying(3_000)
    moments = Moments.of(votes)
    model = triplets(moments)
    correlation, z = unexplained(moments, model)
    signs = 2.0 * votes.values - 1
    covariance = np.cov(signs.T, bias=True)
    mean = np.array([[(2 * t[y, 2] - 1) for t in model.source_tables] for y in (0, 1)])
    explained = 0.25 * np.outer(mean[1] - mean[0], mean[1] - mean[0])  # balanced classes
    spread = np.sqrt(np.diagonal(covariance))
    expected = (covariance - explained) / np.outer(spread, spread)
    off = ~np.eye(8, dtype=bool)
    np.testing.assert_allclose(correlation[off], expected[off], atol=1e-9)
    np.testing.assert_allclose(z[off], expected[off] * np.sqrt(3_000), atol=1e-6)


def test_known_pairs_are_not_named_again_and_small_ones_are_left_out() -> None:
    votes = copying()
    moments = Moments.of(votes)
    model = triplets(moments)
    (left,) = dependent_pairs(moments, model, known_pairs=[("s1", "s0")])
    assert (left.first, left.second) == ("s2", "s3")
    assert dependent_pairs(moments, model, smallest=0.99) == []
    strongest = dependent_pairs(moments, model)
    assert [pair.correlation for pair in strongest] == sorted((p.correlation for p in strongest), reverse=True)


def test_refusals() -> None:
    moments = Moments.of(copying(500))
    with pytest.raises(InputError, match="error_rate must be"):
        dependent_pairs(moments, triplets(moments), error_rate=1.0)
    with pytest.raises(InputError, match="same sources"):
        dependent_pairs(Moments.of(copying(500).select(["s0", "s1", "s2"])), triplets(moments))
    with pytest.raises(TypeError, match="SourceModel or a fitted LabelModel"):
        dependent_pairs(moments, "model")
    with pytest.raises(TypeError, match="moments must be Moments, not datetime64"):
        dependent_pairs(np.datetime64("2026-01-01"), triplets(moments))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="smallest must be a number"):
        dependent_pairs(moments, triplets(moments), smallest="much")  # type: ignore[arg-type]
