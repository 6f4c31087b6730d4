from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes, sample, some_gold

import carob
from carob import InputError, NotIdentifiedError
from carob.posterior.intervals import wilson
from carob.posterior.settings import Settings
from carob.value import rate as module
from carob.value.rate import GroupRate, Rate, _Part, rate, rate_votes, worth_words


def part(y: object, f: object, mean: float, n_points: int, weights: object = None) -> _Part:
    y = np.asarray(y, dtype=float)
    return _Part.of(
        y, np.asarray(f, dtype=float), np.ones(len(y)) if weights is None else np.asarray(weights), mean, n_points
    )


def test_oracle_gold_alone_is_wilsons_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "UNHELPED", 1e-9)
    monkeypatch.setattr(module, "student", lambda level, freedom: 1.6448536269514722)
    y = np.arange(40) < 9
    found = part(y, np.full(40, 0.5), 0.5, 10**9).rate("a", 0.9, False)
    low, high = wilson(np.array(9 * 39 / 40), np.array(39), 0.9)  # the variance of a share has n - 1 in it
    assert (found.value, found.power) == (9 / 40, 0)
    assert [found.low, found.high] == pytest.approx([float(low), float(high)], abs=1e-6)
    assert (found.low, found.high) == (found.gold_low, found.gold_high)


def test_oracle_the_estimate_is_that_of_a_regression_on_the_probabilities() -> None:
    rng = np.random.default_rng(0)
    f = rng.random(60)
    y = (rng.random(60) < f).astype(float)
    slope, intercept = np.polyfit(f, y, 1)
    found = part(y, f, 0.7, 1000)
    assert found.power == pytest.approx(slope)
    assert found.value == pytest.approx(intercept + slope * 0.7)
    residual = y - intercept - slope * f
    variance = (1 - 60 / 1000) * (residual**2).sum() / 58 / 60
    assert found.variance == pytest.approx(variance + module.UNHELPED / 60 * (1 - 60 / 1000) / 60)


def test_oracle_weights_are_points_that_stand_there_again() -> None:
    y, f = np.array([1.0, 0, 1, 1, 0, 0]), np.array([0.9, 0.3, 0.4, 0.8, 0.1, 0.2])
    times = np.array([2, 1, 3, 1, 2, 1])
    weighed = part(y, f, 0.5, 10**9, times)
    assert weighed.gold_value == pytest.approx(np.repeat(y, times).mean())
    share = times / times.sum()
    expected = ((share * (y - share @ y)) ** 2).sum() * 6 / 5
    assert weighed.gold_variance == pytest.approx(expected + module.UNHELPED / 6 * (share**2).sum())


def test_recovery_the_interval_covers_and_is_narrower_than_golds() -> None:
    rng = np.random.default_rng(1)
    population = rng.random(4_000) ** 2
    truth = (rng.random(4_000) < population).astype(float)
    covered, narrower, draws = 0, 0.0, 600
    for _ in range(draws):
        rows = rng.choice(4_000, 60, replace=False)
        found = part(truth[rows], population[rows], population.mean(), 4_000).rate(1, 0.9, False)
        covered += found.low <= truth.mean() <= found.high
        narrower += (found.high - found.low) / (found.gold_high - found.gold_low) / draws
        assert found.high - found.low <= 1.0001 * (found.gold_high - found.gold_low)
    assert 0.9 - 4 * (0.09 / draws) ** 0.5 < covered / draws < 0.96
    assert narrower < 0.9


def test_recovery_picked_points_bias_nothing_and_without_weights_they_do() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(3_000) ** 3
    truth = (rng.random(3_000) < p).astype(float)
    chance = 0.3 + p
    chance /= chance.sum()
    covered, ignoring, draws = 0, 0, 400
    for _ in range(draws):
        rows = rng.choice(3_000, 80, replace=False, p=chance)
        nothing = np.full(80, 0.5)
        weighed = part(truth[rows], nothing, 0.5, 3_000, 1 / chance[rows]).rate(1, 0.9, False)
        plain = part(truth[rows], nothing, 0.5, 3_000).rate(1, 0.9, False)
        covered += weighed.low <= truth.mean() <= weighed.high
        ignoring += plain.low <= truth.mean() <= plain.high
    assert 0.85 < covered / draws < 0.96
    assert ignoring / draws < 0.5


