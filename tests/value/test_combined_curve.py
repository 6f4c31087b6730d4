from __future__ import annotations

import numpy as np

from karat import LabelModel
from karat.datasets import paper_model
from karat.estimate.settings import Settings
from karat.losses import score
from karat.value.combined_curve import cross_validated, losses, sizes
from karat.value.risks import Risks
from karat.votes import Gold

SETTINGS = Settings(class_balance=0.5, symmetric=True)


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


def test_numbers_of_labels_that_are_tried() -> None:
    assert sizes(5) == [10, 20, 40]
    assert sizes(100) == [10, 20, 40, 80, 160, 320]
    assert sizes(10_000)[-1] == sizes(500)[-1] == 1_280
