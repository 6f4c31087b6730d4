from __future__ import annotations

import numpy as np
import pytest

from carob import Moments
from carob.paper import expected_loss, known_curve, labeled, triplets
from carob.paper.datasets import paper_model
from carob.paper.known import Curve
from carob.paper.theory.decomposition import Learner


@pytest.mark.parametrize("learner", ["labeled", "median"])
def test_oracle_known_curves_are_those_of_point_by_point_samples(learner: Learner) -> None:
    truth = paper_model(2)
    curve = known_curve(truth, learner, [400], trials=60, rng=0)
    risks = []
    for seed in range(60):
        votes = truth.sample(400, seed)
        if learner == "labeled":
            model = labeled(votes, votes.gold, 0.5, symmetric=True)
        else:
            model = triplets(Moments.of(votes), learner, 0.5, symmetric=True)
        risks.append(expected_loss(truth, model).value)
    error = np.hypot(curve.error[0], np.std(risks) / np.sqrt(60))
    assert abs(curve.risk[0] - np.mean(risks)) < 4 * error


def test_known_answer_means_and_their_errors() -> None:
    curve = Curve.of_draws([10, 20], [[1.0, 3.0], [0.5, 0.5]])
    np.testing.assert_array_equal(curve.n, [10, 20])
    np.testing.assert_array_equal(curve.risk, [2.0, 0.5])
    np.testing.assert_array_equal(curve.error, [1.0, 0.0])
