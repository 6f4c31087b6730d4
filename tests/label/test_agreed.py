from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from carob.label.blind import predicted_blind
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate import draw_votes, held_sparsely, make_votes, names, sample, some_gold, symmetric_conditionals

from carob import Coding, Gold, LabelModel, Votes
from carob.label.agreed import (
    BALANCE_WORTH,
    Agreed,
    _balance_interval,
    _balance_with,
    _learned_alone,
    _log_evidence,
    agree,
    ballots_of,
)
from carob.posterior.settings import Settings
from carob.votes import GoldPoints


def agreed(votes: Votes, gold: Gold | None = None, **options: Any) -> Agreed:
    return agree(votes, None if gold is None else GoldPoints.of(votes, gold), Settings(**options))


def accuracies(seed: int, m: int = 8) -> npt.NDArray[np.float64]:
    return np.random.default_rng(seed).uniform(0.6, 0.85, m)


@pytest.mark.parametrize("n_gold", [0, 1, 30, 300])
def test_simulation_intervals_cover_accuracies(n_gold: int) -> None:
    held, widths = [], []
    for seed in range(8):
        p = accuracies(seed)
        votes = draw_votes(np.random.default_rng(seed), 1_000, symmetric_conditionals(p, abstain=0.2), [0.5, 0.5])
        found = agreed(votes, some_gold(votes, n_gold, seed) if n_gold else None)
        held.append((found.intervals.low <= p) & (p <= found.intervals.high))
        widths.append(found.intervals.high - found.intervals.low)
    assert np.mean(held) >= 0.88  # of .9, on 64 intervals
    # One label must not make a tiny interval, and many must make it smaller than votes alone do.
    assert np.mean(widths) > (0.12 if n_gold < 30 else 0.04)
    assert np.mean(widths) < (0.45 if n_gold < 30 else 0.25)


def test_one_gold_label_hardly_moves_an_interval_and_many_make_it_small() -> None:
    votes = sample(1_000)
    widths = {}
    for n in (0, 1, 30, 500):
        found = agreed(votes, some_gold(votes, n) if n else None).intervals
        widths[n] = float((found.high - found.low).mean())
    assert widths[1] == pytest.approx(widths[0], rel=0.05)
    assert widths[1] > widths[30] > widths[500]
    assert widths[500] < widths[0] / 2


@pytest.mark.parametrize("level", [0.5, 0.99])
def test_intervals_hold_the_estimate_and_lie_in_0_to_1(level: float) -> None:
    votes = sample(300, abstain=0.4, balance=0.2)
    for gold in (None, some_gold(votes, 40)):
        found = agreed(votes, gold, level=level)
        low, high = found.intervals.low, found.intervals.high
        assert ((low >= 0) & (low <= found.accuracy) & (found.accuracy <= high) & (high <= 1)).all()
        balance = found.model.class_balance
        assert ((found.intervals.balance_low <= balance) & (balance <= found.intervals.balance_high)).all()
    narrow, wide = (agreed(votes, level=one).intervals for one in (0.5, 0.99))
    assert (narrow.high - narrow.low < wide.high - wide.low).all()


def test_with_much_gold_the_accuracy_is_that_on_gold() -> None:
    votes = sample(1_500, abstain=0.2)
    found = agreed(votes, votes.own_gold)
    truth = votes.own_gold.values[:, None]
    counted = (votes.values == truth).sum(axis=0) / (votes.values >= 0).sum(axis=0)
    np.testing.assert_allclose(found.accuracy, counted, atol=0.01)


def test_class_balance_given() -> None:
    votes = sample(500, balance=0.3)
    for gold in (None, some_gold(votes, 50)):
        found = agreed(votes, gold, class_balance=0.4)
        for balance in (found.model.class_balance, found.intervals.balance_low, found.intervals.balance_high):
            np.testing.assert_allclose(balance, [0.6, 0.4])
        np.testing.assert_allclose(found.pool.class_balance, [0.6, 0.4])
        if gold is not None:
            np.testing.assert_allclose(found.pool.posterior(votes).mean(axis=0), [0.6, 0.4], atol=1e-3)


def test_class_balance_from_votes_and_gold() -> None:
    strong = symmetric_conditionals([0.8, 0.85, 0.9, 0.75, 0.8])
    votes = draw_votes(np.random.default_rng(0), 5_000, strong, [0.75, 0.25])
    alone = agreed(votes)
    share = alone.model.class_balance[1]
    assert 0.25 < share < 0.45  # drawn to the middle, where votes are all there is
    assert alone.intervals.balance_low[1] < 0.25 < alone.intervals.balance_high[1]
    gold = some_gold(votes, 300)
    found = agreed(votes, gold)
    as_usual = (gold.counts[1] + 2 * BALANCE_WORTH * share) / (300 + 2 * BALANCE_WORTH)
    counts, told = gold.counts.astype(np.float64), alone.model.class_balance
    assert _balance_with(counts, told, BALANCE_WORTH)[1] == pytest.approx(as_usual)
    assert abs(found.model.class_balance[1] - 0.25) < abs(as_usual - 0.25)  # these sources show no dependence
    width = found.intervals.balance_high - found.intervals.balance_low
    assert (width < (alone.intervals.balance_high - alone.intervals.balance_low) / 2).all()


