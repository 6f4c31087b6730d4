from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from carob import InputError, LabelModel, NotIdentifiedError, Votes, data_value, plan
from carob.paper.datasets import load_imdb, paper_model
from carob.read.model_file import plain
from carob.value.advice import DataValue
from carob.value.votes_alone import VotesAlone

NAMES = ["majority vote", "votes alone", "gold alone", "votes and gold"]
KEYS = {"n_unlabeled", "n_gold", "scores", "equivalent_labels", "data_value_ratio", "verdict", "curve"}


def sample(d: int, n: int = 2_000, gold: int = 100, seed: int = 0) -> tuple[Votes, np.ndarray]:
    votes = paper_model(d).sample(n, seed)
    labels = np.array(votes.classes)[votes.own_gold.values].astype(object)
    labels[gold:] = None
    return votes, labels


@pytest.mark.slow
def test_known_answer_imdb() -> None:
    votes = load_imdb()
    few = np.where(np.random.default_rng(3).permutation(len(votes)) < 400, votes.own_gold.values, -1)
    found = data_value(votes, few, model=LabelModel(class_balance=0.5))
    assert isinstance(found, DataValue)
    assert (found.n_unlabeled, found.n_gold) == (50_000, 400)
    assert found.equivalent_labels.value > 42  # the paper, by triplets: 42; the default makes more of the same votes
    ratio = found.data_value_ratio
    assert ratio.value == pytest.approx(50_000 / found.equivalent_labels.value)
    assert ratio.low < ratio.value < ratio.high
    _, votes_alone, gold_alone, both = (score.loss for score in found.scores)
    assert max(both, gold_alone) < votes_alone
    assert found.gains["labels"].value > found.gains["points"].value
    content = json.loads(json.dumps(plain(found.to_dict())))
    assert content.keys() >= KEYS
    assert [score["name"] for score in content["scores"]] == NAMES
    assert set(content["curve"][0]) == {"n", "labeled", "unlabeled", "combined"}


def test_the_same_seed_gives_the_same_bits_and_more_gold_narrower_intervals() -> None:
    votes, labels = sample(0)
    first, again = (data_value(votes, labels) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    _, more = sample(0, gold=1_500)
    wider, narrower = (found.to_dict()["scores"][-1] for found in (first, data_value(votes, more)))
    assert narrower["loss_high"] - narrower["loss_low"] < wider["loss_high"] - wider["loss_low"]


def test_several_classes_and_abstains() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 800)
    values = np.where(rng.random((800, 6)) < 0.6, truth[:, None], rng.integers(0, 3, (800, 6)))
    values[rng.random((800, 6)) < 0.3] = -1
    found = data_value(values, np.where(np.arange(800) < 60, truth, -1))
    assert isinstance(found, DataValue)
    assert found.equivalent_labels.low > 20
    spent = plan(values, np.where(np.arange(800) < 60, truth, -1), label_cost=1, point_cost=0.1, budget=50)
    assert spent.cost <= 50


def test_without_gold_votes_tell_of_dependence_alone() -> None:
    independent, _ = sample(0, 20_000)
    dependent, _ = sample(5, 20_000)
    calm, alarmed = data_value(independent), data_value(dependent)
    assert isinstance(calm, VotesAlone)
    assert isinstance(alarmed, VotesAlone)
    assert calm.p_value > 0.001
    assert calm.pairs == ()
    assert alarmed.p_value < 1e-6
    blamed = {(pair.first, pair.second) for pair in alarmed.pairs}
    assert blamed == {(f"s{i}", f"s{i + 1}") for i in range(0, 10, 2)}
    assert 0.5 < alarmed.standing_bias / paper_model(5).inference_bias < 1.25  # the sources of the fit explain a part
    assert "with 20 gold labels I could" in calm.verdict
    assert calm.to_dict().keys() >= KEYS


