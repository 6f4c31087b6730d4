from __future__ import annotations

import numpy as np
import pytest

from karat import LabelModel, expected_loss
from karat.datasets import paper_model
from karat.estimate.settings import Settings
from karat.losses import log_losses
from karat.naive_bayes import posterior
from karat.statistics import Statistics
from karat.value.risks import Risks, measure_risks
from karat.value.unlabeled_risk import part_of
from karat.votes import GoldPoints

SETTINGS = Settings(class_balance=0.5, symmetric=True)


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


def test_parts_are_blocks_and_too_small_ones_are_none(risks: Risks) -> None:
    statistics = Statistics.of(risks.votes)
    part = part_of(statistics, 16, np.random.default_rng(0))
    assert part is not None
    assert len(part.blocks) == 16
    assert 1_200 < part.n < 1_800
    tiny = Statistics.of(risks.votes.take(slice(0, 60)))
    assert part_of(tiny, 1, np.random.default_rng(0)) is None
