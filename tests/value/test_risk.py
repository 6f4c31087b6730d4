from __future__ import annotations

import numpy as np
import pytest
from karat.estimate.fit import Settings
from karat.value.learning import measure
from karat.value.risk import Curve, Estimate, Interval, Ruler, held_out

from karat import LabelModel, Moments, Votes, expected_loss, known_combination, known_curve, labeled, triplets
from karat.datasets import paper_model
from karat.losses import score
from karat.theory.decomposition import Learner
from karat.value.population import Population
from karat.votes import Gold


def settings(symmetric: bool | None = True, level: float = 0.9) -> Settings:
    return Settings("median", 0.5, symmetric, (), "drop", "positive", level, 0, 0)


def some_gold(votes: Votes, n: int) -> Gold:
    gold = votes.code_gold(votes.gold)
    return Gold(np.where(np.arange(len(votes)) < n, gold.values, -1).astype(np.int8), gold.classes)


def test_known_answer_a_curve_of_its_form_is_found_again_and_continued() -> None:
    n = np.array([5.0, 10, 20, 40, 80, 160])
    curve = Curve(n, 0.5 + 3 / n + 8 / n**2, np.full(6, 1e-3))
    np.testing.assert_allclose(
        curve.at([10, 33, 1e6]), 0.5 + 3 / np.array([10, 33, 1e6]) + 8 / 33**2 * 0 + 8 / np.array([10, 33, 1e6]) ** 2
    )
    assert curve.at(5.0) == pytest.approx(curve.risk[0])  # below the form, the points themselves
    np.testing.assert_allclose(curve.weights(50.0).sum(), 1)


def test_a_curve_that_goes_up_by_noise_is_pooled() -> None:
    n = np.array([10.0, 20, 40, 80])
    curve = Curve(n, np.array([0.9, 0.6, 0.7, 0.5]), np.full(4, 0.01)).falling()
    np.testing.assert_allclose(curve.risk, [0.9, 0.65, 0.65, 0.5])
    np.testing.assert_allclose(Curve(n, 5 / n, np.zeros(4)).falling().risk, 5 / n)


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


def test_oracle_error_of_an_observed_mean_is_that_of_textbooks() -> None:
    rng = np.random.default_rng(0)
    n = 400
    votes = Votes.from_array(rng.integers(0, 2, (n, 3)))
    losses = rng.random((n, 2))
    truth = rng.integers(0, 2, n)
    blocks = np.zeros((n, n, 2), dtype=np.int64)
    blocks[np.arange(n), np.arange(n), truth] = 1
    population = Population(votes, np.full(n, 1 / n), np.full((n, 2), 0.5))
    ruler = Ruler(population, np.full((n, n, 2), 0.5), blocks.sum(axis=0), blocks, 0.0)
    seen = losses[np.arange(n), truth]
    found = ruler.observed(losses)
    assert found.value == pytest.approx(seen.mean())
    assert found.error == pytest.approx(seen.std(ddof=1) / np.sqrt(n), rel=1e-3)
    assert ruler.expected(losses).value == pytest.approx(losses.mean())
    assert ruler.expected(losses).error == pytest.approx(0, abs=1e-12)  # the view does not change with gold here
    near = ruler.risk(losses)
    assert min(seen.mean(), losses.mean()) <= near.value <= max(seen.mean(), losses.mean())


def test_parts_of_gold_are_gold_and_as_many_as_asked() -> None:
    votes = paper_model(0).sample(300, 0)
    ruler = measure(votes, some_gold(votes, 100), settings()).ruler
    parts = ruler.split(30, 7, np.random.default_rng(0))
    assert (parts.sum(axis=(1, 2)) == 30).all()
    assert (parts <= ruler.gold).all()
    assert ruler.gold.sum() == 100
    np.testing.assert_array_equal(ruler.blocks.sum(axis=0), ruler.gold)


def test_held_out_losses_are_those_of_models_that_have_not_seen_the_point() -> None:
    losses = np.array([[[1.0, 2.0]], [[3.0, 4.0]]])
    left = np.array([[[0, 1]], [[2, 1]]])
    np.testing.assert_allclose(held_out(losses, left), [[3.0, 3.0]])


def test_differences_cancel_what_two_estimates_share() -> None:
    common = np.random.default_rng(0).normal(size=20)
    one, two = Estimate(1.0, 1 + common), Estimate(0.4, 0.4 + common)
    assert (one - two).error == pytest.approx(0, abs=1e-12)
    assert one.error > 0.5
    assert (one + two.times(2)).value == pytest.approx(1.8)
    assert Interval.of(Estimate(0.1, np.array([0.0, 0.2])), 0.9, 0.0).low == 0


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
        labels = np.concatenate([np.full(1_000, -1), some.code_gold(some.gold).values]).astype(np.int8)
        joined = Votes(values, points.sources, points.coding)
        model = LabelModel("mean", class_balance=0.5, symmetric=True, replicates=0)
        model.fit(joined, Gold(labels, points.classes))
        losses.append(score(model.predict_proba(test), test.code_gold(test.gold)).loss)
    assert abs(np.mean(losses) - both.risk[0]) < 4 * np.hypot(both.error[0], np.std(losses) / 5) + 0.005


@pytest.mark.slow
@pytest.mark.parametrize("d", [0, 5])
def test_recovery_risks_from_gold_against_the_exact_ones(d: int) -> None:
    truth = paper_model(d)
    votes = truth.sample(4_000, 1)
    found = measure(votes, some_gold(votes, 1_000), settings())
    exact = expected_loss(truth, found.solution.model).value
    assert abs(found.corrected.risk.value - exact) < 4 * found.corrected.risk.error
    exact_curve = known_curve(truth, "labeled", [50, 200], 200, 0)
    for n, risk in zip(exact_curve.n, exact_curve.risk, strict=True):
        estimate = found.labeled.at(n)
        assert abs(estimate.value - risk) < 4 * estimate.error
    # What both share cancels: the difference is known much better than either.
    gap = found.corrected.risk - found.labeled.at(200)
    assert gap.error < found.corrected.risk.error / 2
    assert abs(gap.value - (exact - exact_curve.risk[1])) < 4 * gap.error + 0.003
