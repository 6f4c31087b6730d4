from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, make_votes, symmetric_conditionals

from carob import Gold, InputError, LabelModel, Votes
from carob.count.moments import Moments
from carob.label.agreed import agree
from carob.model.fit import (
    ENOUGH_GOLD,
    Origin,
    chosen_method,
    fit,
    fit_combined,
    fit_consensus,
    fit_labeled,
    fit_triplets,
)
from carob.paper import labeled, triplets
from carob.paper.count import count
from carob.paper.votes_fit import fit_votes
from carob.paper.with_gold import add_gold
from carob.posterior.settings import Settings
from carob.votes import GoldPoints


def sample(n: int = 1_500, seed: int = 0) -> Votes:
    return draw_votes(np.random.default_rng(seed), n, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])


def some_gold(votes: Votes, n: int) -> Gold:
    return Gold(np.where(np.arange(len(votes)) < n, votes.own_gold.values, -1).astype(np.int8), votes.classes)


def test_auto_is_the_consensus_whatever_gold_there_is() -> None:
    points = GoldPoints.of(sample(100), sample(100).own_gold)
    for gold in (None, points.take(slice(0, 1)), points):
        assert chosen_method(Settings(), gold) == "consensus"
        for method in ("consensus", "triplets", "labeled", "combined", "tensors"):
            assert chosen_method(Settings(method=method), gold) == method


@pytest.mark.parametrize(
    "options", [{"aggregate": "median"}, {"symmetric": True}, {"negative": "absolute"}, {"signs": "data"}]
)
def test_auto_with_what_only_triplets_have_takes_gold_from_ten_labels_on(options: dict[str, Any]) -> None:
    points = GoldPoints.of(sample(100), sample(100).own_gold)
    settings = Settings(**options)
    assert chosen_method(settings, None) == "triplets"
    assert chosen_method(settings, points.take(slice(0, ENOUGH_GOLD - 1))) == "triplets"
    assert chosen_method(settings, points.take(slice(0, ENOUGH_GOLD))) == "combined"
    assert chosen_method(Settings(method="labeled", **options), None) == "labeled"
    assert ENOUGH_GOLD == 10


def test_a_fit_is_a_function_of_statistics_gold_points_and_settings() -> None:
    votes = sample()
    settings = Settings(class_balance=0.5, replicates=20)
    alone, both = (replace(settings, method=method) for method in ("triplets", "combined"))
    points = GoldPoints.of(votes, some_gold(votes, 60))
    counted = count(votes, settings)
    for whole, part in (
        (fit(votes, None, alone), fit_triplets(counted, None, settings)),
        (fit(votes, some_gold(votes, 60), both), fit_combined(counted, points, settings)),
        (fit(votes, None, settings), fit_consensus(votes, None, settings)),
        (fit(votes, some_gold(votes, 60), settings), fit_consensus(votes, points, settings)),
    ):
        np.testing.assert_array_equal(whole.model.conditionals, part.model.conditionals)
        np.testing.assert_array_equal(whole.intervals.low, part.intervals.low)
        np.testing.assert_array_equal(whole.posterior(votes), part.posterior(votes))


def test_each_method_gives_the_model_of_its_estimator() -> None:
    votes, gold = sample(), some_gold(sample(), 200)
    settings = Settings(class_balance=0.5, replicates=0)
    alone = triplets(Moments.of(votes), class_balance=0.5)
    found = fit(votes, None, replace(settings, method="triplets")).model
    np.testing.assert_allclose(found.conditionals, alone.conditionals)
    counted = fit(votes, gold, Settings(method="labeled", class_balance=0.5)).model
    np.testing.assert_allclose(counted.conditionals, labeled(votes, gold, 0.5).conditionals)
    both = fit(votes, gold, replace(settings, method="combined"))
    votes_fit = fit_votes(count(votes, settings), None, settings, partial=True)
    expected = add_gold(votes_fit, GoldPoints.of(votes, gold), 0)
    np.testing.assert_allclose(both.model.conditionals, expected.model.conditionals)
    np.testing.assert_allclose(both.posterior(votes), expected.posterior(votes))
    agreed = agree(votes, GoldPoints.of(votes, gold), settings)
    default = fit(votes, gold, settings)
    np.testing.assert_array_equal(default.posterior(votes), agreed.pool.posterior(votes))
    np.testing.assert_array_equal(default.accuracy, agreed.accuracy)
    assert default.scores == agreed.scores


def test_gold_of_fewer_than_ten_labels_helps_with_the_class_balance_alone() -> None:
    votes = sample()
    few = fit(votes, some_gold(votes, 9), Settings(aggregate="median", replicates=0))
    assert few.recalibration is None
    assert few.origin is not None
    assert (few.origin.method, few.origin.gold) == ("triplets", 9)


def test_intervals_of_a_blend_hold_both_kinds_of_noise() -> None:
    votes, gold = sample(), some_gold(sample(), 50)
    settings = Settings(method="combined", class_balance=0.5, replicates=100)
    wide = fit(votes, gold, settings).intervals
    no_votes_noise = fit(votes, gold, replace(settings, replicates=0)).intervals
    assert wide.method == "blend, bootstrap"
    assert (wide.high - wide.low > no_votes_noise.high - no_votes_noise.low).mean() > 0.7
    lower = fit(votes, gold, replace(settings, level=0.5)).intervals
    assert (lower.high - lower.low < wide.high - wide.low).all()


