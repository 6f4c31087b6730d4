from __future__ import annotations

import numpy as np
import pytest

from karat import known_curve, labeled, posterior
from karat.datasets import paper_model
from karat.estimate.count import count
from karat.estimate.settings import Settings
from karat.estimate.votes_fit import VotesFit, fit_votes
from karat.losses import log_losses
from karat.value.labeled_curve import labeled_losses, trials
from karat.value.risks import measure_risks
from karat.votes import Gold, GoldPoints, Votes


def some_votes(K: int, n: int = 300, seed: int = 0) -> Votes:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, K, n)
    values = np.where(rng.random((n, 4)) < 0.6, truth[:, None], rng.integers(0, K, (n, 4)))
    values[rng.random((n, 4)) < 0.2] = -1
    return Votes.from_array(values, classes=list(range(K)), abstain=-1, gold=truth)


def fitted(votes: Votes, symmetric: bool, balance: object, pairs: list[tuple[int, int]]) -> VotesFit:
    settings = Settings(class_balance=balance, symmetric=symmetric, known_pairs=pairs)
    return fit_votes(count(votes, settings), None, settings, partial=True)


@pytest.mark.parametrize(
    ("K", "symmetric", "pairs"),
    [(2, False, []), (2, False, [(0, 2)]), (2, True, []), (3, True, []), (2, True, [(0, 2)]), (3, True, [(0, 2)])],
)
def test_oracle_many_labeled_models_at_once_are_those_of_one_after_another(
    K: int, symmetric: bool, pairs: list[tuple[int, int]]
) -> None:
    votes = some_votes(K)
    rows = votes.take(np.flatnonzero(votes.tally().sum(axis=1)))
    gold = rows.own_gold
    balance = (np.arange(1.0, K + 1) / np.arange(1.0, K + 1).sum()).tolist()
    votes_fit = fitted(votes, symmetric, balance, pairs)
    rng = np.random.default_rng(1)
    samples = [rng.permutation(len(rows))[:80] for _ in range(3)]
    weights = np.zeros((3, len(rows), K))
    for sample, places in zip(weights, samples, strict=True):
        sample[places, gold.values[places]] = 1
    asked = rows.take(slice(0, 50))
    found = labeled_losses(votes_fit, rows, weights, asked)
    assert found.shape == (3, 50, K)
    for places, losses in zip(samples, found, strict=True):
        model = labeled(rows.take(places), gold.take(places), balance, symmetric, votes_fit.groups)
        expected = log_losses(posterior(asked, model))
        if symmetric and pairs:  # an output of the group that the sample never showed is cut, not left out
            model_rows = {tuple(row) for row in rows.take(places).values[:, [0, 2]].tolist()}
            seen = [tuple(row) in model_rows for row in asked.values[:, [0, 2]].tolist()]
            assert np.mean(seen) > 0.5
            odds, wanted = (x[:, 1:] - x[:, :1] for x in (losses, expected))
            close = np.abs(odds - wanted).max(axis=1) < 1e-6
            assert close[seen].mean() > 0.5
        else:
            np.testing.assert_allclose(losses, expected, atol=1e-9)


def test_a_class_without_gold_leaves_the_class_balance() -> None:
    votes = some_votes(2, 40)
    weights = np.zeros((1, 40, 2))
    weights[0, :5, 0] = 1
    losses = labeled_losses(fitted(votes, False, 0.7, []), votes, weights, votes)
    np.testing.assert_allclose(losses[0], np.broadcast_to(-np.log([0.3, 0.7]), (40, 2)))


def test_fewer_labels_are_tried_more_often() -> None:
    assert [trials(n) for n in (5, 120, 121, 1_500, 1_501, 10**6)] == [200, 200, 60, 60, 20, 20]


@pytest.mark.slow
@pytest.mark.parametrize("d", [0, 5])
def test_recovery_the_curve_against_the_exact_one(d: int) -> None:
    truth = paper_model(d)
    votes = truth.sample(4_000, 1)
    few = Gold(np.where(np.arange(4_000) < 1_000, votes.own_gold.values, -1).astype(np.int8), votes.classes)
    settings = Settings(class_balance=0.5, symmetric=True)
    risks = measure_risks(votes, GoldPoints.of(votes, few), settings)
    exact = known_curve(truth, "labeled", [50, 200], 200, 0)
    for n, risk in zip(exact.n, exact.risk, strict=True):
        estimate = risks.labeled.at(n)
        assert abs(estimate.value - risk) < 4 * estimate.error
        assert risks.labeled.values(np.array([n]))[0] == pytest.approx(estimate.value)