def test_invariant_the_worth_is_the_number_of_random_labels_with_that_variance() -> None:
    found = part(np.arange(50) < 20, np.full(50, 0.4), 0.4, 1_000)
    assert module._labels(found.spread, found.gold_variance, 1_000) == pytest.approx(50, rel=0.03)
    assert module._labels(0.25, 0.0, 1_000) == 1_000


def test_a_share_of_all_or_none_has_a_width_and_all_gold_has_none() -> None:
    none = part(np.zeros(30), np.full(30, 0.1), 0.2, 10_000).rate("a", 0.9, False)
    assert (none.value, none.low) == (0, 0)
    assert 0.05 < none.high < 0.15
    everyone = part([1.0, 0, 0, 0], [0.5, 0.2, 0.1, 0.3], 0.275, 4).rate("a", 0.9, False)
    assert (everyone.low, everyone.value, everyone.high) == pytest.approx((0.25, 0.25, 0.25))


def test_recovery_votes_and_gold_tell_the_share_and_say_what_votes_were_worth() -> None:
    votes = sample(1_000, seed=1, balance=0.3)
    found = rate(votes, some_gold(votes, 80, seed=2), by=np.arange(1_000) % 2)
    share = found.overall.shares[1]
    assert share.low < votes.own_gold.values.mean() < share.high
    assert found.overall.worth > 90
    assert found.verdict.startswith("Your 80 gold labels and 1,000 points with votes are worth ")
    assert [group.group for group in found.groups] == [0, 1]
    assert sum(group.n_gold for group in found.groups) == 80
    beyond = rate(votes, some_gold(votes, 80, seed=2), beyond=True).overall.shares[1]
    assert beyond.high - beyond.low > share.high - share.low
    content = found.to_dict()
    assert content["shares"]["1"]["value"] == share.value
    assert content["groups"][1]["n_points"] == 500


def test_groups_with_little_gold_say_so() -> None:
    votes = sample(300)
    by = np.where(np.arange(300) < 12, "few", "many")
    gold = np.where(np.arange(300) < 100, votes.own_gold.values, -1)
    gold[5:12] = -1
    found = rate(votes, gold, by=by)
    assert [(group.group, group.n_gold, group.told) for group in found.groups] == [
        ("few", 5, False),
        ("many", 88, True),
    ]


def test_gold_of_one_class_is_answered_by_gold_alone() -> None:
    votes = sample(300)
    gold = np.where((np.arange(300) < 80) & (votes.own_gold.values == 1), 1, -1)
    found = rate(votes, gold)
    assert [share.value for share in found.overall.shares] == [0, 1]
    assert found.overall.shares[1].low < 0.97
    assert "the votes add nothing" in found.verdict


def test_words_of_worth() -> None:
    everyone = worth_words(GroupRate(None, 50, 50, worth=50.0))
    assert everyone == "All 50 points have gold: the shares are those of gold."
    assert isinstance(rate_votes(*_few(), Settings()), Rate)


def _few() -> tuple[carob.Votes, carob.Gold, None]:
    votes = sample(60)
    return votes, some_gold(votes, 60), None


def test_refusals() -> None:
    votes = make_votes([[0, 1, 1], [1, 1, 0], [1, 0, 1]] * 10)
    with pytest.raises(InputError, match="a rate needs gold labels, and there are none"):
        rate(votes)
    gold = np.array([0, 1, 1] * 10)
    with pytest.raises(NotIdentifiedError, match="3 gold labels tell no rate; 10 are the least"):
        rate(votes, np.where(np.arange(30) < 3, gold, -1))
    with pytest.raises(InputError, match="by has 3 entries for 30 points"):
        rate(votes, gold, by=["a", "b", "c"])
    with pytest.raises(InputError, match=r"above 0 and at most 1, not 0\.0, 2\.0"):
        rate(votes, gold, chances=[0.0, 2.0, *[0.1] * 28])
    with pytest.raises(InputError, match="there are 2 chances for 30 points"):
        rate(votes, gold, chances=[0.1, 0.1])
    with pytest.raises(InputError, match="method='triplets' is not weighed here"):
        rate_votes(votes, votes.code_gold(gold), None, Settings("triplets"))
