from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t
from sklearn.metrics import accuracy_score, f1_score, log_loss

from carob import Gold, InputError
from carob.posterior.intervals import student, wilson
from carob.posterior.losses import CrossScore, log_losses, score


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


def test_oracle_a_score_has_wilsons_interval_and_students() -> None:
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
    truth = np.array([0, 1, 1, 1], dtype=np.int8)
    found = CrossScore.of("x", p, truth, np.ones(4), 0.8)
    losses = -np.log([0.9, 0.8, 0.4, 0.7])
    assert (found.name, found.accuracy) == ("x", 0.75)
    low, high = wilson(np.array([3]), np.array([4]), 0.8)
    assert (found.accuracy_low, found.accuracy_high) == (low[0], high[0])
    assert found.loss == pytest.approx(losses.mean())
    assert found.loss_low == pytest.approx(max(losses.mean() - student(0.8, 3) * losses.std(ddof=1) / 2, 0))
    doubt = np.array([0.1, 0.2, 0.4, 0.3])
    more = np.append(losses, (doubt * -np.log(doubt)).sum() / doubt.sum())  # and one label more, which is wrong
    assert found.loss_high == pytest.approx(more.mean() + student(0.8, 4) * more.std(ddof=1) / 5**0.5)


def test_oracle_weights_are_points_that_stand_there_again() -> None:
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
    truth = np.array([0, 1, 1, 1], dtype=np.int8)
    times = np.array([1, 3, 2, 2])
    weighed = CrossScore.of("x", p, truth, times.astype(float), 0.8)
    again = CrossScore.of("x", np.repeat(p, times, axis=0), np.repeat(truth, times), np.ones(8), 0.8)
    assert (weighed.accuracy, weighed.loss) == pytest.approx((again.accuracy, again.loss))
    assert weighed.loss_low < again.loss_low  # four points, not eight


@pytest.mark.parametrize("n", [25, 60, 200])
def test_coverage_where_hardly_a_label_is_wrong(n: int) -> None:
    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Labels whose probabilities are right, of which one in seventy or so is wrong."""
        doubt = np.exp(rng.uniform(np.log(1e-4), np.log(0.1), n))
        return np.stack([1 - doubt, doubt], axis=1), (rng.random(n) < doubt).astype(np.int8)

    rng = np.random.default_rng(0)
    p, y = drawn(rng, 1_000_000)
    truth = log_losses(p[np.arange(len(y)), y]).mean()
    covered, plain = 0, 0
    for _ in range(400):
        p, y = drawn(rng, n)
        found = CrossScore.of("x", p, y, np.ones(n), 0.9)
        losses = log_losses(p[np.arange(n), y])
        covered += found.loss_low <= truth <= found.loss_high
        plain += abs(losses.mean() - truth) <= t.ppf(0.95, n - 1) * losses.std(ddof=1) / n**0.5
    assert covered >= 400 * 0.9 - 3 * (400 * 0.9 * 0.1) ** 0.5
    assert plain < 400 * 0.86  # negative control: what gold does not show is not in its losses
