from __future__ import annotations

import numpy as np
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, symmetric_conditionals

from karat import (
    InputError,
    LabelModel,
    Moments,
    NotIdentifiedError,
    Votes,
    expected_loss,
    labeled,
    posterior,
    triplets,
)
from karat.datasets import load_imdb, paper_model
from karat.estimate.combine import green_strawderman, linear, optimal_weight
from karat.calibrate.recalibrate import recalibrate
from karat.losses import score
from karat.theory.ising import accuracy_model
from karat.votes import Gold


def some_gold(votes: Votes, n: int, seed: int = 0) -> Gold:
    assert votes.gold is not None
    shuffled = np.random.default_rng(seed).permutation(len(votes))
    return Gold(np.where(shuffled < n, votes.gold.values, -1).astype(np.int8), votes.classes)


def sample(n: int = 5_000, seed: int = 0, balance: float = 0.5) -> Votes:
    conditionals = symmetric_conditionals(PAPER_ACCURACIES)
    return draw_votes(np.random.default_rng(seed), n, conditionals, [1 - balance, balance])


def test_linear_mixes_probabilities_and_its_ends_are_the_models() -> None:
    one, two = accuracy_model([0.2, 0.4, 0.6]), accuracy_model([0.4, 0.2, 0.0])
    np.testing.assert_allclose(
        linear(one, two, 0.25).model.conditionals, 0.25 * one.conditionals + 0.75 * two.conditionals
    )
    np.testing.assert_allclose(linear(one, two, 1).model.conditionals, one.conditionals)
    np.testing.assert_allclose(linear(one, two, 0).model.conditionals, two.conditionals)
    with pytest.raises(InputError, match="between 0 and 1"):
        linear(one, two, 1.1)
    with pytest.raises(InputError, match="same sources"):
        linear(one, accuracy_model([0.1]), 0.5)


