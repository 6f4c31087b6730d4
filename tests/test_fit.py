from __future__ import annotations

import numpy as np
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, symmetric_conditionals

from karat import Gold, InputError, LabelModel, Votes, labeled, triplets
from karat.calibrate.with_gold import add_gold
from karat.estimate.count import count
from karat.estimate.settings import Settings
from karat.estimate.votes_fit import fit_votes
from karat.fit import ENOUGH_GOLD, chosen_method, fit, fit_combined, fit_labeled, fit_triplets
from karat.moments import Moments
from karat.votes import GoldPoints


def sample(n: int = 1_500, seed: int = 0) -> Votes:
    return draw_votes(np.random.default_rng(seed), n, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])


def some_gold(votes: Votes, n: int) -> Gold:
    return Gold(np.where(np.arange(len(votes)) < n, votes.own_gold.values, -1).astype(np.int8), votes.classes)


def test_auto_takes_gold_from_ten_labels_on() -> None:
    points = GoldPoints.of(sample(100), sample(100).own_gold)
    assert chosen_method("auto", None) == "triplets"
    assert chosen_method("auto", points.take(slice(0, ENOUGH_GOLD - 1))) == "triplets"
    assert chosen_method("auto", points.take(slice(0, ENOUGH_GOLD))) == "combined"
    assert chosen_method("labeled", None) == "labeled"
    assert ENOUGH_GOLD == 10


def test_a_fit_is_a_function_of_statistics_gold_points_and_settings() -> None:
    votes = sample()
    settings = Settings(class_balance=0.5, replicates=20)
    points = GoldPoints.of(votes, some_gold(votes, 60))
    counted = count(votes, settings)
    for whole, part in (
        (fit(votes, None, settings), fit_triplets(counted, None, settings)),
        (fit(votes, some_gold(votes, 60), settings), fit_combined(counted, points, settings)),
    ):
        np.testing.assert_array_equal(whole.model.conditionals, part.model.conditionals)
        np.testing.assert_array_equal(whole.intervals.low, part.intervals.low)
        np.testing.assert_array_equal(whole.posterior(votes), part.posterior(votes))


def test_each_method_gives_the_model_of_its_estimator() -> None:
    votes, gold = sample(), some_gold(sample(), 200)
    settings = Settings(class_balance=0.5, replicates=0)
    alone = triplets(Moments.of(votes), class_balance=0.5)
    np.testing.assert_allclose(fit(votes, None, settings).model.conditionals, alone.conditionals)
    counted = fit(votes, gold, Settings(method="labeled", class_balance=0.5)).model
    np.testing.assert_allclose(counted.conditionals, labeled(votes, gold, 0.5).conditionals)
    both = fit(votes, gold, settings)
    votes_fit = fit_votes(count(votes, settings), None, settings, partial=True)
    expected = add_gold(votes_fit, GoldPoints.of(votes, gold), 0)
    np.testing.assert_allclose(both.model.conditionals, expected.model.conditionals)
    np.testing.assert_allclose(both.posterior(votes), expected.posterior(votes))


def test_gold_of_fewer_than_ten_labels_helps_with_the_class_balance_alone() -> None:
    votes = sample()
    few = fit(votes, some_gold(votes, 9), Settings(replicates=0))
    assert few.recalibration is None
    assert few.origin is not None
    assert (few.origin.method, few.origin.gold) == ("triplets", 9)


def test_intervals_of_a_blend_hold_both_kinds_of_noise() -> None:
    votes, gold = sample(), some_gold(sample(), 50)
    wide = fit(votes, gold, Settings(class_balance=0.5, replicates=100)).intervals
    no_votes_noise = fit(votes, gold, Settings(class_balance=0.5, replicates=0)).intervals
    assert wide.method == "blend, bootstrap"
    assert (wide.high - wide.low > no_votes_noise.high - no_votes_noise.low).mean() > 0.7
    lower = fit(votes, gold, Settings(class_balance=0.5, replicates=100, level=0.5)).intervals
    assert (lower.high - lower.low < wide.high - wide.low).all()


def test_the_class_balance_of_gold_has_wilsons_interval() -> None:
    votes, gold = sample(), some_gold(sample(), 100)
    found = fit(votes, gold, Settings(replicates=20)).intervals
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
    with pytest.raises(InputError, match=r"4 points for \d+ sources"):
        LabelModel().fit(sample(4))
