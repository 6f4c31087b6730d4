from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from simulate import draw_votes, held_sparsely, make_votes, some_gold, symmetric_conditionals

from carob import InputError, LabelModel, NotIdentifiedError, load
from carob._kernels import threads
from carob.count.moments import Moments
from carob.count.statistics import Statistics
from carob.paper import tensors, triplets
from carob.paper.settings import TripletSettings
from carob.paper.tensor_fit import PRIOR_COUNTS, GoldCounts, TensorFit, joint_table
from carob.posterior.source_model import SourceModel
from carob.votes import GoldPoints, Votes

BALANCE = [0.2, 0.3, 0.5]


def sample(n: int = 3_000, m: int = 6, K: int = 3, seed: int = 0, abstain: float = 0.1) -> Votes:
    tables = symmetric_conditionals(np.linspace(0.6, 0.85, m), K, abstain)
    balance = BALANCE if K == 3 else np.full(K, 1 / K)
    return draw_votes(np.random.default_rng(seed), n, tables, balance)


def fitted(votes: Votes, gold: Any = None, **options: Any) -> LabelModel:
    return LabelModel(method="tensors", **({"replicates": 0} | options)).fit(votes, gold)


def test_the_function_and_the_model_say_the_same() -> None:
    votes = sample()
    one, two = tensors(votes), fitted(votes).source_model_
    np.testing.assert_array_equal(one.conditionals, two.conditionals)
    np.testing.assert_array_equal(one.class_balance, two.class_balance)
    assert fitted(votes).explain() == (
        "Votes: the median over triples of single sources, a table per source, from 3,000 points."
    )


def test_of_two_classes_they_are_class_conditional_triplets_but_for_noise() -> None:
    votes = sample(40_000, K=2, abstain=0.0)
    found = tensors(votes, class_balance=0.5)
    other = triplets(Moments.of(votes), class_balance=0.5, symmetric=False)
    np.testing.assert_allclose(found.accuracy, other.accuracy, atol=0.01)


def test_class_balance_given_is_kept_and_labels_are_good() -> None:
    votes = sample()
    model = fitted(votes, class_balance=BALANCE)
    np.testing.assert_allclose(model.class_balance_, BALANCE)
    assert model.score(votes, votes.own_gold) > 0.93
    table = model.sources_
    assert list(table["accuracy"]) == sorted(table["accuracy"])


def test_votes_held_sparsely_and_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = sample(800, 9, abstain=0.7)
    expected = fitted(votes, replicates=20)
    monkeypatch.setattr(threads, "THREADS", 1)
    for other in (fitted(held_sparsely(votes), replicates=20), fitted(votes, replicates=20)):
        np.testing.assert_array_equal(other.source_model_.conditionals, expected.source_model_.conditionals)
        np.testing.assert_array_equal(other.source_table_.low, expected.source_table_.low)


def test_a_model_that_was_saved_says_the_same(tmp_path: Any) -> None:
    votes = sample(500)
    model = fitted(votes, known_pairs=[(0, 1)])
    model.save(tmp_path / "model.json")
    np.testing.assert_allclose(load(tmp_path / "model.json").predict_proba(votes), model.predict_proba(votes))


@pytest.mark.slow
@pytest.mark.parametrize("gold", [0, 60])
def test_coverage(gold: int) -> None:
    """Intervals at 90 % cover accuracies and class balance in at least 83 % of cases, beyond binomial noise."""
    accuracies, covered, balances = np.linspace(0.6, 0.85, 6), [], []
    for seed in range(25):
        votes = sample(2_000, seed=seed)
        model = fitted(votes, some_gold(votes, gold, seed) if gold else None, replicates=60)
        found = model.source_table_
        covered.append(np.mean((found.low <= accuracies) & (accuracies <= found.high)))
        low, high = model.class_balance_low_, model.class_balance_high_
        balances.append(np.mean((low <= BALANCE) & (high >= BALANCE)))
    for share in (covered, balances):
        assert np.mean(share) >= 0.83 - 2 * np.std(share) / math.sqrt(len(share))
    assert np.mean(covered) < 0.99


def test_negative_control_narrow_intervals_do_not_cover() -> None:
    accuracies, covered = np.linspace(0.6, 0.85, 6), []
    for seed in range(10):
        found = fitted(sample(1_000, seed=seed), replicates=40, level=0.3).source_table_
        covered.append(np.mean((found.low <= accuracies) & (accuracies <= found.high)))
    assert 0.05 < np.mean(covered) < 0.6


def test_intervals_narrow_with_points_and_progress_is_told() -> None:
    widths = []
    for n in (1_500, 24_000):
        found = fitted(sample(n), replicates=50).source_table_
        widths.append(np.mean(found.high - found.low))
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.4)
    steps: list[tuple[int, int]] = []
    LabelModel(method="tensors", replicates=20).fit(sample(300), progress=lambda *at: steps.append(at))
    assert steps == [(8, 20), (16, 20), (20, 20)]
    assert np.isnan(fitted(sample(300)).source_table_.low).all()


# Gold.


def table_of(seed: int, K: int = 3, m: int = 4) -> npt.NDArray[np.float64]:
    return np.random.default_rng(seed).dirichlet(np.array([1.0, *np.full(K, 2.0)]), (m, K))


