from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize
from simulate import PAPER_ACCURACIES, draw_votes, make_votes, symmetric_conditionals

from carob import Moments, Votes
from carob.paper import posterior, triplets
from carob.paper.recalibrate import ENOUGH, EXPONENTS, SLOPES, Recalibration, _fit, recalibrate
from carob.posterior.losses import score
from carob.votes import Gold, GoldPoints

EVEN = np.array([0.5, 0.5])


def sample(n: int, abstain: float = 0.0, seed: int = 0) -> Votes:
    conditionals = symmetric_conditionals(PAPER_ACCURACIES, 2, abstain)
    return draw_votes(np.random.default_rng(seed), n, conditionals, EVEN)


def too_sure(votes: Votes, times: float) -> npt.NDArray[np.float64]:
    p = posterior(votes, triplets(Moments.of(votes), symmetric=True))
    sure = 1 / (1 + np.exp(-times * np.log(p[:, 1] / p[:, 0])))
    return np.stack([1 - sure, sure], axis=1)


def all_points(votes: Votes) -> GoldPoints:
    return GoldPoints.of(votes, votes.own_gold)


def test_recovery_the_slope_that_was_taken_away() -> None:
    votes = sample(4_000)
    right, sure = too_sure(votes, 1), too_sure(votes, 4)
    again = recalibrate(sure, all_points(votes), EVEN, 0.3, 1.0, -0.3).apply(sure, votes, EVEN)
    gold = votes.own_gold
    assert score(again, gold).loss == pytest.approx(score(right, gold).loss, abs=0.01)
    assert score(sure, gold).loss > score(again, gold).loss + 0.2
    np.testing.assert_allclose(again.sum(axis=1), 1)


