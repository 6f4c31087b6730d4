from __future__ import annotations

import numpy as np
import pytest

from carob import Gold, LabelModel, Moments, Votes
from carob.paper import expected_loss, known_combination, known_curve, labeled, triplets
from carob.paper.datasets import paper_model
from carob.paper.theory.decomposition import Learner
from carob.posterior.losses import score


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


def test_known_combination_is_that_of_label_model_and_better_than_either_alone() -> None:
    truth = paper_model(5)
    both = known_combination(truth, 1_000, [50, 400], "mean", trials=25, rng=0)
    gold = known_curve(truth, "labeled", [50, 400], trials=200, rng=0)
    votes = known_curve(truth, "mean", [1_000], trials=200, rng=0)
    assert both.risk[0] < min(gold.risk[0], votes.risk[0])
    assert both.risk[1] < both.risk[0]
    # One sample after another, by the public model and the exact loss on a large sample.
    test = truth.sample(40_000, 1)
    rng = np.random.default_rng(3)
    losses = []
    for _ in range(25):
        points, some = truth.sample(1_000, rng), truth.sample(50, rng)
        values = np.concatenate([points.values, some.values])
        labels = np.concatenate([np.full(1_000, -1), some.own_gold.values]).astype(np.int8)
        joined = Votes(values, points.sources, points.coding)
        model = LabelModel("mean", class_balance=0.5, symmetric=True, replicates=0)
        model.fit(joined, Gold(labels, points.classes))
        losses.append(score(model.predict_proba(test), test.own_gold).loss)
    assert abs(np.mean(losses) - both.risk[0]) < 4 * np.hypot(both.error[0], np.std(losses) / 5) + 0.005