def test_oracle_evidence_of_a_class_balance_is_an_integral() -> None:
    labels, more = np.array([5.0, 2.0]), np.array([3.0, 7.0])
    share = np.linspace(0, 1, 20_001)
    density = 252 * share**2 * (1 - share) ** 6  # Beta(3, 7): 9! / (2! 6!) = 252
    likely = np.trapezoid(density * share**5 * (1 - share) ** 2, share)
    assert _log_evidence(labels, more) == pytest.approx(np.log(likely), abs=1e-6)


def test_where_votes_show_no_dependence_unlucky_gold_hardly_moves_the_class_balance() -> None:
    good = symmetric_conditionals(np.linspace(0.65, 0.85, 12), abstain=0.2)
    votes = draw_votes(np.random.default_rng(1), 4_000, good, [0.5, 0.5])
    truth = votes.own_gold.values
    for shares in ([46, 54], [54, 46]):
        gold = np.full(4_000, -1, dtype=np.int8)
        for y, number in enumerate(shares):
            gold[np.flatnonzero(truth == y)[:number]] = y
        found = agreed(votes, Gold(gold, votes.classes)).model.class_balance
        as_usual = (shares[1] + BALANCE_WORTH) / (100 + 2 * BALANCE_WORTH)
        assert abs(found[1] - truth.mean()) < abs(as_usual - truth.mean()) / 2


def test_where_all_sources_follow_one_hint_gold_tells_the_class_balance() -> None:
    rng = np.random.default_rng(2)
    good = symmetric_conditionals(np.linspace(0.65, 0.85, 12), abstain=0.2)
    hinted = draw_votes(rng, 4_000, good, [0.5, 0.5])
    truth = np.where(rng.random(4_000) < 0.4, hinted.own_gold.values, 0).astype(np.int8)
    alone = agreed(hinted).model.class_balance[1]
    assert alone == pytest.approx(0.5, abs=0.03)  # which votes cannot know better
    gold = Gold(np.where(rng.permutation(4_000) < 200, truth, -1).astype(np.int8), hinted.classes)
    assert agreed(hinted, gold).model.class_balance[1] == pytest.approx(0.2, abs=0.07)


def test_worse_is_worse_than_random_votes_with_the_same_shares() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(4_000) < 0.2
    good = [np.where(rng.random(4_000) < accuracy, truth, ~truth) for accuracy in (0.85, 0.8, 0.9, 0.85)]
    rare = rng.random(4_000) < 0.2  # right on two in three points, and yet knows nothing
    against = np.where(rng.random(4_000) < 0.7, ~truth, truth)
    votes = Votes.from_array(np.column_stack([*good, rare, against]).astype(np.int8))
    found = agree(votes, None, Settings(class_balance=0.2))
    assert found.worse.tolist() == [False] * 5 + [True]
    assert found.accuracy[4] > 0.5 > found.accuracy[5]


def test_votes_beside_others_are_counted() -> None:
    values = np.full((100, 3), -1)
    values[:60, 0], values[30:70, 1], values[69:72, 2] = 0, 1, 1
    found = agreed(make_votes(values))
    assert found.votes.tolist() == [30, 31, 1]


def test_near_copies_count_as_one_and_labels_are_about_those_without_the_copy() -> None:
    votes = sample(2_000)
    follows = np.random.default_rng(0).random(2_000) < 0.95
    copy = np.where(follows, votes.values[:, 0], 1 - votes.values[:, 0])
    twice = make_votes(np.column_stack([votes.values, copy]), gold=votes.own_gold.values)
    found = agreed(twice)
    assert found.copies == ((0, 10),)
    assert found.pool.once == [(0, 10)]
    alone = agreed(votes).pool.posterior(votes)
    assert np.abs(found.pool.posterior(twice) - alone).mean() < 0.03
    known = agreed(twice, known_pairs=[(0, 10)])
    np.testing.assert_allclose(known.pool.posterior(twice), found.pool.posterior(twice), atol=1e-12)