def test_oracle_a_mixture_point_by_point() -> None:
    votes = sample(40, abstain=0.4)
    p = too_sure(votes, 1)
    balance = np.array([0.4, 0.6])
    scaling = Recalibration(
        np.array([0.7, 0.3]), np.array([0.5, 0.9]), np.array([0.0, 0.5]), np.array([0.2, -0.1]),
        np.array([[0.1, -0.1], [0.0, 0.3]]),
    )  # fmt: skip
    found = scaling.apply(p, votes, balance)
    for row, before, after in zip(votes.values, p, found, strict=True):
        v = (row >= 0).sum()
        expected = np.zeros(2)
        for w, a, g, c, b in zip(
            *(vars(scaling)[k] for k in ("weight", "slope", "exponent", "count", "shift")), strict=True
        ):
            log_likelihood = np.log(before / balance)
            log_likelihood = log_likelihood - log_likelihood.mean()
            tally = np.array([2 * (row == y).sum() / (v + 2) for y in (0, 1)])
            score_y = np.log(balance) + a * (2 / (v + 1)) ** g * log_likelihood + c * tally + b
            expected += w * np.exp(score_y) / np.exp(score_y).sum()
        np.testing.assert_allclose(after, expected if v else balance, atol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
def test_oracle_most_probable_numbers_by_another_optimiser(K: int) -> None:
    rng = np.random.default_rng(0)
    n = 60
    truth = rng.integers(0, K, n).astype(np.int8)
    offset = rng.normal(size=(2, n, K)) + 2 * np.eye(K)[truth] * rng.random((n, 1))
    tally = rng.random((n, K))
    errors = np.array([0.8, *[0.3] * K])
    theta, evidence = _fit(offset, tally, truth, errors)

    def minus_log_posterior(x: npt.NDArray[np.float64], place: int) -> float:
        scores = offset[place] + x[0] * tally + x[1:]
        log_p = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return float(-log_p[np.arange(n), truth].sum() + 0.5 * ((x / errors) ** 2).sum())

    for place in (0, 1):
        best = minimize(minus_log_posterior, np.zeros(K + 1), args=(place,), tol=1e-12)
        np.testing.assert_allclose(theta[place], best.x, atol=1e-4)
        # Laplace: the height at the top, less half the log of the determinant of the curvature, by differences.
        h = 1e-4
        eye = np.eye(K + 1) * h
        curvature = np.array(
            [
                [
                    (
                        minus_log_posterior(best.x + a + b, place)
                        - minus_log_posterior(best.x + a - b, place)
                        - minus_log_posterior(best.x - a + b, place)
                        + minus_log_posterior(best.x - a - b, place)
                    )
                    / (4 * h * h)
                    for b in eye
                ]
                for a in eye
            ]
        )
        expected = -best.fun - 0.5 * np.linalg.slogdet(curvature)[1]
        assert evidence[place] == pytest.approx(expected, abs=1e-3)


def test_few_gold_labels_keep_to_naive_bayes_as_it_is() -> None:
    votes = sample(2_000)
    p = too_sure(votes, 3)
    gaps = []
    for n in (2, ENOUGH // 5, ENOUGH):
        scaling = recalibrate(p[:n], all_points(votes.take(slice(0, n))), EVEN, 0.3, 1.0, -0.3)
        gaps.append(float(np.abs(scaling.apply(p, votes, EVEN) - p).mean()))
    assert gaps == sorted(gaps)
    assert gaps[0] < 0.01 < 0.05 < gaps[2]


def test_a_known_class_balance_is_not_shifted_away() -> None:
    votes = sample(1_000)
    p = too_sure(votes, 1)
    wrong = Gold(np.where(np.arange(1_000) < 300, 1, -1).astype(np.int8), votes.classes)  # gold of one class only
    points = GoldPoints.of(votes, wrong)
    shares = [
        recalibrate(p[points.rows], points, EVEN, error, 1.0, -0.3).apply(p, votes, EVEN)[:, 1].mean()
        for error in (0.05, 0.3)
    ]
    assert 0.5 < shares[0] < shares[1]


def test_a_point_without_votes_keeps_the_class_balance() -> None:
    votes = sample(200, abstain=0.3)
    scaling = recalibrate(too_sure(votes, 1), all_points(votes), EVEN, 0.3, 1.0, -0.3)
    silent = make_votes(np.full((1, 10), -1))
    np.testing.assert_allclose(scaling.apply(np.array([[0.2, 0.8]]), silent, np.array([0.3, 0.7])), [[0.3, 0.7]])


def test_votes_of_a_group_count_once_where_they_are_told_to() -> None:
    votes = sample(300, abstain=0.2)
    doubled = make_votes(np.column_stack([votes.values, votes.values[:, 0]]), gold=votes.own_gold.values)
    p = too_sure(votes, 1)
    one = recalibrate(p, all_points(votes), EVEN, 0.3, 1.0, -0.3)
    two = recalibrate(p, all_points(doubled), EVEN, 0.3, 1.0, -0.3, once=((0, 10),))
    np.testing.assert_allclose(two.apply(p, doubled, EVEN), one.apply(p, votes, EVEN), atol=1e-12)
    twice = recalibrate(p, all_points(doubled), EVEN, 0.3, 1.0, -0.3)
    assert not np.allclose(twice.apply(p, doubled, EVEN), one.apply(p, votes, EVEN), atol=1e-4)


def test_blocks_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    import carob.paper.recalibrate as module

    votes = sample(500)
    p = too_sure(votes, 2)
    scaling = recalibrate(p, all_points(votes), EVEN, 0.3, 1.0, -0.3)
    whole = scaling.apply(p, votes, EVEN)
    monkeypatch.setattr(module, "_BLOCK", 77)
    assert np.array_equal(scaling.apply(p, votes, EVEN), whole)


def test_weights_follow_evidence_and_prior() -> None:
    votes = sample(400)
    p = too_sure(votes, 2)
    scaling = recalibrate(p, all_points(votes), EVEN, 0.3, 1.0, -0.3)
    assert scaling.weight.sum() == pytest.approx(1)
    assert scaling.weight.min() >= 1e-3
    assert set(scaling.exponent) <= set(EXPONENTS)
    assert set(scaling.slope) <= set(SLOPES)
    lower = recalibrate(p, all_points(votes), EVEN, 0.3, 1.0, -3.0)
    assert lower.weight @ lower.slope < scaling.weight @ scaling.slope
