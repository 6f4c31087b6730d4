from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, log_loss

from carob import Gold, InputError
from carob.posterior.losses import score


def test_oracle_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1], 500)
    truth = np.where(rng.random(500) < 0.3, -1, rng.integers(0, 2, 500)).astype(np.int8)
    known = truth >= 0
    found = score(p, Gold(truth, (0, 1)))
    guess = p.argmax(axis=1)
    assert found.points == known.sum()
    assert found.accuracy == pytest.approx(accuracy_score(truth[known], guess[known]))
    assert found.f1 == pytest.approx(f1_score(truth[known], guess[known]))
    assert found.loss == pytest.approx(log_loss(truth[known], p[known, 1]), rel=1e-6)


def test_certain_and_wrong_costs_what_the_paper_makes_it_cost() -> None:
    found = score(np.array([[1.0, 0.0]]), Gold(np.array([1], dtype=np.int8), (0, 1)))
    assert found.loss == pytest.approx(-np.log(1e-6))


def test_three_classes_have_no_f1_and_no_gold_is_refused() -> None:
    gold = Gold(np.array([2], dtype=np.int8), (0, 1, 2))
    assert np.isnan(score(np.array([[0.2, 0.3, 0.5]]), gold).f1)
    with pytest.raises(InputError, match="no gold label"):
        score(np.array([[0.5, 0.5]]), Gold(np.array([-1], dtype=np.int8), (0, 1)))