def drawn_gold(tables: npt.NDArray[np.float64], n: int, seed: int = 0) -> GoldPoints:
    votes = draw_votes(np.random.default_rng(seed), n, tables, BALANCE)
    return GoldPoints.of(votes, votes.own_gold)


def test_known_answer_gold_is_added_as_counts() -> None:
    tables = table_of(0)
    points = drawn_gold(tables, 50)
    found = GoldCounts.of(points, 32, tables)
    counts = np.zeros((4, 3, 4))
    for y, row in zip(points.truth, points.votes.values, strict=True):
        for i in range(4):
            counts[i, y, row[i] + 1] += 1
    np.testing.assert_array_equal(found.outputs.sum(axis=0), counts)
    np.testing.assert_array_equal(found.truth.sum(axis=0), points.counts)
    expected = found.prior * tables + counts
    np.testing.assert_allclose(found.blended(tables), expected / expected.sum(axis=2, keepdims=True))
    ones = np.ones(32, dtype=np.int64)
    np.testing.assert_allclose(found.blended(tables, ones), found.blended(tables))
    assert found.weight == pytest.approx(np.mean(points.counts / (points.counts + found.prior)))


def test_gold_that_agrees_with_votes_makes_their_tables_worth_much_and_other_gold_little() -> None:
    tables = table_of(0)
    assert GoldCounts.of(drawn_gold(tables, 400), 32, tables).prior >= 100
    assert GoldCounts.of(drawn_gold(table_of(1), 400), 32, tables).prior <= 10
    assert list(PRIOR_COUNTS) == sorted(PRIOR_COUNTS)


def test_gold_helps_with_tables_and_class_balance() -> None:
    votes = sample(400, 6, seed=3)
    truth = symmetric_conditionals(np.linspace(0.6, 0.85, 6), 3, 0.1)
    alone, both = fitted(votes), fitted(votes, some_gold(votes, 300))
    error = [np.abs(model.source_model_.conditionals - truth).mean() for model in (alone, both)]
    assert error[1] < error[0]
    assert np.abs(both.class_balance_ - BALANCE).max() < 0.1
    assert both.explain().endswith("on average.")
    assert "Gold: 300 gold labels added to the tables" in both.explain()


# Known pairs.


def test_known_pairs_are_one_source_with_the_table_that_they_have() -> None:
    rng = np.random.default_rng(0)
    votes = sample(60_000, 7)
    values = votes.values.copy()
    copied = rng.random(len(votes)) < 0.5
    values[copied, 1] = values[copied, 0]
    votes = make_votes(values, 3, votes.own_gold.values)
    model = fitted(votes, known_pairs=[(0, 1)], class_balance=BALANCE)
    assert (0, 1) in model.source_model_.groups
    table = model.source_model_.tables[model.source_model_.groups.index((0, 1))]
    truth = np.zeros((3, 4, 4))
    np.add.at(truth, (votes.own_gold.values, values[:, 0] + 1, values[:, 1] + 1), 1)
    np.testing.assert_allclose(table, truth / truth.sum(axis=(1, 2), keepdims=True), atol=0.02)


def test_exact_joint_table_of_a_group() -> None:
    K, rng = 3, np.random.default_rng(1)
    tables = rng.dirichlet(np.ones(K + 1), (5, K))
    pair = rng.dirichlet(np.ones(16), K).reshape(K, 4, 4)
    n = 10**12
    joint = np.rint(n * np.einsum("y,yuv->uv", BALANCE, pair)).astype(np.int64).ravel()
    with_others = np.zeros((16, 15), dtype=np.int64)
    for i in range(2, 5):
        seen = n * np.einsum("y,yuv,yw->uvw", BALANCE, pair, tables[i])[..., 1:]
        with_others[:, 3 * i : 3 * i + 3] = np.rint(seen).reshape(16, 3)
    tables[0], tables[1] = pair.sum(axis=2), pair.sum(axis=1)
    model = SourceModel.independent(tuple("abcde"), (0, 1, 2), np.array(BALANCE), tables)
    np.testing.assert_allclose(joint_table(joint, with_others, model, (0, 1)), pair, atol=1e-8)
    assert Statistics.of(sample(50), [(0, 1)]).groups[0].joint.shape[1] == 16


# Refusals.


def test_refusals_are_sentences() -> None:
    votes = sample(300)
    with pytest.raises(InputError, match="three sources"):
        tensors(votes.select(votes.sources[:2]))
    with pytest.raises(TypeError, match="tensors takes Votes, not ndarray"):
        tensors(votes.values)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="aggregate must be one of"):
        tensors(votes, "middle")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="class_balance must hold 3"):
        tensors(votes, class_balance=[0.5, 0.5])
    with pytest.raises(InputError, match="known_pairs names 'x'"):
        tensors(votes, known_pairs=[("x", "s1")])
    with pytest.raises(InputError, match="vote the same on every point"):
        tensors(make_votes(np.column_stack([votes.values, np.zeros(300)]), 3))
    with pytest.raises(NotIdentifiedError, match="tells all 3 classes apart"):
        tensors(make_votes(np.random.default_rng(0).integers(0, 3, (300, 5)), 3))
    with pytest.raises(NotIdentifiedError, match="known pairs tie all of them into 2 groups"):
        tensors(votes, known_pairs=[(0, 1), (1, 2), (2, 3), (3, 4)])
    assert TensorFit.of(votes, None, TripletSettings(method="tensors")).gold is None
