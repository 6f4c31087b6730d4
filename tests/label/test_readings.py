from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob.label.readings import KINDS, learn_reading, learn_readings, smoothed_count, source_weights
from carob.label.training import TrainingVotes
from carob.votes import Votes


def alone(votes: Votes) -> TrainingVotes:
    return TrainingVotes(votes, tuple((i,) for i in range(len(votes.sources))))


def drawn(seed: int, n: int, accuracies: list[float], balance: list[float], abstain: float = 0.0) -> Votes:
    return draw_votes(
        np.random.default_rng(seed), n, symmetric_conditionals(np.array(accuracies), abstain=abstain), balance
    )


@pytest.mark.parametrize("kind", KINDS)
def test_oracle_the_posterior_of_a_point_by_enumeration(kind: str) -> None:
    votes = drawn(0, 200, [0.8, 0.7, 0.6], [0.6, 0.4], abstain=0.3)
    training = alone(votes)
    count = smoothed_count(training.tally, 1.0)
    reading, _ = learn_reading(training, kind, count, np.ones(3), None, count if kind == "dependent" else None)  # type: ignore[arg-type]
    p, easy = reading.posterior(votes, training.groups)
    for i in range(20):
        joint = []
        for y in range(2):
            score, hard = np.exp(reading.before[y]), 1.0
            if reading.before_hard is not None:
                hard = np.exp(reading.before_hard[y])
            for j, v in enumerate(votes.values[i]):
                score *= np.exp(reading.tables[j, v, y] if v >= 0 else reading.silence[j, y])
                if reading.if_hard is not None and v >= 0:
                    hard *= np.exp(reading.if_hard[j, v, y])
            joint.append((score, hard if reading.if_hard is not None else 0.0))
        total = np.sum(joint)
        np.testing.assert_allclose(p[i], np.sum(joint, axis=1) / total)
        assert easy[i] == pytest.approx(np.sum(joint, axis=0)[0] / total)


def test_recovery_independent_sources_and_class_balance() -> None:
    votes = drawn(1, 4_000, [0.85, 0.8, 0.75, 0.7, 0.65, 0.8], [0.7, 0.3])
    readings, prior = learn_readings(alone(votes), None)
    assert prior[0] < 0.1
    assert readings[1].shares[0] == pytest.approx(0.7, abs=0.04)
    truth = votes.own_gold.values
    for reading in readings[1:]:
        p = reading.posterior(votes, alone(votes).groups)[0]
        assert (p.argmax(axis=1) == truth).mean() > 0.9
        assert -np.log(p[np.arange(4_000), truth]).mean() < 0.25


def test_copies_are_read_as_dependent_and_weigh_less() -> None:
    votes = drawn(2, 3_000, [0.75, 0.75, 0.75, 0.75, 0.75], [0.5, 0.5])
    values = votes.values.copy()
    values[:, 1] = np.where(np.random.default_rng(0).random(3_000) < 0.9, values[:, 0], values[:, 1])
    copied = make_votes(values, 2)
    assert learn_readings(alone(copied), None)[1][0] > 0.9
    p = np.eye(2)[votes.own_gold.values]
    weight = source_weights(alone(copied), p)
    assert weight[:2].max() < 0.6 < 0.9 < weight[2:].min()


def test_three_sources_and_one_sided_ones_show_no_independence() -> None:
    three = drawn(3, 2_000, [0.8, 0.75, 0.7], [0.5, 0.5])
    assert learn_readings(alone(three), None)[1][0] > 0.4  # any three sources look independent
    values = np.where(three.values == np.array([0, 1, 1]), three.values, -1)
    assert learn_readings(alone(make_votes(values, 2)), None)[1][1] < 0.01  # what they do say is always the same


def test_when_one_sided_rules_speak_tells() -> None:
    rng = np.random.default_rng(4)
    truth = (rng.random(3_000) < 0.4).astype(int)
    side = np.arange(40) % 2
    often, wrong = rng.uniform(0.02, 0.15, 40), rng.uniform(0.05, 0.6, 40)
    fires = rng.random((3_000, 40)) < np.where(truth[:, None] == side, often, often * wrong)
    training = alone(make_votes(np.where(fires, side, -1), 2))
    readings, prior = learn_readings(training, None)
    assert prior[2] > 0.8
    p = readings[2].posterior(training.votes, training.groups)[0]
    deaf = readings[1].posterior(training.votes, training.groups)[0]
    assert (p.argmax(axis=1) == truth).mean() > (deaf.argmax(axis=1) == truth).mean() + 0.1


def test_a_given_class_balance_is_taken() -> None:
    votes = drawn(5, 500, [0.8, 0.7, 0.7], [0.5, 0.5])
    for reading in learn_readings(alone(votes), np.array([0.9, 0.1]))[0]:
        np.testing.assert_allclose(reading.shares, [0.9, 0.1])


def test_permuted_points_change_nothing_and_permuted_sources_permute() -> None:
    votes = drawn(6, 400, [0.8, 0.7, 0.75, 0.6], [0.6, 0.4], abstain=0.2)
    order, places = np.random.default_rng(0).permutation(400), [2, 0, 3, 1]
    first, prior = learn_readings(alone(votes), None)
    again, other = learn_readings(alone(make_votes(votes.values[order][:, places], 2)), None)
    np.testing.assert_allclose(prior, other, rtol=1e-6)
    for one, two in zip(first, again, strict=True):
        np.testing.assert_allclose(one.tables[places], two.tables, atol=1e-8)