def test_the_class_balance_of_gold_has_wilsons_interval() -> None:
    votes, gold = sample(), some_gold(sample(), 100)
    found = fit(votes, gold, Settings(method="combined", replicates=20)).intervals
    share = gold.counts[1] / 100
    assert found.balance_low[1] < share < found.balance_high[1]
    assert found.balance_high[1] - found.balance_low[1] == pytest.approx(
        2 * 1.645 * np.sqrt(share * (1 - share) / 102.7), rel=0.01
    )
    given = fit(votes, gold, Settings(method="labeled", class_balance=0.3)).intervals
    assert given.balance_low.tolist() == given.balance_high.tolist() == pytest.approx([0.7, 0.3])


def test_known_pairs_are_one_source_of_gold_alone_too() -> None:
    votes = sample(400)
    points = GoldPoints.of(votes, votes.own_gold)
    for symmetric in (None, True):
        found = fit_labeled(points, Settings(known_pairs=[(0, 1)], symmetric=symmetric))
        assert found.model.groups[0] == (0, 1)
        assert found.model.tables[0].shape == (2, 3, 3)


def test_methods_that_need_gold_say_so() -> None:
    nothing = Gold(np.full(1_500, -1, dtype=np.int8), (0, 1))
    for method in ("labeled", "combined"):
        for gold in (None, nothing):
            with pytest.raises(InputError, match=f"method='{method}' learns from gold labels"):
                fit(sample(), gold, Settings(method=method))


def test_more_sources_than_points_are_refused_before_anything_is_counted() -> None:
    for method in ("triplets", "combined"):
        with pytest.raises(InputError, match=r"4 points for \d+ sources"):
            LabelModel(method=method).fit(sample(4), sample(4).own_gold)


@pytest.mark.parametrize("m", [1, 2, 9])
def test_the_consensus_takes_one_source_and_more_sources_than_points(m: int) -> None:
    values = np.array([[0, 1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0, 1, 0, 0], [1, 1, 0, 1, 1, 0, 0, 1, 0]])[:, :m]
    p = LabelModel().fit(values).predict_proba(values)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p.argmax(axis=1)[:2] == [values[0].mean() > 0.5, values[1].mean() > 0.5]).all()


def origin(votes: Votes, gold: Gold | None = None, **options: Any) -> Origin:
    found = fit(votes, gold, Settings(**options)).origin
    assert found is not None
    return found


def test_what_stands_out_of_the_sources() -> None:
    votes = draw_votes(
        np.random.default_rng(0), 3_000, symmetric_conditionals([0.8, 0.75, 0.85, 0.8, 0.75, 0.15, 0.8]), [0.5, 0.5]
    )
    values = votes.values.copy()
    follows = np.random.default_rng(1).random(3_000) < 0.9
    values[follows, 6] = values[follows, 0]
    silent = np.full((3_000, 1), -1)
    silent[:3] = 1
    found = origin(make_votes(np.column_stack([values, silent])))
    assert (found.method, found.points, found.gold) == ("consensus", 3_000, 0)
    assert found.copies == (("s0", "s6"),)
    assert found.worse == ("s5",)
    assert found.by_prior == ("s7",)
    assert not found.in_doubt
    healthy = origin(sample())
    assert (healthy.copies, healthy.worse, healthy.by_prior, healthy.in_doubt) == ((), (), (), False)


def test_two_camps_that_contradict_each_other_are_in_doubt_until_gold_tells() -> None:
    accuracies = [0.8, 0.75, 0.7, 0.85, 0.8, 0.2, 0.25, 0.2]
    votes = draw_votes(np.random.default_rng(0), 3_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    found = origin(votes)
    assert found.worse == ("s5", "s6", "s7")
    assert found.in_doubt
    assert not origin(votes, some_gold(votes, 50)).in_doubt


def test_gold_has_a_share_of_the_readings() -> None:
    votes = sample()
    # The votes show no dependence, and those in full have most of the weight.
    assert dict(origin(votes).readings) == pytest.approx(
        {"all votes in full": 48 / 49, "votes that repeat each other": 0.5 / 49, "majority vote": 0.5 / 49}
    )
    assert not origin(votes).by_gold
    few, many = origin(votes, some_gold(votes, 3)), origin(votes, some_gold(votes, 500))
    for found in (few, many):
        assert found.by_gold
        assert sum(share for _, share in found.readings) == pytest.approx(1)
    # The votes fit the model, and with much gold it shows.
    assert dict(few.readings)["all votes in full"] < dict(many.readings)["all votes in full"]
    assert (few.gold, many.gold) == (3, 500)


def test_strict_refuses_what_would_be_set_aside() -> None:
    values = sample(300).values
    copied = make_votes(np.column_stack([values, values[:, 0]]))
    for votes, words in (
        (copied, r"vote identically on all points.*\('s0', 's10'\)"),
        (make_votes(np.column_stack([values, np.ones(300)])), "same on every point and tell nothing: 's10'"),
        (make_votes(np.column_stack([values, np.full(300, -1)])), "never vote: 's10'"),
    ):
        with pytest.raises(InputError, match=words):
            LabelModel(strict=True).fit(votes)
    LabelModel(strict=True).fit(sample(300))
    LabelModel(strict=True, known_pairs=[(0, 10)]).fit(copied)
