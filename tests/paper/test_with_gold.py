from __future__ import annotations

import re

import numpy as np
import pytest
from simulate import draw_votes, sample, some_gold, symmetric_conditionals

from carob import InputError, LabelModel, NotIdentifiedError, Votes
from carob.paper import posterior
from carob.paper.accuracy_blend import blend
from carob.paper.combine import green_strawderman
from carob.paper.count import count
from carob.paper.datasets import load_imdb, paper_model
from carob.paper.recalibrate import recalibrate
from carob.paper.votes_fit import fit_votes
from carob.paper.with_gold import VARIANCE, add_gold
from carob.posterior.losses import score
from carob.posterior.settings import Aggregate, Method, Settings
from carob.votes import Gold, GoldPoints


def test_recalibration_learns_from_points_that_the_blend_has_not_seen() -> None:
    votes = sample(800)
    settings = Settings(class_balance=0.5)
    votes_fit = fit_votes(count(votes, settings), None, settings)
    points = GoldPoints.of(votes, some_gold(votes, 50))
    found = add_gold(votes_fit, points, 0)
    assert np.array_equal(found.blend.x, blend(votes_fit.solution, points, VARIANCE).x)
    np.testing.assert_allclose(found.posterior(votes).sum(axis=1), 1)
    # The recalibration of one point left out at a time differs from that of points the blend has seen.
    seen = votes_fit.model_of(found.blend.x)
    careless = recalibrate(posterior(points.votes, seen), points, np.array([0.5, 0.5]), 0.05, 1.0, -0.3)
    assert careless.weight @ careless.slope > found.recalibration.weight @ found.recalibration.slope


@pytest.mark.slow
def test_imdb_combination_beats_its_parts_and_green_strawderman() -> None:
    """The paper's combined table, with class balance known, averaged over draws of gold."""
    votes = load_imdb()
    for n in (40, 120, 400):
        found: dict[str, list[tuple[float, float]]] = {}
        for seed in range(25):
            order = np.random.default_rng(seed).permutation(50_000)
            train, test = votes.take(order[:40_000]), votes.take(order[40_000:])
            gold = train.code_gold(np.where(np.arange(40_000) < n, train.own_gold.values, -1))
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
                measured = score(p, test.own_gold)
                found.setdefault(name, []).append((measured.loss, measured.f1))
        mean = {name: np.mean(values, axis=0) for name, values in found.items()}
        for name in ("unlabeled", "labeled", "Green-Strawderman"):
            assert mean["ours"][0] < mean[name][0] + 0.002, (n, mean)
            assert mean["ours"][1] > mean[name][1] - 0.003, (n, mean)


def test_without_gold_it_is_the_unlabeled_model_and_few_labels_change_nothing() -> None:
    votes = sample()
    plain = LabelModel("median", class_balance=0.5, replicates=0).fit(votes)
    few = LabelModel("median", class_balance=0.5, replicates=0).fit(votes, some_gold(votes, 9))
    assert np.array_equal(few.predict_proba(votes), plain.predict_proba(votes))
    assert few.fitted_.recalibration is None


def test_with_gold_for_all_points_it_tends_to_the_labeled_model() -> None:
    truth = paper_model(5)
    votes = truth.sample(20_000, 0)
    combined = LabelModel(method="combined", class_balance=0.5, replicates=0).fit(votes, votes.gold)
    counted = LabelModel(method="labeled", class_balance=0.5).fit(votes, votes.gold)
    np.testing.assert_allclose(combined.source_table_.accuracy, counted.source_table_.accuracy, atol=0.01)
    assert re.search(r"make up (9\d|100)%", combined.explain())


@pytest.mark.parametrize("aggregate", [None, "median"])  # the default, and triplets
@pytest.mark.parametrize("kind", ["one label", "one class"])
def test_little_gold_does_not_hurt(kind: str, aggregate: Aggregate | None) -> None:
    losses = []
    for seed in range(10):
        votes = sample(3_000, seed)
        gold = some_gold(votes, 1 if kind == "one label" else 60, seed)
        if kind == "one class":
            gold = Gold(np.where(gold.values == 1, 1, -1).astype(np.int8), votes.classes)
        before = LabelModel(aggregate, class_balance=0.5, replicates=0).fit(votes)
        after = LabelModel(aggregate, class_balance=0.5, replicates=0).fit(votes, gold)
        losses.append([score(model.predict_proba(votes), votes.own_gold).loss for model in (before, after)])
    before_loss, after_loss = np.mean(losses, axis=0)
    assert after_loss < before_loss + 0.02


@pytest.mark.parametrize("aggregate", [None, "median"])
def test_more_gold_makes_better_labels_where_sources_depend(aggregate: Aggregate | None) -> None:
    truth = paper_model(5)
    votes = truth.sample(10_000, 0)
    losses = []
    for n in (0, 50, 500, 5_000):
        model = LabelModel(aggregate, class_balance=0.5, replicates=0).fit(votes, some_gold(votes, n) if n else None)
        losses.append(score(model.predict_proba(votes), votes.own_gold).loss)
    assert losses[1:] == sorted(losses[1:], reverse=True)
    assert losses[-1] < losses[0]
    assert losses[-1] < truth.conditional_entropy + 0.012


@pytest.mark.parametrize("method", ["auto", "combined"])
def test_three_classes(method: Method) -> None:
    votes = draw_votes(
        np.random.default_rng(0), 3_000, symmetric_conditionals([0.6, 0.7, 0.65, 0.7, 0.6], 3, 0.2), [0.5, 0.3, 0.2]
    )
    model = LabelModel(method=method, replicates=0).fit(votes, some_gold(votes, 100))
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
        LabelModel(method="triplets").fit(table)
    few = np.where(np.arange(4_000) < 200, truth, -1)
    model = LabelModel(method="combined", replicates=20).fit(table, few)
    assert "learned from gold alone" in model.explain()
    assert model.score(table, truth) > 0.75
    assert LabelModel().fit(table).score(table, truth) > 0.7  # votes tell, together
    assert LabelModel().fit(table, few).score(table, truth) > 0.75
