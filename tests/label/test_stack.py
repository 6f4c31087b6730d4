from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from simulate import ballots_of, make_votes, sample

from carob.label import stack
from carob.label.consensus import learn
from carob.label.gold_evidence import gold_evidence
from carob.label.pool import Pool, without_gold
from carob.label.stack import (
    FOLDS,
    KEPT,
    OWN_SLOPES,
    OWN_SLOPES_OF,
    SILENT_WORTH,
    UNLABELED,
    GoldReadings,
    read_gold,
    weigh_readings,
)
from carob.votes import Votes

FloatArray = npt.NDArray[np.float64]


def readings(votes: Votes, n_gold: int, seed: int = 0) -> tuple[GoldReadings, Pool]:
    gold = np.where(np.random.default_rng(seed).permutation(len(votes)) < n_gold, votes.own_gold.values, -1)
    ballots = ballots_of(votes, gold)
    blind = ballots.without(np.flatnonzero(gold >= 0))
    consensus = learn(blind, np.array([0.5, 0.5]))
    return read_gold(ballots, consensus, np.random.default_rng(seed)), without_gold(consensus, blind)


def test_gold_points_are_read_by_sources_that_have_not_seen_their_labels() -> None:
    votes = sample(600, abstain=0.2)
    gold = np.where(np.arange(600) < 60, votes.own_gold.values, -1)
    balance = np.array([0.5, 0.5])
    ballots = ballots_of(votes, gold)
    consensus = learn(ballots.without(np.arange(60)), balance)
    found = read_gold(ballots, consensus, np.random.default_rng(0))
    assert np.bincount(found.fold).tolist() == [60 // FOLDS] * FOLDS
    assert found.truth.tolist() == gold[:60].tolist()
    np.testing.assert_array_equal(found.tally, votes.tally()[:60])
    np.testing.assert_allclose(found.plain, consensus.evidence.of(votes.take(slice(60))), atol=1e-12)
    own = np.flatnonzero(found.fold == 2)
    for k, worth in enumerate(UNLABELED):
        expected = learn(ballots.without(own), balance, worth).evidence.of(votes.take(own))
        np.testing.assert_allclose(found.said[k, own], expected, atol=1e-12)
    others = np.flatnonzero(found.fold != 2)
    counted = gold_evidence(ballots, votes.take(others), found.truth[others]).of(votes.take(own))
    np.testing.assert_allclose(found.said[-1, own], counted, atol=1e-12)
    # Labels of a part that are turned round change how other parts are read, never their own.
    turned = gold.copy()
    turned[own] = 1 - turned[own]
    other = read_gold(ballots_of(votes, turned), consensus, np.random.default_rng(0))
    assert np.array_equal(other.said[:, own], found.said[:, own])
    assert not np.array_equal(other.said, found.said)


def test_fewer_gold_labels_than_parts() -> None:
    found, without = readings(sample(300), 2)
    assert found.said.shape == (len(UNLABELED) + 1, 2, 2)
    assert np.isfinite(found.said).all()
    assert weigh_readings(found, without).pool.weight.sum() == pytest.approx(1)


def test_known_answer_readings_without_gold_are_as_probable_beforehand_as_they_are_without() -> None:
    found, without = readings(sample(300), 30)
    # Gold on points without a vote says nothing of how votes are to be read.
    dumb = replace(found, tally=np.zeros_like(found.tally), by_group=None)
    sure = replace(without, weight=np.array([0.9, 0.08, 0.02]))
    pool = weigh_readings(dumb, sure).pool
    # Half for the mixture, half for its readings; of two classes the square root of each.
    expected = sure.weight + np.sqrt(sure.weight)
    np.testing.assert_allclose(pool.weight[:3] / pool.weight[:3].sum(), expected / expected.sum())


def test_weights_are_shares_and_small_ones_are_left_out() -> None:
    found, without = readings(sample(2_000), 200)
    pool = weigh_readings(found, without).pool
    assert pool.weight.sum() == pytest.approx(1)
    mine = pool.weight[3:] / pool.weight[3:].sum()
    assert mine.min() >= KEPT * 0.99
    assert len(pool.weight) == len(pool.slope) == len(pool.shift) == len(pool.learned)
    assert (pool.learned[:3] == 0).all()
    assert (pool.learned[3:] >= 1).all()


def test_few_gold_labels_change_little_and_many_that_contradict_change_much() -> None:
    votes = sample(3_000)
    few, without = readings(votes, 2)
    mixed = weigh_readings(few, without).of(few, few.plain)
    assert np.abs(mixed - without.mixed([few.plain], few.tally)).max() < 0.25
    # Three quarters of the sources are wrong more often than right, which only gold can tell.
    values = votes.values.copy()
    values[:, :8] = 1 - values[:, :8]
    turned = Votes(values, votes.sources, votes.coding, gold=votes.gold)
    many, without = readings(turned, 300)
    weighed = weigh_readings(many, without)
    assert weighed.pool.weight[:3].sum() < 0.01
    right = weighed.of(many, many.plain).argmax(axis=1) == many.truth
    wrong = without.mixed([many.plain], many.tally).argmax(axis=1) == many.truth
    assert right.mean() > 0.7
    assert wrong.mean() < 0.4


def test_silent_gold_points_tell_of_silent_points_alone() -> None:
    found, without = readings(sample(500), 50)
    silent = GoldReadings(
        found.class_balance,
        np.append(found.truth, [1] * 30).astype(np.int8),
        np.concatenate([found.plain, np.zeros((30, 2))]),
        np.concatenate([found.said, np.zeros((len(UNLABELED) + 1, 30, 2))], axis=1),
        found.prior,
        np.concatenate([found.tally, np.zeros((30, 2))]),
        np.append(found.fold, np.arange(30) % FOLDS),
        None if found.by_group is None else np.concatenate([found.by_group, np.zeros((30, *found.by_group.shape[1:]))]),
    )
    before, after = weigh_readings(found, without).pool, weigh_readings(silent, without).pool
    np.testing.assert_allclose(before.silent, [0.5, 0.5])
    np.testing.assert_allclose(after.silent, np.array([0.5, 0.5 + 30 / SILENT_WORTH]) / (1 + 30 / SILENT_WORTH))
    np.testing.assert_allclose(after.weight, before.weight)
    np.testing.assert_allclose(after.shift, before.shift)


def test_what_groups_say_adds_up_to_what_all_say() -> None:
    found, _ = readings(sample(600, abstain=0.3), 80)
    assert found.by_group is not None
    whole = found.said[list(UNLABELED).index(OWN_SLOPES_OF)]
    np.testing.assert_allclose(np.diff(found.by_group.sum(axis=2)), np.diff(whole), atol=1e-12)


def test_sources_that_repeat_each_other_have_smaller_slopes_than_those_on_their_own() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 3_000)
    guess = np.where(rng.random(3_000) < 0.7, truth, 1 - truth)
    values = np.where(rng.random((3_000, 16)) < 0.97, guess[:, None], 1 - guess[:, None])
    alone = rng.random((3_000, 4)) < 0.75
    values[:, 12:] = np.where(alone, truth[:, None], 1 - truth[:, None])
    found, without = readings(make_votes(values.astype(np.int8), 2, truth.astype(np.int8)), 200)
    slopes = weigh_readings(found, without).slopes
    assert slopes.shape == (len(OWN_SLOPES), 16)
    assert slopes[-1, 12:].min() > 2 * slopes[-1, :12].max()
    # The less a slope may differ from that of all, the less it does.
    assert (np.diff(np.abs(slopes - 1).mean(axis=1)) > 0).all()


