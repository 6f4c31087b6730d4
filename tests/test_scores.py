"""Sources that give numbers, all the way: from a table to labels, explanations and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated_scores import KINDS, cut_loss, log_loss, simulated_scores

import carob
from carob import InputError, LabelModel, ReadOptions, Votes, load
from carob.value.advice import DataValue


def mixed(n: int = 800, seed: int = 0) -> tuple[Votes, np.ndarray, dict[str, list[Any]]]:
    """Two judges, a probability and two voters, as a table."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    votes = np.where(rng.random((n, 2)) < 0.75, truth[:, None], 1 - truth[:, None])
    table: dict[str, list[Any]] = {
        "strict_judge": np.clip(np.round(4.5 + 2.5 * (truth - 0.5) + 1.7 * rng.normal(size=n)), 0, 9)
        .astype(int)
        .tolist(),
        "kind_judge": np.clip(np.round(5 + 3 * (truth - 0.5) + 1.5 * rng.normal(size=n)), 0, 9).astype(int).tolist(),
        "prob": (1 / (1 + np.exp(-(4 * (truth - 0.5) + 2 * rng.normal(size=n))))).round(3).tolist(),
        "rule": votes[:, 0].tolist(),
        "crowd": votes[:, 1].tolist(),
    }
    found = carob.read_votes(
        table, options=ReadOptions(kinds={"strict_judge": "score", "kind_judge": "0..9", "prob": "probability"})
    )
    return found, truth, table


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("share", "m"), [(0.5, 4), (0.2, 6)])
def test_recovery_labels_are_within_5_percent_of_one_who_knows_how_judges_score(
    kind: str, share: float, m: int
) -> None:
    ratios = []
    for seed in range(3):
        numbers, truth, best = simulated_scores(kind, 5_000, m, share, seed)
        votes = Votes.from_array(numbers, classes=[0, 1], kinds="score")
        found = log_loss(LabelModel(class_balance=share).fit(votes).predict_proba(votes)[:, 1], truth)
        ratios.append(found / log_loss(best, truth))
    assert np.mean(ratios) < 1.05
    assert found < cut_loss(numbers, truth, share)


