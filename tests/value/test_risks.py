from __future__ import annotations

import numpy as np
import pytest

from carob.label.model import learn_votes
from carob.paper.datasets import paper_model
from carob.posterior.losses import entropy
from carob.posterior.settings import Settings
from carob.value.risks import Risks, measure_risks, points_variation
from carob.votes import GoldPoints

SETTINGS = Settings(class_balance=0.5)


def test_invariant_the_same_seed_gives_the_same_bits(risks: Risks) -> None:
    again = measure_risks(risks.votes, risks.points, risks.settings)
    np.testing.assert_array_equal(again.cross.both, risks.cross.both)
    np.testing.assert_array_equal(again.gold_curve.losses, risks.gold_curve.losses)
    assert (again.cross.variation, again.by_points) == (risks.cross.variation, risks.by_points)


def test_progress_reaches_its_end() -> None:
    votes = paper_model(0).sample(300, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 40))
    seen: list[tuple[int, int]] = []
    measure_risks(votes, gold, SETTINGS, lambda *at: seen.append(at))
    assert seen[-1][0] == seen[-1][1] == len(seen)


def test_the_scores_are_those_of_the_cross_validation(risks: Risks) -> None:
    assert tuple(risks.scores.values()) == risks.cross.scores(0.9)
    assert risks.votes_alone_losses.mean() == pytest.approx(risks.scores["votes alone"].loss)


def test_oracle_what_probabilities_vary_by_over_halves_of_the_points() -> None:
    votes = paper_model(2).sample(400, 0)
    points = GoldPoints.of(votes, votes.own_gold).take(slice(0, 50))
    halves = np.array_split(np.random.default_rng(3).permutation(np.arange(50, 400)), 2)
    p = []
    for half in halves:
        rows = np.concatenate([points.rows, half])
        truth = np.where(np.arange(len(rows)) < 50, votes.own_gold.values[rows], -1).astype(np.int8)
        p.append(learn_votes(votes.take(rows), SETTINGS).with_gold(truth).posterior(votes))
    expected = entropy((p[0] + p[1]) / 2).mean() - (entropy(p[0]).mean() + entropy(p[1]).mean()) / 2
    assert points_variation(votes, points, SETTINGS, np.random.default_rng(3)) == pytest.approx(expected)


def test_points_that_stand_for_fewer_of_many_vary_less() -> None:
    votes = paper_model(0).sample(600, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 40))
    few, many = (measure_risks(votes, gold, SETTINGS, n=n) for n in (600, 6_000))
    assert many.by_points == pytest.approx(few.by_points / 10)
