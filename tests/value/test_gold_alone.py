from __future__ import annotations

import numpy as np

from carob import LabelModel
from carob.paper.datasets import paper_model
from carob.posterior.losses import log_losses
from carob.value.gold_alone import LARGEST_PART, GoldAlone, gold_alone
from carob.votes import Gold, GoldPoints


def groups(m: int) -> tuple[tuple[int, ...], ...]:
    return tuple((i,) for i in range(m))


def test_recovery_the_curve_against_fresh_points() -> None:
    truth = paper_model(0)
    votes, fresh = truth.sample(300, 0), truth.sample(4_000, 1)
    points = GoldPoints.of(votes, votes.own_gold)
    found = gold_alone(points, np.array([0.5, 0.5]), groups(truth.m), np.random.default_rng(0))
    assert found.sizes[0] == 5
    assert found.sizes[-1] == int(LARGEST_PART * 300)
    rng = np.random.default_rng(2)
    for k in (3, len(found.sizes) - 1):
        naive = []
        for _ in range(40):
            rows = rng.permutation(300)[: found.sizes[k]]
            gold = Gold(np.where(np.isin(np.arange(300), rows), points.truth, -1).astype(np.int8), votes.classes)
            model = LabelModel(method="labeled", class_balance=0.5).fit(votes, gold)
            p = model.predict_proba(fresh)[np.arange(4_000), fresh.own_gold.values]
            naive.append(log_losses(p).mean())
        error = found.losses[k].std() / np.sqrt(300) + np.std(naive) / np.sqrt(40)
        assert abs(found.losses[k].mean() - np.mean(naive)) < 3 * error


def test_more_gold_is_better_on_the_whole() -> None:
    votes = paper_model(0).sample(400, 3)
    points = GoldPoints.of(votes, votes.own_gold)
    found = gold_alone(points, None, groups(len(votes.sources)), np.random.default_rng(0))
    assert found.losses[-1].mean() < found.losses[3].mean() < found.losses[0].mean()


def test_known_answer_a_constant_plus_c_over_n_is_drawn_on_exactly() -> None:
    sizes = np.array([5, 10, 20, 40, 80])
    losses = 0.3 + 2 / sizes[:, None] + np.arange(3) / 10
    found = GoldAlone(sizes, losses).beyond(np.array([100.0, 1e9]))
    np.testing.assert_allclose(found, [[0.32, 0.42, 0.52], [0.3, 0.4, 0.5]], atol=1e-8)