def test_probabilities_that_are_too_sure_are_calibrated_with_50_gold_labels() -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(3):
        truth = (rng.random(4_000) < 0.5).astype(int)
        seen = 0.8 * (2 * truth - 1)[:, None] + rng.normal(size=(4_000, 4))
        votes = Votes.from_array(1 / (1 + np.exp(-6 * seen)), kinds="probability")  # where 1.6 would be right
        gold = np.where(rng.permutation(4_000) < 50, truth, -1)
        p = LabelModel(class_balance=0.5).fit(votes, gold).predict_proba(votes)[:, 1]
        bins = np.minimum((10 * p).astype(int), 9)
        gaps = [abs(p[bins == b].mean() - truth[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins)]
        best = log_loss(1 / (1 + np.exp(-1.6 * seen.sum(axis=1))), truth)
        found.append([sum(gaps), log_loss(p, truth) / best])
    calibration_error, ratio = np.mean(found, axis=0)
    assert calibration_error < 0.05
    assert ratio < 1.1


def test_unit_and_direction_of_scores_change_nothing() -> None:
    numbers, _, _ = simulated_scores("plain", 1_500, 5, 0.4, 0)
    one = LabelModel().fit(Votes.from_array(numbers, kinds="score"))
    other = LabelModel().fit(Votes.from_array(7 * numbers + 3, kinds="score"))
    turned = numbers.copy()
    turned[:, 2] *= -1
    third = LabelModel().fit(Votes.from_array(turned, kinds="score"))
    p = one.predict_proba(numbers)
    np.testing.assert_allclose(other.predict_proba(7 * numbers + 3), p, atol=1e-9)
    # A number on an edge is in the bin above it, which turning makes the one below.
    assert np.abs(third.predict_proba(turned) - p).mean() < 0.005


def test_invariant_order_of_points_and_of_sources() -> None:
    votes, _, table = mixed()
    p = LabelModel(class_balance=0.4).fit(votes).predict_proba(votes)
    names = list(table)[::-1]
    other = carob.read_votes({name: table[name] for name in names}, options=ReadOptions(kinds=stated(names)))
    np.testing.assert_allclose(LabelModel(class_balance=0.4).fit(other).predict_proba(other), p, atol=1e-9)


def stated(names: list[str]) -> dict[str, str]:
    kinds = {"strict_judge": "score", "kind_judge": "0..9", "prob": "probability"}
    return {name: kinds[name] for name in names if name in kinds}


def test_a_model_reads_new_numbers_as_it_read_the_first(tmp_path: Path) -> None:
    votes, truth, table = mixed()
    gold = np.where(np.arange(800) < 60, truth, -1)
    model = LabelModel().fit(votes, gold)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    expected = model.predict_proba(votes)
    assert np.array_equal(again.predict_proba(votes), expected)
    few = {name: column[:50] for name, column in table.items()}
    assert np.array_equal(again.predict_proba(few), expected[:50])
    array = np.column_stack([np.array(table[name], dtype=float) for name in votes.sources])
    assert np.array_equal(again.predict_proba(array), expected)
    with pytest.raises(InputError, match=r"kind_judge' holds 12\.0 .*its scores are from 0 to 9"):
        again.predict_proba(few | {"kind_judge": [12] * 50})


def test_a_model_of_votes_takes_no_scores() -> None:
    rng = np.random.default_rng(0)
    votes = {name: rng.integers(0, 2, 60).tolist() for name in "abc"}
    model = LabelModel().fit(carob.read_votes(votes))
    with pytest.raises(InputError, match="a vote is a class, not a measurement"):
        model.predict_proba(votes | {"b": rng.random(60).tolist()})
    long = {"task": [*range(60)] * 3, "worker": [*"abc"] * 60, "label": rng.random(180).tolist()}
    with pytest.raises(InputError, match="a vote is a class, not a measurement"):
        model.predict_proba(long)


def test_damaged_scales_are_refused(tmp_path: Path) -> None:
    votes, _, _ = mixed(200)
    LabelModel().fit(votes).save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    assert '"kind": "score"' in text or '"kind":"score"' in text
    for old, new in (('"score"', '"scare"'), ('"edges"', '"hedges"')):
        (tmp_path / "bad.json").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(InputError):
            load(tmp_path / "bad.json")


def test_explanation_names_the_numbers() -> None:
    votes, _, _ = mixed()
    model = LabelModel().fit(votes)
    said = model.explain(votes.take(np.array([0])))
    assert "strict_judge gives " in said
    assert "rule votes " in said
    assert len(said.splitlines()) == 6


def test_sources_are_as_good_as_their_best_cut() -> None:
    votes, truth, table = mixed(4_000)
    model = LabelModel(class_balance=0.4).fit(votes)
    accuracies = dict(zip(model.source_table_.source, model.source_table_.accuracy, strict=True))
    for name in ("strict_judge", "kind_judge", "prob"):
        numbers = np.array(table[name])
        best = max(((numbers > cut) == truth).mean() for cut in np.unique(numbers))
        assert accuracies[name] == pytest.approx(best, abs=0.06)
    found = carob.check(votes)
    assert [score.source for score in found.scores] == ["strict_judge", "kind_judge", "prob"]
    assert all(score.cut is not None and score.quarters[0] <= score.cut <= score.quarters[-1] for score in found.scores)


def test_gold_says_where_one_judge_is_to_be_cut() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(1_000) < 0.75).astype(int)
    numbers = np.clip(np.round(3.5 + 3.5 * truth + rng.normal(0, 1.6, 1_000)), 1, 10)
    votes = Votes.from_array(numbers[:, None], classes=[0, 1], kinds="score")
    gold = votes.code_gold(np.where(np.arange(1_000) < 60, truth, -1))
    (score,) = carob.check(votes, gold).scores
    best = max(((numbers > cut) == truth).mean() for cut in np.arange(1, 10) + 0.5)
    assert score.cut is not None
    assert ((numbers > score.cut) == truth).mean() > best - 0.02


