from __future__ import annotations

import numpy as np
import pytest

from carob import LabelModel
from carob.paper.datasets import paper_model
from carob.paper.kinds import ClassConditional, Kind, Symmetric
from carob.posterior.losses import log_losses
from carob.value.gold_alone import (
    LARGEST_PART,
    PARTS,
    GoldAlone,
    gold_alone,
    labeled_probabilities,
    left_out_probabilities,
)
from carob.votes import Gold, GoldPoints, Votes


def groups(m: int) -> tuple[tuple[int, ...], ...]:
    return tuple((i,) for i in range(m))


def silent_votes() -> Votes:
    """Three sources of which nobody votes on some points."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    values = np.where(rng.random((400, 3)) < 0.75, truth[:, None], 1 - truth[:, None])
    values[rng.random((400, 3)) < 0.5] = -1
    return Votes.from_array(values, gold=truth, abstain=-1)


@pytest.mark.parametrize("given", [np.array([0.4, 0.6]), None])
@pytest.mark.parametrize("kind", [ClassConditional(), Symmetric()])
def test_oracle_the_models_are_those_of_label_model(kind: Kind, given: np.ndarray | None) -> None:
    votes = silent_votes()
    points = GoldPoints.of(votes, votes.own_gold)
    seen = np.zeros((2, 400), dtype=bool)
    seen[0, :60] = seen[1, 100:130] = True
    asked = votes.take(slice(0, 300))
    found = labeled_probabilities(points, seen, given, kind, groups(3), asked)
    for row in range(2):
        gold = Gold(np.where(seen[row], points.truth, -1).astype(np.int8), votes.classes)
        balance = None if given is None else given.tolist()
        model = LabelModel(method="labeled", class_balance=balance, symmetric=isinstance(kind, Symmetric))
        np.testing.assert_allclose(found[row], model.fit(votes, gold).predict_proba(asked), rtol=1e-9)


def test_each_point_is_told_by_gold_of_the_other_parts() -> None:
    votes = silent_votes()
    points = GoldPoints.of(votes, votes.own_gold).take(slice(0, 60))
    found = left_out_probabilities(points, None, ClassConditional(), groups(3), np.random.default_rng(0))
    fold = np.random.default_rng(0).permutation(60) % PARTS
    own = np.flatnonzero(fold == fold[7])
    for turned in (False, True):  # labels of its own part say nothing of a point
        truth = np.where(turned & np.isin(np.arange(60), own), 1 - points.truth, points.truth).astype(np.int8)
        gold = Gold(np.where(fold != fold[7], truth, -1).astype(np.int8), votes.classes)
        model = LabelModel(method="labeled").fit(points.votes, gold)
        np.testing.assert_allclose(found[own], model.predict_proba(points.votes.take(own)), rtol=1e-9)


def test_recovery_the_curve_against_fresh_points() -> None:
    truth = paper_model(0)
    votes, fresh = truth.sample(300, 0), truth.sample(4_000, 1)
    points = GoldPoints.of(votes, votes.own_gold)
    found = gold_alone(points, np.array([0.5, 0.5]), Symmetric(), groups(truth.m), np.random.default_rng(0))
    assert found.sizes[0] == 5
    assert found.sizes[-1] == int(LARGEST_PART * 300)
    rng = np.random.default_rng(2)
    for k in (3, len(found.sizes) - 1):
        naive = []
        for _ in range(40):
            rows = rng.permutation(300)[: found.sizes[k]]
            gold = Gold(np.where(np.isin(np.arange(300), rows), points.truth, -1).astype(np.int8), votes.classes)
            model = LabelModel(method="labeled", class_balance=0.5, symmetric=True).fit(votes, gold)
            p = model.predict_proba(fresh)[np.arange(4_000), fresh.own_gold.values]
            naive.append(log_losses(p).mean())
        error = found.losses[k].std() / np.sqrt(300) + np.std(naive) / np.sqrt(40)
        assert abs(found.losses[k].mean() - np.mean(naive)) < 3 * error


def test_more_gold_is_better_on_the_whole() -> None:
    votes = paper_model(0).sample(400, 3)
    points = GoldPoints.of(votes, votes.own_gold)
    found = gold_alone(points, None, Symmetric(), groups(len(votes.sources)), np.random.default_rng(0))
    assert found.losses[-1].mean() < found.losses[3].mean() < found.losses[0].mean()


def test_known_answer_a_constant_plus_c_over_n_is_drawn_on_exactly() -> None:
    sizes = np.array([5, 10, 20, 40, 80])
    losses = 0.3 + 2 / sizes[:, None] + np.arange(3) / 10
    found = GoldAlone(sizes, losses).beyond(np.array([100.0, 1e9]))
    np.testing.assert_allclose(found, [[0.32, 0.42, 0.52], [0.3, 0.4, 0.5]], atol=1e-8)
