from __future__ import annotations

import numpy as np
import pytest

from carob.label.blind import Blind, information_of, predicted_blind
from carob.paper.datasets import paper_model
from carob.posterior.settings import Settings
from carob.votes import GoldPoints


def test_known_answer_two_parts() -> None:
    votes = paper_model(0).sample(4, 0)
    points = GoldPoints.of(votes, votes.own_gold).take(slice(0, 2))
    first, second = np.full((4, 2), 0.5), np.tile([0.9, 0.1], (4, 1))
    found = Blind.of_fits([first, second], points, np.array([0, 1]))
    np.testing.assert_allclose(found.probabilities, [[0.5, 0.5], [0.9, 0.1], [0.7, 0.3], [0.7, 0.3]])
    mean = np.array([0.7, 0.3])
    divergence = np.mean([(p * np.log(p / mean)).sum() for p in (first[0], second[0])])
    assert found.variation == pytest.approx(divergence)


def test_information_is_least_where_nothing_is_known() -> None:
    assert information_of(np.full((3, 4), 0.25)) == pytest.approx(-np.log(4))
    assert information_of(np.eye(3)) == 0


def test_simulation_the_variation_is_that_over_draws_of_gold() -> None:
    """Fits with other gold labels of the same number differ by about what the jackknife says."""
    truth = paper_model(0)
    votes = truth.sample(1_200, 0)
    points = GoldPoints.of(votes, votes.own_gold)
    rng = np.random.default_rng(0)
    told, drawn = [], []
    for _ in range(6):
        part = points.take(np.sort(rng.permutation(1_200)[:60]))
        found = predicted_blind(votes, part, rng.permutation(60) % 5, Settings(class_balance=0.5))
        told.append(found.variation)
        drawn.append(found.probabilities)
    spread = np.mean([information_of(p) for p in drawn]) - information_of(np.mean(drawn, axis=0))
    spread *= 6 / 5  # from six draws
    assert 0.4 < np.mean(told) / spread < 2.5