def test_value_weighs_labels_from_scores() -> None:
    votes, truth, _ = mixed()
    gold = np.where(np.arange(800) < 60, truth, -1)
    found = carob.data_value(votes, gold)
    assert isinstance(found, DataValue)
    hidden = LabelModel().fit(votes, gold).predict_proba(votes)[np.arange(60, 800), truth[60:]]
    both = found.scores[-1]
    assert both.loss_low <= -np.log(hidden).mean() <= both.loss_high


def test_without_gold_scores_are_taken_as_the_votes_that_they_come_to() -> None:
    rng = np.random.default_rng(0)
    _, _, table = mixed()
    noise = carob.read_votes(
        table | {"noise": (50 * rng.random(800)).tolist()},
        options=ReadOptions(kinds=stated(list(table)) | {"noise": "score"}),
    )
    found = carob.data_value(noise, model=LabelModel(class_balance=0.1))
    assert found.kind == "cannot tell"
    assert found.n_unlabeled == 800


@pytest.mark.parametrize("method", ["labeled", "tensors"])
def test_some_methods_take_votes_alone(method: Any) -> None:
    votes, truth, _ = mixed()
    with pytest.raises(InputError, match=r"learns from votes, and 'strict_judge', 'kind_judge', 'prob' give scores"):
        LabelModel(method=method).fit(votes, truth)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.5, 0.2])
def test_recovery_triplets_of_scores_are_near_the_best(kind: str, share: float) -> None:
    numbers, truth, best = simulated_scores(kind, 5_000, 8, share, 0)
    votes = Votes.from_array(numbers, classes=[0, 1], kinds="score")
    model = LabelModel(method="triplets", class_balance=share).fit(votes)
    found = log_loss(model.predict_proba(votes)[:, 1], truth)
    assert log_loss(best, truth) <= found < 1.15 * log_loss(best, truth)
    assert found < cut_loss(numbers, truth, share)


@pytest.mark.parametrize("options", [{"method": "triplets", "class_balance": 0.4}, {"method": "triplets"}])
def test_triplets_take_scores_beside_votes(options: dict[str, Any], tmp_path: Path) -> None:
    votes, truth, _ = mixed()
    gold = np.where(np.arange(800) < 100, truth, -1)
    model = LabelModel(**options).fit(votes, gold)
    assert model.score(votes, truth) > 0.88
    counted = [np.mean(votes.as_voted(model.fit_.bin_classes).values[:, i] == truth) for i in range(5)]
    np.testing.assert_allclose(model.source_table_.accuracy, counted, atol=0.06)
    assert ((model.source_table_.low < counted) & (counted < model.source_table_.high)).sum() >= 4
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict_proba(votes), model.predict_proba(votes))
    assert "strict_judge" in model.explain({"strict_judge": 9, "prob": 0.1})


def test_more_than_two_classes_take_scores_beside_votes() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 3_000)
    votes = np.where(rng.random((3_000, 4)) < 0.6, truth[:, None], rng.integers(0, 3, (3_000, 4)))
    judge = truth + rng.normal(0, 0.6, 3_000)
    table = {f"v{i}": votes[:, i].tolist() for i in range(4)}
    without = carob.read_votes(table)
    with_judge = carob.read_votes(table | {"judge": judge.tolist()}, options=ReadOptions(kinds={"judge": "score"}))
    losses = []
    for data in (without, with_judge):
        p = LabelModel().fit(data).predict_proba(data)
        losses.append(-np.log(p[np.arange(3_000), truth]).mean())
    assert losses[1] < losses[0] - 0.05


def test_held_sparsely() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    rows = [(t, w, truth[t] + rng.normal(0, 0.5)) for t in range(400) for w in rng.choice(60, 4, replace=False)]
    task, worker, label = map(list, zip(*rows, strict=True))
    votes = carob.read_votes({"task": task, "worker": worker, "label": label}, options=ReadOptions(kinds="score"))
    assert type(votes.storage).__name__ == "Sparse"
    p = LabelModel().fit(votes).predict_proba(votes)
    right = p.argmax(axis=1) == truth[np.asarray(votes.keys, dtype=int)]
    assert right.mean() > 0.9
