from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, make_votes, symmetric_conditionals

from karat import InputError, LabelModel, Moments, Votes, dependent_pairs, triplets
from karat.estimate.structure import dependent_groups, merge_groups
from karat.losses import score


def copying(n: int = 50_000, seed: int = 0) -> Votes:
    """Eight sources of which the second follows the first and the fourth the third, each half of the time."""
    rng = np.random.default_rng(seed)
    votes = draw_votes(rng, n, symmetric_conditionals(np.linspace(0.6, 0.8, 8)), [0.5, 0.5])
    values = votes.values.copy()
    for leader, follower in ((0, 1), (2, 3)):
        follows = rng.random(n) < 0.5
        values[follows, follower] = values[follows, leader]
    assert votes.gold is not None
    return make_votes(values, gold=votes.gold.values)


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


def test_merged_pair_has_the_joint_table_that_gold_shows() -> None:
    votes = copying(200_000)
    assert votes.gold is not None
    groups = dependent_groups(8, [(0, 1), (2, 3)])
    single = triplets(Moments.of(votes), class_balance=0.5, known_pairs=[(0, 1), (2, 3)])
    merged = merge_groups(votes, single, groups)
    for group, table in zip(merged.groups, merged.tables, strict=True):
        if len(group) == 2:
            for y in (0, 1):
                rows = votes.values[votes.gold.values == y][:, list(group)] + 1
                seen = np.bincount(rows[:, 0] * 3 + rows[:, 1], minlength=9).reshape(3, 3) / len(rows)
                np.testing.assert_allclose(table[y], seen, atol=0.02)


def test_merging_lowers_the_loss() -> None:
    votes = copying()
    assert votes.gold is not None
    plain = LabelModel(class_balance=0.5, replicates=0).fit(votes)
    merged = LabelModel(class_balance=0.5, replicates=0, known_pairs=[("s0", "s1"), ("s2", "s3")]).fit(votes)
    before, after = (score(model.predict_proba(votes), votes.gold).loss for model in (plain, merged))
    assert after < before - 0.002


def test_groups_that_are_too_large_are_refused() -> None:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.7] * 10), [0.5, 0.5])
    chain = [(f"s{i}", f"s{i + 1}") for i in range(8)]
    with pytest.raises(InputError, match=r"tie 9 sources together.*19,683"):
        LabelModel(known_pairs=chain).fit(votes)


def test_three_classes_cannot_be_merged_without_gold() -> None:
    votes = draw_votes(np.random.default_rng(0), 2_000, symmetric_conditionals([0.7] * 5, 3), [1 / 3] * 3)
    model = triplets(Moments.of(votes))
    with pytest.raises(InputError, match="two classes only"):
        merge_groups(votes, model, dependent_groups(5, [(0, 1)]))
    fitted = LabelModel(known_pairs=[(0, 1)], replicates=0).fit(votes)  # left out of triplets, labeled as they are
    assert fitted.predict_proba(votes).shape == (2_000, 3)