def test_optimal_weight_is_the_best_of_the_grid() -> None:
    truth = paper_model(5)
    one, two = accuracy_model(truth.a + 0.1), accuracy_model(truth.a - 0.1)
    best = optimal_weight(one, two, loss=lambda model: expected_loss(truth, model).value)
    losses = [expected_loss(truth, linear(one, two, w).model).value for w in np.linspace(0, 1, 101)]
    assert best.weight == pytest.approx(np.argmin(losses) / 100)
    votes = truth.sample(2_000, 0)
    held = optimal_weight(one, two, votes=votes, gold=votes.gold)
    assert votes.gold is not None
    assert score(posterior(votes, held.model), votes.gold).loss <= score(posterior(votes, one), votes.gold).loss
    with pytest.raises(InputError, match="either by loss"):
        optimal_weight(one, two)


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_green_strawderman_weight_by_hand(covariance: str, symmetric: bool) -> None:
    votes = sample(400)
    gold = some_gold(votes, 400)
    unlabeled, with_gold = triplets(Moments.of(votes)), labeled(votes, gold, class_balance=0.5)
    found = green_strawderman(unlabeled, with_gold, votes, gold, covariance=covariance, symmetric=symmetric)  # type: ignore[arg-type]
    if symmetric:
        gap = with_gold.accuracy - unlabeled.accuracy
        right = (votes.values == gold.values[:, None]).astype(float)
        sigma = np.cov(right.T, bias=True) / 400
        np.fill_diagonal(sigma, with_gold.accuracy * (1 - with_gold.accuracy) / 400)
    else:
        gap = np.concatenate([(with_gold.conditionals - unlabeled.conditionals)[:, y, 2] for y in (1, 0)])
        sigma = np.zeros((20, 20))
        for k, y in enumerate((1, 0)):
            ones = (votes.values[gold.values == y] == 1).astype(float)
            part = np.cov(ones.T, bias=True) / len(ones)
            p = with_gold.conditionals[:, y, 2]
            np.fill_diagonal(part, p * (1 - p) / len(ones))
            sigma[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = part
    if covariance == "diagonal":
        sigma = np.diag(np.diagonal(sigma))
    assert found.weight == pytest.approx(min(8 / (gap @ np.linalg.solve(sigma, gap)), 1), rel=1e-6)
    with pytest.raises(InputError, match=r"between 0 and 2 \(m - 2\) = 16"):
        green_strawderman(unlabeled, with_gold, votes, gold, r=17)


@pytest.mark.slow
def test_imdb_combination_beats_its_parts_and_green_strawderman() -> None:
    """The paper's combined table, with class balance known, averaged over draws of gold."""
    votes = load_imdb()
    assert votes.gold is not None
    for n in (40, 120, 400):
        found: dict[str, list[tuple[float, float]]] = {}
        for seed in range(25):
            order = np.random.default_rng(seed).permutation(50_000)
            train, test = votes.take(order[:40_000]), votes.take(order[40_000:])
            assert train.gold is not None
            assert test.gold is not None
            gold = train.code_gold(np.where(np.arange(40_000) < n, train.gold.values, -1))
            plain = LabelModel(method="triplets", class_balance=0.5, replicates=0).fit(train)
            counted = LabelModel(method="labeled", class_balance=0.5).fit(train, gold)
            mixed = green_strawderman(plain.source_model_, counted.source_model_, train, gold, r=20)
            ours = LabelModel(method="combined", class_balance=0.5, replicates=0).fit(train, gold)
            for name, p in {
                "unlabeled": plain.predict_proba(test),
                "labeled": counted.predict_proba(test),
                "Green-Strawderman": posterior(test, mixed.model),
                "ours": ours.predict_proba(test),
            }.items():
                measured = score(p, test.gold)
                found.setdefault(name, []).append((measured.loss, measured.f1))
        mean = {name: np.mean(values, axis=0) for name, values in found.items()}
        for name in ("unlabeled", "labeled", "Green-Strawderman"):
            assert mean["ours"][0] < mean[name][0] + 0.002, (n, mean)
            assert mean["ours"][1] > mean[name][1] - 0.003, (n, mean)


def test_without_gold_it_is_the_unlabeled_model_and_few_labels_change_nothing() -> None:
    votes = sample()
    plain = LabelModel(class_balance=0.5, replicates=0).fit(votes)
    few = LabelModel(class_balance=0.5, replicates=0).fit(votes, some_gold(votes, 9))
    assert np.array_equal(few.predict_proba(votes), plain.predict_proba(votes))
    assert few.fitted_.recalibration is None


def test_with_gold_for_all_points_it_tends_to_the_labeled_model() -> None:
    truth = paper_model(5)
    votes = truth.sample(20_000, 0)
    combined = LabelModel(class_balance=0.5, replicates=0).fit(votes, votes.gold)
    counted = LabelModel(method="labeled", class_balance=0.5).fit(votes, votes.gold)
    np.testing.assert_allclose(combined.source_table_.accuracy, counted.source_table_.accuracy, atol=0.01)
    assert "gold has a weight of 0.9" in combined.explain() or "gold has a weight of 1.0" in combined.explain()


@pytest.mark.parametrize("kind", ["one label", "one class"])
def test_little_gold_does_not_hurt(kind: str) -> None:
    losses = []
    for seed in range(10):
        votes = sample(3_000, seed)
        assert votes.gold is not None
        gold = some_gold(votes, 1 if kind == "one label" else 60, seed)
        if kind == "one class":
            gold = Gold(np.where(gold.values == 1, 1, -1).astype(np.int8), votes.classes)
        before = LabelModel(class_balance=0.5, replicates=0).fit(votes)
        after = LabelModel(class_balance=0.5, replicates=0).fit(votes, gold)
        losses.append([score(model.predict_proba(votes), votes.gold).loss for model in (before, after)])
    before_loss, after_loss = np.mean(losses, axis=0)
    assert after_loss < before_loss + 0.02


def test_more_gold_makes_better_labels_where_sources_depend() -> None:
    truth = paper_model(5)
    votes = truth.sample(10_000, 0)
    assert votes.gold is not None
    losses = []
    for n in (0, 50, 500, 5_000):
        model = LabelModel(class_balance=0.5, replicates=0).fit(votes, some_gold(votes, n) if n else None)
        losses.append(score(model.predict_proba(votes), votes.gold).loss)
    assert losses[1:] == sorted(losses[1:], reverse=True)
    assert losses[-1] < losses[0]
    assert losses[-1] < truth.conditional_entropy + 0.012


def test_recalibration_finds_the_slope_that_was_taken_away() -> None:
    votes = sample(4_000)
    assert votes.gold is not None
    p = posterior(votes, triplets(Moments.of(votes)))
    odds = np.log(p[:, 1] / p[:, 0])
    sure = 1 / (1 + np.exp(-4 * odds))  # four times too sure
    found = recalibrate(np.stack([1 - sure, sure], axis=1), votes, votes.gold, np.array([0.5, 0.5]))
    again = found.apply(np.stack([1 - sure, sure], axis=1), votes, np.array([0.5, 0.5]))
    assert score(again, votes.gold).loss == pytest.approx(score(p, votes.gold).loss, abs=0.01)
    assert score(np.stack([1 - sure, sure], axis=1), votes.gold).loss > score(again, votes.gold).loss + 0.2
    np.testing.assert_allclose(again.sum(axis=1), 1)


def test_three_classes() -> None:
    votes = draw_votes(
        np.random.default_rng(0), 3_000, symmetric_conditionals([0.6, 0.7, 0.65, 0.7, 0.6], 3, 0.2), [0.5, 0.3, 0.2]
    )
    assert votes.gold is not None
    model = LabelModel(replicates=0).fit(votes, some_gold(votes, 100))
    p = model.predict_proba(votes)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.score(votes, votes.gold) > 0.75
    silent = make_silent(votes)
    np.testing.assert_allclose(model.predict_proba(silent)[0], model.class_balance_)


def make_silent(votes: Votes) -> Votes:
    return Votes(np.full((1, len(votes.sources)), -1, dtype=np.int8), votes.sources, votes.coding)


def test_combined_needs_gold() -> None:
    with pytest.raises(InputError, match="method='combined' learns from gold"):
        LabelModel(method="combined").fit(sample(100))


def test_recovery_a_source_without_a_usable_triplet_is_learned_from_gold() -> None:
    # Four classes, each source votes for one of them only: triplets tell nothing, gold does.
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 4_000)
    mine = np.arange(8) % 4
    votes = rng.random((4_000, 8)) < np.where(truth[:, None] == mine, 0.6, 0.05)
    table = Votes.from_array(np.where(votes, mine, -1))
    with pytest.raises(NotIdentifiedError):
        LabelModel().fit(table)
    few = np.where(np.arange(4_000) < 200, truth, -1)
    model = LabelModel(replicates=20).fit(table, few)
    assert "learned from gold alone" in model.explain()
    assert model.score(table, truth) > 0.75