def test_many_sources_have_no_slopes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack, "MOST_SLOPES", 5)
    found, without = readings(sample(300), 40)
    assert found.by_group is None
    assert len(weigh_readings(found, without).slopes) == 0


def test_where_silence_tells_the_class_sources_are_counted_on_gold() -> None:
    # Every source votes for whatever class, and far more often on points of the second.
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 3_000)
    values = np.where(rng.random((3_000, 8)) < np.where(truth, 0.5, 0.2)[:, None], rng.integers(0, 2, (3_000, 8)), -1)
    found, without = readings(make_votes(values.astype(np.int8), 2, truth.astype(np.int8)), 300)
    pool = weigh_readings(found, without).pool
    counted = pool.learned == 1 + len(UNLABELED)  # after what needs no gold
    assert pool.weight[counted].sum() > 0.9
    assert found.prior.sum() == pytest.approx(1)


def test_doubt_leaves_weight_to_what_explains_gold_almost_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    found, without = readings(sample(1_000), 100)
    cautious = weigh_readings(found, without).pool
    monkeypatch.setattr(stack, "DOUBT", 1.0)
    sure = weigh_readings(found, without).pool
    assert cautious.weight[3:].max() < sure.weight[3:].max()  # after what needs no gold


def test_of_many_votes_parts_of_gold_are_read_by_what_some_points_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = sample(3_000)  # of ten sources
    whole, _ = readings(votes, 100)
    monkeypatch.setattr(stack, "FOLD_VOTES", 10_000)
    some, _ = readings(votes, 100)
    np.testing.assert_array_equal(some.truth, whole.truth)
    np.testing.assert_array_equal(some.plain, whole.plain)
    np.testing.assert_array_equal(some.said[-2:], whole.said[-2:])  # from gold alone
    far = np.abs(some.said[:-2] - whole.said[:-2])
    assert 0 < far.mean() < 0.15
