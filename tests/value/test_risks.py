from __future__ import annotations

import numpy as np
import pytest

from karat import LabelModel, expected_loss
from karat.datasets import paper_model
from karat.estimate.settings import Settings
from karat.losses import log_losses, score
from karat.naive_bayes import posterior
from karat.statistics import Statistics
from karat.value.combined_curve import cross_validated, losses, sizes
from karat.value.learning_curve import LearningCurve
from karat.value.risks import Risks, measure_risks
from karat.value.unlabeled_risk import part_of
from karat.votes import Gold, GoldPoints

SETTINGS = Settings(class_balance=0.5, symmetric=True)


@pytest.fixture(scope="module")
def risks() -> Risks:
    votes = paper_model(5).sample(3_000, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 120))
    return measure_risks(votes, gold, SETTINGS)


def test_votes_alone_are_judged_by_their_own_losses(risks: Risks) -> None:
    judge = risks.judge
    for aggregate, found in (("mean", risks.mean), ("median", risks.median)):
        model = LabelModel(aggregate, method="triplets", class_balance=0.5, symmetric=True, replicates=0)  # type: ignore[arg-type]
        model.fit(risks.votes)
        on_gold = log_losses(model.predict_proba(judge.gold.votes))[np.arange(120), judge.gold.truth]
        on_rows = log_losses(posterior(judge.rows, model.source_model_))
        expected = judge.risk(on_rows, on_gold)
        assert found.risk.value == pytest.approx(expected.value)
        np.testing.assert_allclose(found.risk.without, expected.without)


def test_the_combination_is_judged_on_gold_that_it_has_not_learned_from(risks: Risks) -> None:
    n, on_gold = cross_validated(risks.judge, risks.votes_fit)
    np.testing.assert_array_equal(on_gold, risks.combined.on_gold)
    assert n == 108
    # One fold by the public model: ten folds of two blocks each.
    judge = risks.judge
    left = np.concatenate(judge.blocks[:2])
    others = judge.gold.take(np.setdiff1d(np.arange(120), left))
    found = losses(risks.votes_fit, others, judge.gold.votes.take(left))
    np.testing.assert_allclose(on_gold[left], found[np.arange(len(left)), judge.gold.truth[left]])


def test_the_curve_of_the_combination_falls_and_ends_where_the_public_model_is(risks: Risks) -> None:
    curve = risks.combined.curve
    found = [curve.at(n).value for n in (20, 60, 120, 480)]
    assert found == sorted(found, reverse=True)
    truth = paper_model(5)
    test = truth.sample(30_000, 7)
    few = Gold(np.where(np.arange(3_000) < 120, risks.votes.own_gold.values, -1).astype(np.int8), risks.votes.classes)
    model = LabelModel(class_balance=0.5, symmetric=True, replicates=0).fit(risks.votes, few)
    exact = score(model.predict_proba(test), test.own_gold).loss
    now = curve.at(120)
    assert abs(now.value - exact) < 4 * now.error


def test_more_points_help_where_there_are_few() -> None:
    votes = paper_model(0).sample(400, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 60))
    few = measure_risks(votes, gold, SETTINGS)
    for found in (few.mean.per_point, few.median.per_point, few.combined.per_point):
        assert found.value > 0
    # The risk of triplets falls by b / n: half the points cost b / n more, in truth as told.
    truth = paper_model(0)

    def risk(n: int) -> float:
        models = [
            LabelModel(method="triplets", class_balance=0.5, symmetric=True, replicates=0).fit(truth.sample(n, seed))
            for seed in range(40)
        ]
        return float(np.mean([expected_loss(truth, model).value for model in models]))

    b = (risk(200) - risk(400)) / (1 / 200 - 1 / 400)
    assert few.median.per_point.value == pytest.approx(b, rel=0.7)


def test_numbers_of_labels_that_are_tried() -> None:
    assert sizes(5) == [10, 20, 40]
    assert sizes(100) == [10, 20, 40, 80, 160, 320]
    assert sizes(10_000)[-1] == sizes(500)[-1] == 1_280


def test_parts_are_blocks_and_too_small_ones_are_none(risks: Risks) -> None:
    statistics = Statistics.of(risks.votes)
    part = part_of(statistics, 16, np.random.default_rng(0))
    assert part is not None
    assert len(part.blocks) == 16
    assert 1_200 < part.n < 1_800
    tiny = Statistics.of(risks.votes.take(slice(0, 60)))
    assert part_of(tiny, 1, np.random.default_rng(0)) is None


def test_known_answer_corrections_between_two_numbers_of_labels(risks: Risks) -> None:
    curve = risks.labeled
    sizes_, found = zip(*curve.corrections.items(), strict=True)
    plain = LearningCurve(curve.curve, curve.points, {})
    middle = float(np.sqrt(sizes_[0] * sizes_[1]))
    added = curve.at(middle).value - plain.at(middle).value
    assert added == pytest.approx((found[0].value + found[1].value) / 2)
    assert curve.at(10**6).value - plain.at(10**6).value == pytest.approx(found[-1].value)
    assert curve.at(1).value - plain.at(1).value == pytest.approx(found[0].value)
    many = np.array([7.0, 33.0, 90.0, 5_000.0])
    np.testing.assert_allclose(curve.values(many), [curve.at(n).value for n in many])


def test_invariant_the_same_seed_gives_the_same_bits(risks: Risks) -> None:
    votes = paper_model(5).sample(3_000, 0)
    again = measure_risks(votes, GoldPoints.of(votes, votes.own_gold).take(slice(0, 120)), SETTINGS)
    assert again.combined.curve.at(100).value == risks.combined.curve.at(100).value
    assert again.median.per_point.value == risks.median.per_point.value


def test_progress_reaches_its_end() -> None:
    votes = paper_model(0).sample(300, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 40))
    seen: list[tuple[int, int]] = []
    measure_risks(votes, gold, SETTINGS, lambda *at: seen.append(at))
    assert seen[-1][0] == seen[-1][1] == len(seen)