@pytest.mark.parametrize("given", [0.5, None])
def test_gold_of_one_class_does_not_choose_between_readings(given: float | None) -> None:
    # Labels of one class are best explained by who always says it, which would ruin the labels of all others.
    votes = sample(1_000)
    truth = votes.own_gold.values
    one_class = Gold(np.where((truth == 1) & (np.arange(1_000) < 100), truth, -1).astype(np.int8), votes.classes)
    plain, found = agreed(votes, class_balance=given), agreed(votes, one_class, class_balance=given)
    assert found.scores == ()
    assert "sources learned with gold" not in found.readings
    if given is not None:
        assert np.array_equal(found.pool.posterior(votes), plain.pool.posterior(votes))
    # Where it is not given, the class balance still believes gold.
    assert (found.pool.posterior(votes).argmax(axis=1) == truth).mean() > (0.6 if given is None else 0.7)


def test_near_copies_whose_joint_outputs_are_too_many_stay_apart() -> None:
    rng = np.random.default_rng(0)
    K, n = 70, 1_500
    truth = rng.integers(0, K, n)
    values = np.where(rng.random((n, 5)) < 0.6, truth[:, None], rng.integers(0, K, (n, 5)))
    follows = rng.random(n) < 0.9
    values[follows, 1] = values[follows, 0]
    found = agreed(make_votes(values, K))
    assert found.copies == ()
    assert found.pool.once == []


def test_the_source_model_is_one_of_probabilities() -> None:
    for gold in (None, 50):
        votes = draw_votes(
            np.random.default_rng(0), 400, symmetric_conditionals(accuracies(0), 3, 0.2), [0.5, 0.3, 0.2]
        )
        tables = agreed(votes, some_gold(votes, gold) if gold else None).model.conditionals
        np.testing.assert_allclose(tables.sum(axis=2), 1)
        assert (tables >= 0).all()


# What must hold whatever the votes are called and however they are ordered.


def three_classes(n: int = 400) -> Votes:
    conditionals = symmetric_conditionals([0.7, 0.6, 0.65, 0.8, 0.55, 0.7], 3, 0.3)
    return draw_votes(np.random.default_rng(3), n, conditionals, [0.5, 0.3, 0.2])


@pytest.mark.parametrize("n_gold", [0, 60])
def test_names_of_sources_and_classes_change_nothing(n_gold: int) -> None:
    votes = three_classes()
    gold = some_gold(votes, n_gold) if n_gold else None
    coding = Coding(("z", "ä", "m"), (-1,))
    other = Votes(votes.values, tuple("fedcba"), coding)
    renamed = None if gold is None else Gold(gold.values, coding.classes)
    one, two = LabelModel().fit(votes, gold), LabelModel().fit(other, renamed)
    assert np.array_equal(one.predict_proba(votes), two.predict_proba(other))
    assert np.array_equal(one.source_table_.accuracy, two.source_table_.accuracy)
    assert np.array_equal(one.source_table_.low, two.source_table_.low)


@pytest.mark.parametrize("n_gold", [0, 60])
@pytest.mark.parametrize("K", [2, 3])
def test_the_order_of_sources_and_classes_changes_nothing(n_gold: int, K: int) -> None:
    votes = three_classes() if K == 3 else sample(400, abstain=0.3, balance=0.3)
    gold = some_gold(votes, n_gold) if n_gold else None
    one = LabelModel().fit(votes, gold)
    rng = np.random.default_rng(0)
    order, m = rng.permutation(K), len(votes.sources)
    if (order == np.arange(K)).all():
        order = order[::-1]
    sources = rng.permutation(m)
    place = np.append(np.argsort(order), -1)  # where each class went; no vote stays no vote
    values = place[votes.values[:, sources]]
    other = Votes(values.astype(np.int8), names(m), votes.coding)
    moved = None if gold is None else Gold(place[gold.values].astype(np.int8), votes.classes)
    two = LabelModel().fit(other, moved)
    np.testing.assert_allclose(two.predict_proba(other), one.predict_proba(votes)[:, order], atol=1e-9)
    for column in ("accuracy", "low", "high"):
        mine, its = getattr(one.source_table_, column), getattr(two.source_table_, column)
        np.testing.assert_allclose(its, mine[sources], atol=1e-9)
    np.testing.assert_allclose(two.class_balance_, one.class_balance_[order], atol=1e-9)


def test_the_order_of_points_changes_nothing() -> None:
    # With gold the parts that it is split into go by the order of points, and nothing else does.
    for votes in (three_classes(), sample(400, abstain=0.3), held_sparsely(three_classes())):
        order = np.random.default_rng(0).permutation(len(votes))
        one, two = LabelModel().fit(votes), LabelModel().fit(votes.take(order))
        np.testing.assert_allclose(two.predict_proba(votes), one.predict_proba(votes), atol=1e-9)
        np.testing.assert_allclose(two.source_table_.low, one.source_table_.low, atol=1e-9)
        gold = some_gold(votes, 100)
        one, two = LabelModel().fit(votes, gold), LabelModel().fit(votes.take(order), gold.take(order))
        np.testing.assert_allclose(two.source_table_.accuracy, one.source_table_.accuracy, atol=1e-9)
        assert np.abs(two.predict_proba(votes) - one.predict_proba(votes)).mean() < 0.05