def test_too_little_gold_cannot_tell() -> None:
    votes, labels = sample(0, gold=5)
    found = data_value(votes, labels)
    assert (found.kind, found.n_gold) == ("cannot tell", 5)
    assert "15 more gold labels" in found.verdict
    with pytest.raises(NotIdentifiedError, match="20 gold labels at least"):
        plan(votes, labels, label_cost=1, point_cost=1, budget=10)


PRICES = [(0.3, 0.01, 25), (1, 1, 0.5), (2, 0, 7), (0, 0.5, 3), (0, 0, 0), (1e-3, 1e9, 1)]


def test_a_plan_is_never_over_budget_and_more_money_never_hurts() -> None:
    votes, labels = sample(5, 600, 60)
    for label_cost, point_cost, budget in PRICES:
        found = plan(votes, labels, label_cost=label_cost, point_cost=point_cost, budget=budget)
        assert found.cost <= budget
        assert found.cost == pytest.approx(found.buy_labels * label_cost + found.buy_points * point_cost)
        assert found.risk_after <= found.risk_before
        assert 60 + found.buy_labels <= 600 + found.buy_points  # a label needs a point
        risks = [purchase.risk for purchase in found.frontier]
        assert all(after <= before + 1e-4 for before, after in pairwise(risks))
        assert all(purchase.cost <= purchase.budget for purchase in found.frontier)


def test_a_flat_curve_keeps_the_money() -> None:
    votes, labels = sample(0, 20_000, gold=10_000)
    found = plan(votes, labels, label_cost=1, point_cost=1, budget=10)
    assert (found.buy_labels, found.buy_points, found.cost) == (0, 0, 0)
    assert "Keep the money" in found.verdict


def test_labels_are_bought_for_points_that_are_there() -> None:
    votes, labels = sample(0, 200, gold=200)
    found = data_value(votes, labels)
    assert isinstance(found, DataValue)
    assert found.gains["labels"].value == 0
    assert "every point has gold" in found.verdict or "too few points" in found.verdict
    assert found.kind != "buy labels"


def test_little_gold_never_says_stop() -> None:
    for seed in range(3):
        votes, labels = sample(0, 3_000, gold=30, seed=seed)
        assert data_value(votes, labels).kind != "stop"


def test_a_source_whose_rare_vote_a_part_of_the_points_lacks() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    values = np.where(rng.random((400, 5)) < 0.8, truth[:, None], 1 - truth[:, None])
    values[:, 4] = 1
    values[7, 4] = 0  # three of four random halves do not have this vote
    found = data_value(values, np.where(np.arange(400) < 40, truth, -1), model=LabelModel(class_balance=0.5))
    assert np.isfinite(found.to_dict()["scores"][-1]["loss"])


def test_refusals() -> None:
    votes, labels = sample(0)
    tiny = plan(votes, labels, label_cost=5e-324, point_cost=1e300, budget=1)
    assert tiny.cost <= 1
    with pytest.raises(InputError, match="budget must be a number of 0 or more"):
        plan(votes, labels, label_cost=1, point_cost=1, budget=-1)
    with pytest.raises(InputError, match="label_cost"):
        plan(votes, labels, label_cost=float("nan"), point_cost=1, budget=1)
    with pytest.raises(InputError, match="method='triplets' is not weighed here"):
        data_value(votes, labels, model=LabelModel(method="triplets"))
    with pytest.raises(InputError, match="level must be"):
        data_value(votes, labels, model=LabelModel(level=1.5))


@pytest.mark.parametrize("label", [-1, 1])
def test_gold_of_one_class_cannot_tell_and_says_so(label: int) -> None:
    votes, _ = sample(0)
    labels = np.full(len(votes), None, dtype=object)
    labels[:30] = label
    found = data_value(votes, labels)
    assert isinstance(found, VotesAlone)
    assert "the 30 gold labels are all of one class; with some of a second class I could" in found.verdict
    with pytest.raises(NotIdentifiedError, match="of two classes or more"):
        plan(votes, labels, label_cost=1, point_cost=1, budget=10)
