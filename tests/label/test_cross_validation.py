from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from simulate import ballots_of, draw_votes, sample, some_gold, symmetric_conditionals

from carob import LabelModel
from carob.label.consensus import learn, majority
from carob.label.cross_validation import FEWEST, cross_scores
from carob.label.pool import Pool, without_gold
from carob.label.stack import UNLABELED, GoldReadings, read_gold, weigh_readings
from carob.posterior.intervals import wilson
from carob.posterior.losses import CrossScore
from carob.votes import Votes

NAMES = ["majority vote", "votes alone", "gold alone", "votes and gold"]


def readings(votes: Votes, n_gold: int, seed: int = 0) -> tuple[GoldReadings, Pool]:
    ballots = ballots_of(votes, some_gold(votes, n_gold, seed).values)
    blind = ballots.without(np.flatnonzero(ballots.truth >= 0))
    consensus = learn(blind, np.array([0.5, 0.5]))
    return read_gold(ballots, consensus, np.random.default_rng(seed)), without_gold(consensus, blind)


def test_oracle_a_score_has_wilsons_interval_and_that_of_a_mean() -> None:
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
    truth = np.array([0, 1, 1, 1], dtype=np.int8)
    found = CrossScore.of("x", p, truth, 0.8)
    losses = -np.log([0.9, 0.8, 0.4, 0.7])
    assert (found.name, found.accuracy) == ("x", 0.75)
    low, high = wilson(np.array([3]), np.array([4]), 0.8)
    assert (found.accuracy_low, found.accuracy_high) == (low[0], high[0])
    assert found.loss == pytest.approx(losses.mean())
    half = norm.ppf(0.9) * losses.std(ddof=1) / 2
    assert found.loss_high == pytest.approx(losses.mean() + half)
    assert found.loss_low == pytest.approx(max(losses.mean() - half, 0))


def test_fewer_labels_than_that_have_no_score() -> None:
    assert cross_scores(*readings(sample(300), FEWEST - 1), 0.9) == ()
    assert [score.name for score in cross_scores(*readings(sample(300), FEWEST), 0.9)] == NAMES
    assert LabelModel().fit(sample(300), some_gold(sample(300), FEWEST - 1)).fitted_.scores == ()
    assert LabelModel().fit(sample(300)).fitted_.scores == ()


def test_oracle_every_point_is_scored_by_what_has_not_seen_it() -> None:
    gold, without = readings(sample(500, abstain=0.5), 60)
    found = {score.name: score for score in cross_scores(gold, without, 0.9)}
    both, alone = np.zeros((60, 2)), np.zeros((60, 2))
    last = np.array([list(UNLABELED).index(0.0), len(UNLABELED)])  # and sources that are counted
    for t in range(60):
        others = gold.take(np.flatnonzero(gold.fold != gold.fold[t]))
        here = gold.take(np.array([t]))
        both[t] = weigh_readings(others, without).of(here, here.plain)[0]
        alone[t] = weigh_readings(others.reading(last)).of(here.reading(last))[0]
    plain = without.mixed([gold.plain], gold.tally)
    for name, p in (("votes and gold", both), ("gold alone", alone), ("votes alone", plain)):
        expected = CrossScore.of(name, p, gold.truth, 0.9)
        assert found[name].loss == pytest.approx(expected.loss, abs=1e-9)
        assert found[name].accuracy == expected.accuracy
    counted = CrossScore.of("majority vote", majority(gold.tally, gold.class_balance), gold.truth, 0.9)
    assert found["majority vote"] == counted


def test_simulation_scores_are_those_on_points_that_are_hidden() -> None:
    told, real, held = [], [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        conditionals = symmetric_conditionals(rng.uniform(0.55, 0.85, 8), abstain=0.3)
        votes = draw_votes(rng, 3_000, conditionals, [0.6, 0.4])
        gold = some_gold(votes, 150, seed)
        model = LabelModel().fit(votes, gold)
        score = model.fitted_.scores[-1]
        hidden = ~gold.known
        p = model.predict_proba(votes)[hidden, votes.own_gold.values[hidden]]
        real.append(-np.log(p).mean())
        told.append(score.loss)
        held.append(score.loss_low <= real[-1] <= score.loss_high)
    # A standard error of a score of 150 points is .04 or so, and of eight of them .013.
    assert np.mean(told) == pytest.approx(np.mean(real), abs=0.04)
    assert np.mean(held) >= 0.6


def test_labels_of_pure_noise_are_not_flattered() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 400, symmetric_conditionals([0.5] * 30), [0.5, 0.5])
    scores = {score.name: score for score in LabelModel().fit(votes, some_gold(votes, 100)).fitted_.scores}
    for name in NAMES:
        assert scores[name].accuracy_low < 0.5
        assert scores[name].accuracy < 0.65
    assert scores["votes and gold"].loss < 0.85


def test_oracle_weights_are_points_that_stand_there_again() -> None:
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
    truth = np.array([0, 1, 1, 1], dtype=np.int8)
    times = np.array([1, 3, 2, 2])
    weighed = CrossScore.of("x", p, truth, 0.8, times)
    again = CrossScore.of("x", np.repeat(p, times, axis=0), np.repeat(truth, times), 0.8)
    assert (weighed.accuracy, weighed.loss) == pytest.approx((again.accuracy, again.loss))
    assert weighed.loss_low < again.loss_low  # four points, not eight