def test_the_same_seed_gives_the_same_bits() -> None:
    votes = three_classes()
    gold = some_gold(votes, 60)
    one, two, other = (LabelModel(rng=seed).fit(votes, gold) for seed in (5, 5, 6))
    assert np.array_equal(one.predict_proba(votes), two.predict_proba(votes))
    assert one.source_table_.rows() == two.source_table_.rows()
    assert one.fit_.scores == two.fit_.scores
    assert one.fit_.scores != other.fit_.scores


@st.composite
def odd_votes(draw: st.DrawFn) -> tuple[Votes, Gold | None]:
    """Few points, silent ones among them, a class nobody votes for, gold of one class only or of points unseen."""
    K, m, n = draw(st.integers(2, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    spoken = draw(st.integers(1, K))  # classes that somebody votes for
    values = np.where(rng.random((n, m)) < draw(st.sampled_from([0.0, 0.5, 0.95, 1.0])), -1, 0)
    values = np.where(values < 0, -1, rng.integers(0, spoken, (n, m)))
    truth = rng.integers(0, K, n)
    kind = draw(st.sampled_from(["none", "one label", "one class", "all"]))
    if kind == "one class":
        truth[:] = K - 1
    known = np.arange(n) < (1 if kind == "one label" else n)
    gold = None if kind == "none" else Gold(np.where(known, truth, -1).astype(np.int8), tuple(range(K)))
    return make_votes(values, K), gold


@given(odd_votes())
@settings(max_examples=30, deadline=None)
def test_probabilities_of_odd_votes_are_probabilities(case: tuple[Votes, Gold | None]) -> None:
    votes, gold = case
    found = agreed(votes, gold)
    p = found.pool.posterior(votes)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)
    assert ((p >= 0) & (p <= 1)).all()
    assert np.isfinite(found.accuracy).all()
    assert (found.intervals.low <= found.accuracy).all()
    assert (found.accuracy <= found.intervals.high).all()
    assert found.model.class_balance.sum() == pytest.approx(1)
    for score in found.scores:
        assert np.isfinite([score.loss, score.loss_low, score.loss_high, score.accuracy]).all()


def test_probabilities_of_gold_points_have_not_seen_their_labels() -> None:
    votes = sample(400)
    points = GoldPoints.of(votes, some_gold(votes, 60))
    fold = np.arange(60) % 5
    found = predicted_blind(votes, points, fold, Settings()).probabilities
    assert found.sum(axis=1) == pytest.approx(np.ones(400))
    turned = points.truth.copy()
    turned[fold == 2] = 1 - turned[fold == 2]
    other = predicted_blind(votes, replace(points, truth=turned), fold, Settings()).probabilities
    own = points.rows[fold == 2]
    assert np.array_equal(found[own], other[own])
    assert not np.allclose(found[points.rows[fold == 1]], other[points.rows[fold == 1]])


def test_picked_gold_is_weighed_for_the_class_balance() -> None:
    votes = sample(600, balance=0.3)
    truth = votes.own_gold.values
    chosen = np.where((truth == 1) | (np.arange(600) % 3 == 0), truth, -1).astype(np.int8)
    chances = np.where(truth == 1, 3.0, 1.0) / 1_000
    plain = agree(votes, GoldPoints.of(votes, Gold(chosen, votes.classes)), Settings())
    weighed = agree(votes, GoldPoints.of(votes, Gold(chosen, votes.classes, chances=chances)), Settings())
    shares = [found.model.class_balance[1] for found in (plain, weighed)]
    assert shares[0] > 0.45
    assert shares[1] == pytest.approx(truth.mean(), abs=0.05)


@pytest.mark.parametrize("n_gold", [0, 100, 1_000])
def test_intervals_of_the_class_balance_hold_a_class_of_one_point_in_a_thousand(n_gold: int) -> None:
    # Drawn to even shares as the class balance is, an interval around it alone would end at .01 and more.
    strong = symmetric_conditionals(np.full(8, 0.995))
    votes = draw_votes(np.random.default_rng(0), 5_000, strong, [0.999, 0.001])
    settings, gold = Settings(), some_gold(votes, n_gold)
    points = GoldPoints.of(votes, gold) if n_gold else None
    low, high = _balance_interval(
        _learned_alone(ballots_of(votes, points, settings), points, settings)[0], points, settings
    )
    share = (votes.own_gold.values == 1).mean()
    assert 0 <= low[1] <= share <= high[1] <= (0.1 if n_gold else 0.6)
    assert low[0] <= 1 - share <= high[0] <= 1
