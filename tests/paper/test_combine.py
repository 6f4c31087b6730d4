from __future__ import annotations

import numpy as np
import pytest
from simulate import sample, some_gold

from carob import InputError, Moments
from carob.paper import expected_loss, labeled, posterior, triplets
from carob.paper.combine import green_strawderman, linear, optimal_weight
from carob.paper.datasets import paper_model
from carob.paper.theory.ising import accuracy_model
from carob.posterior.losses import score


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
