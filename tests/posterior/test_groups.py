from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulate import draw_votes, make_votes, symmetric_conditionals, triplet_fit

from carob import InputError, LabelModel, Moments, NotIdentifiedError, Votes
from carob.paper import posterior, triplets
from carob.paper.count import count
from carob.paper.fit import fit_votes
from carob.paper.settings import TripletSettings
from carob.posterior.groups import check_groups, dependent_groups, merge_groups
from carob.posterior.losses import score
from carob.votes import Outputs


def copying(n: int = 50_000, seed: int = 0, K: int = 2, abstain: float = 0.0) -> Votes:
    """Eight sources of which the second follows the first and the fourth the third, each half of the time."""
    rng = np.random.default_rng(seed)
    conditionals = symmetric_conditionals(np.linspace(0.6, 0.8, 8), K, abstain)
    votes = draw_votes(rng, n, conditionals, np.full(K, 1 / K))
    values = votes.values.copy()
    for leader, follower in ((0, 1), (2, 3)):
        follows = rng.random(n) < 0.5
        values[follows, follower] = values[follows, leader]
    return make_votes(values, K, gold=votes.own_gold.values)


PAIRS = [("s0", "s1"), ("s2", "s3")]


@pytest.mark.parametrize(("K", "symmetric"), [(2, False), (2, True), (3, True)])
def test_recovery_merged_pairs_have_the_joint_table_that_gold_shows(K: int, symmetric: bool) -> None:
    votes = copying(200_000, K=K)
    settings = TripletSettings(class_balance=[1 / K] * K, symmetric=symmetric, known_pairs=PAIRS)
    merged = fit_votes(count(votes, settings), None, settings).model
    assert merged.groups == ((0, 1), (2, 3), (4,), (5,), (6,), (7,))
    for group, table in zip(merged.groups, merged.tables, strict=True):
        if len(group) == 2:
            for y in range(K):
                rows = votes.values[votes.own_gold.values == y][:, list(group)] + 1
                seen = np.bincount(rows[:, 0] * (K + 1) + rows[:, 1], minlength=(K + 1) ** 2) / len(rows)
                np.testing.assert_allclose(table[y].ravel(), seen, atol=0.02)


@pytest.mark.parametrize(("K", "symmetric", "abstain"), [(2, False, 0), (2, True, 0), (2, True, 0.3), (4, True, 0.3)])
def test_merging_lowers_the_loss(K: int, symmetric: bool, abstain: float) -> None:
    votes = copying(K=K, abstain=abstain)
    losses = []
    for pairs in ([], PAIRS):
        fit = triplet_fit(votes, class_balance=[1 / K] * K, symmetric=symmetric, replicates=0, known_pairs=pairs)
        losses.append(score(fit.posterior(votes), votes.own_gold).loss)
    assert losses[1] < losses[0] - 0.002


@pytest.mark.parametrize("K", [2, 3])
def test_a_copy_that_is_known_counts_once(K: int) -> None:
    votes = draw_votes(np.random.default_rng(0), 4_000, symmetric_conditionals([0.7] * 6, K, 0.2), np.full(K, 1 / K))
    copied = make_votes(np.column_stack([votes.values, votes.values[:, 2]]), K, gold=votes.own_gold.values)
    options: dict[str, Any] = {"symmetric": True, "class_balance": [1 / K] * K, "replicates": 0}
    without = triplet_fit(votes, **options).posterior(votes)
    known = triplet_fit(copied, known_pairs=[("s2", "s6")], **options).posterior(copied)
    gold = votes.own_gold
    assert score(known, gold).loss == pytest.approx(score(without, gold).loss, abs=0.002)
    assert (known.argmax(axis=1) == without.argmax(axis=1)).mean() > 0.98


def test_negative_control_a_copy_that_counts_twice_costs() -> None:
    votes = draw_votes(np.random.default_rng(0), 4_000, symmetric_conditionals([0.7] * 6), [0.5, 0.5])
    copied = make_votes(np.column_stack([votes.values, votes.values[:, 2]]), gold=votes.own_gold.values)
    settings = TripletSettings(symmetric=True, class_balance=0.5, known_pairs=[("s2", "s6")])
    fitted = fit_votes(count(copied, settings), None, settings)
    once, twice = (
        score(posterior(copied, model), votes.own_gold).loss for model in (fitted.model, fitted.solution.model)
    )
    assert twice > once + 0.005


def test_where_one_of_the_group_votes_its_own_accuracy_tells() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 20_000, symmetric_conditionals([0.8, 0.65, 0.7, 0.75, 0.7], 2, 0.4), [0.5, 0.5])
    settings = TripletSettings(symmetric=True, class_balance=0.5, known_pairs=[(0, 1)])
    model = fit_votes(count(votes, settings), None, settings).model
    table = model.tables[0]
    alone = model.source_tables
    for place, source in ((1, 0), (2, 1)):
        silent_other = table[:, 1:, 0] if source == 0 else table[:, 0, 1:]
        accuracy = silent_other[[0, 1], [0, 1]].sum() / silent_other.sum()
        assert accuracy == pytest.approx([0.8, 0.65][source], abs=0.02), place
    np.testing.assert_allclose(table[0, 0, 0], table[1, 0, 0])  # silence says nothing
    np.testing.assert_allclose(alone[0].sum(axis=1), 1)


def test_groups_that_are_too_large_are_refused() -> None:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.7] * 10), [0.5, 0.5])
    chain = [(f"s{i}", f"s{i + 1}") for i in range(8)]
    with pytest.raises(InputError, match=r"tie 9 sources together.*19,683"):
        LabelModel(known_pairs=chain).fit(votes)
    check_groups(((0, 1, 2, 3, 4, 5, 6),), tuple("abcdefg"), Outputs((3,) * 7))  # 2,187 joint outputs are fine


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_group_of_all_sources_is_refused(symmetric: bool) -> None:
    votes = draw_votes(np.random.default_rng(0), 800, symmetric_conditionals([0.7] * 4), [0.5, 0.5])
    settings = TripletSettings(known_pairs=[(0, 1), (1, 2), (2, 3)], symmetric=symmetric, class_balance=0.5)
    counted = count(votes, settings)
    model = triplets(Moments.of(votes), class_balance=0.5, symmetric=symmetric)
    with pytest.raises(NotIdentifiedError, match="tie all sources together"):
        merge_groups(model, counted.statistics.groups, counted.kind.joint_table)


def test_pairs_chain_into_groups() -> None:
    assert dependent_groups(6, ((4, 2), (0, 5), (2, 5))) == ((0, 2, 4, 5), (1,), (3,))
    assert dependent_groups(3, ()) == ((0,), (1,), (2,))


def test_a_pair_may_be_too_large_as_well() -> None:
    with pytest.raises(InputError, match=r"tie 2 sources together.*4,225"):
        check_groups(((0, 1),), ("a", "b"), Outputs((65, 65)))
    check_groups(((0, 1),), ("a", "b"), Outputs((64, 64)))
    check_groups(((0,),), ("a",), Outputs((5_000,)))
