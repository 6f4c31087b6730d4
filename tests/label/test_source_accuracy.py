from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from simulate import draw_votes, make_votes, some_gold, symmetric_conditionals

from carob import LabelModel, Votes
from carob.label import source_accuracy
from carob.label.source_accuracy import (
    Expected,
    Seen,
    _posterior,
    expected_of,
    share,
    source_accuracies,
    told_by_others,
    told_of,
)
from carob.posterior.naive_bayes import log_odds

Floats = npt.NDArray[np.float64]


def seen(m: int = 6, **more: Any) -> Seen:
    """Sources that seem to be right on 70 % of 500 votes, and no gold."""
    none = np.zeros(m, dtype=np.int64)
    plain = Seen(np.full(m, 0.7), np.full(m, 0.5), np.full(m, 500.0), np.ones(m), none, none, 0)
    return replace(plain, **more)


def with_gold(rng: np.random.Generator, theta: Floats, judged: int, base: Seen) -> Seen:
    """Every source judged on points of its own, so that all gold is independent."""
    m = len(theta)
    correct = rng.binomial(judged, share(theta))
    return replace(base, correct=correct, judged=np.full(m, judged), points=m * judged)


def drawn(rng: np.random.Generator, expected: Expected) -> Floats:
    """Accuracies, in log-odds, as the model says they come."""
    own = rng.normal(size=len(expected.own)) * np.sqrt(expected.own)
    return np.asarray(expected.mean + expected.shared @ rng.normal(size=2) + own)


def test_oracle_what_others_tell_is_the_normal_law_given_their_gold() -> None:
    rng = np.random.default_rng(0)
    case = seen(7, seeming=rng.uniform(0.4, 0.9, 7), told=np.array([1, 1, 0.5, 0, 1, 0.2, 1]))
    case = replace(case, judged=rng.integers(0, 40, 7), points=50)
    case = replace(case, correct=rng.binomial(case.judged, 0.6))
    expected = expected_of(case)
    mean, variance = told_by_others(expected, case)
    right = case.correct + share(expected.mean)
    wrong = case.judged + 1 - right
    says = np.log(right / wrong) - expected.mean
    weight = 50 / case.judged.sum()
    for i in range(7):
        others = [j for j in range(7) if j != i and case.judged[j] > 0]
        noise = (expected.own + 1 / right + 1 / wrong)[others] / weight
        both = np.vstack([expected.shared[[i]], expected.shared[others]])
        joint = both @ both.T + np.diag([expected.own[i], *noise])
        pull = np.linalg.solve(joint[1:, 1:], joint[1:, 0])
        assert mean[i] == pytest.approx(expected.mean[i] + pull @ says[others])
        assert variance[i] == pytest.approx(joint[0, 0] - pull @ joint[1:, 0])


@pytest.mark.parametrize(
    ("mean", "variance", "correct", "judged"),
    [(0.4, 2.0, 0, 0), (0.4, 2.0, 12, 12), (3.0, 0.3, 0, 10), (1.0, 0.1, 60, 100), (-1.0, 3.0, 19_000, 20_000)],
)
def test_oracle_own_gold_is_added_exactly(mean: float, variance: float, correct: int, judged: int) -> None:
    p = np.linspace(0, 1, 400_001)[1:-1]
    log_density = (
        -((log_odds(p) - mean) ** 2) / (2 * variance) - np.log(p * (1 - p))
        + correct * np.log(p) + (judged - correct) * np.log1p(-p)
    )  # fmt: skip
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    below = density.cumsum()
    found = _posterior(np.array([mean]), np.array([variance]), np.array([correct]), np.array([judged]), 0.9)[:, 0]
    sd = np.sqrt((density * p**2).sum() - (density * p).sum() ** 2)
    exact = [(density * p).sum(), p[np.searchsorted(below, 0.05)], p[np.searchsorted(below, 0.95)]]
    np.testing.assert_allclose(found, exact, atol=0.02 * sd + 1e-5)


@pytest.mark.parametrize("judged", [0, 5, 40])
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_recovery_accuracies_drawn_as_the_model_says_are_held_as_often_as_is_said(judged: int, level: float) -> None:
    rng = np.random.default_rng(judged)
    told = np.array([1, 1, 1, 1, 0.5, 0.0])
    base = seen(
        seeming=np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.7]), told=told, votes=np.array([5.0, 20, 50, 500, 500, 500])
    )
    held = []
    for _ in range(200):
        theta = drawn(rng, expected_of(base))
        found = source_accuracies(with_gold(rng, theta, judged, base), level)
        held.append(((found.low <= share(theta)) & (share(theta) <= found.high)).mean())
    assert abs(np.mean(held) - level) < 3.5 * np.std(held) / np.sqrt(len(held))


def test_negative_control_without_the_error_that_all_share_intervals_hold_too_seldom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    base = seen()
    truths = [drawn(rng, expected_of(base)) for _ in range(300)]
    monkeypatch.setattr(source_accuracy, "SHIFT_ERROR", 0.0)
    monkeypatch.setattr(source_accuracy, "SCALE_ERROR", 0.0)
    found = source_accuracies(base, 0.9)
    assert np.mean([(found.low <= share(t)) & (share(t) <= found.high) for t in truths]) < 0.7


def test_gold_of_others_narrows_and_moves_an_interval() -> None:
    m, judged = 8, np.array([0] + [100] * 7)
    alone = source_accuracies(seen(m), 0.9)
    rest = seen(m, judged=judged, points=100)
    good = source_accuracies(replace(rest, correct=(0.85 * judged).astype(np.int64)), 0.9)
    bad = source_accuracies(replace(rest, correct=(0.55 * judged).astype(np.int64)), 0.9)
    for found in (good, bad):
        assert found.high[0] - found.low[0] < 0.8 * (alone.high[0] - alone.low[0])
    assert bad.accuracy[0] < alone.accuracy[0] < good.accuracy[0]


def test_a_right_vote_raises_an_accuracy_and_a_wrong_one_lowers_it() -> None:
    judged = np.array([1, 0, 0, 0, 0, 0])
    plain = source_accuracies(seen(seeming=np.full(6, 0.9)), 0.9)
    right, wrong = (
        source_accuracies(seen(seeming=np.full(6, 0.9), judged=judged, correct=c * judged, points=1), 0.9)
        for c in (1, 0)
    )
    assert (right.accuracy > plain.accuracy).all()
    assert (wrong.accuracy < plain.accuracy).all()


def test_who_others_cannot_tell_of_has_a_wide_interval() -> None:
    base = seen(told=np.array([1, 1, 1, 0.5, 0, 0]), votes=np.array([500.0, 20, 3, 500, 500, 3]))
    found = source_accuracies(base, 0.9)
    width = found.high - found.low
    assert width[0] < width[1] < width[2] < 0.7
    assert width[0] < width[3] < width[4] < width[5]
    assert width[4] > 0.6


def test_told_of() -> None:
    cast, beside = np.array([[5.0, 15.0], [10.0, 0.0], [0.0, 0.0]]), np.array([20.0, 10.0, 0.0])
    assert told_of(cast, beside, 3).tolist() == [1, 0, 0]
    assert told_of(cast, beside / 2, 3).tolist() == [0.5, 0, 0]
    assert told_of(cast, beside, 2).tolist() == [0, 0, 0]  # two sources tell nothing of each other


def test_many_sources_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    case = with_gold(rng, rng.normal(size=50), 20, seen(50, seeming=rng.uniform(0.5, 0.9, 50)))
    whole = source_accuracies(case, 0.8)
    monkeypatch.setattr(source_accuracy, "_ROWS", 7)
    parts = source_accuracies(case, 0.8)
    for column in ("accuracy", "low", "high"):
        assert np.array_equal(getattr(whole, column), getattr(parts, column))


# Coverage of the default fit, at chance and where sources depend on each other.


def at_chance(seed: int) -> tuple[Votes, Floats]:
    rng = np.random.default_rng(seed)
    return make_votes(rng.integers(0, 2, (1_000, 8)), gold=rng.integers(0, 2, 1_000)), np.full(8, 0.5)


def weak(seed: int) -> tuple[Votes, Floats]:
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.5, 0.6, 10)
    return draw_votes(rng, 1_000, symmetric_conditionals(p, abstain=0.3), [0.5, 0.5]), p


def following_a_factor(seed: int) -> tuple[Votes, Floats]:
    """All follow one thing that is the class on four points of five, and look independent."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.65, 0.85, 8)
    votes = draw_votes(rng, 1_000, symmetric_conditionals(p), [0.5, 0.5])
    truth = np.where(rng.random(1_000) < 0.8, votes.own_gold.values, 1 - votes.own_gold.values)
    return make_votes(votes.values, gold=truth), 0.8 * p + 0.2 * (1 - p)


def five_copies(seed: int) -> tuple[Votes, Floats]:
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.65, 0.8, 10)
    votes = draw_votes(rng, 1_000, symmetric_conditionals(p), [0.5, 0.5])
    values = votes.values.copy()
    values[:, 1:5] = np.where(rng.random((1_000, 4)) < 0.9, values[:, :1], values[:, 1:5])
    p[1:5] = 0.9 * p[0] + 0.1 * p[1:5]
    return make_votes(values, gold=votes.own_gold.values), p


@pytest.mark.parametrize("n_gold", [0, 50])
@pytest.mark.parametrize("draw", [at_chance, weak, following_a_factor, five_copies])
def test_coverage_of_the_default_fit(draw: Any, n_gold: int) -> None:
    held, flattered = [], []
    for seed in range(2 if n_gold else 5):
        votes, truth = draw(seed)
        table = LabelModel().fit(votes, some_gold(votes, n_gold, seed) if n_gold else None).source_table_
        held += ((table.low <= truth) & (truth <= table.high)).tolist()
        assert np.mean(table.high - table.low) < 0.5
        error = 1.645 * np.sqrt(0.25 / 1_000)
        flattered += (np.abs(table.accuracy - truth) < error).tolist()
    # Intervals of one set share an error; a third of them as a number of independent ones, at the 1 % level.
    independent = len(held) / 3
    assert np.mean(held) > 0.9 - 2.33 * np.sqrt(0.9 * 0.1 / independent)
    assert np.mean(flattered) < 0.85  # the noise of the votes alone, as the negative control


def test_one_sided_sources_have_intervals_that_hold() -> None:
    rng = np.random.default_rng(0)
    n = 3_000
    truth = rng.random(n) < 0.3
    precision = np.array([0.35, 0.5, 0.65, 0.8, 0.9, 0.97])
    values = np.full((n, 6), -1)
    for i, p in enumerate(precision):
        rows = np.concatenate([
            rng.choice(np.flatnonzero(truth), round(200 * p), replace=False),
            rng.choice(np.flatnonzero(~truth), 200 - round(200 * p), replace=False),
        ])  # fmt: skip
        values[rows, i] = 1
    background = np.where(rng.random((n, 2)) < 0.7, truth[:, None], ~truth[:, None])
    votes = make_votes(np.column_stack([values, background]), gold=truth)
    found = LabelModel().fit(votes).source_table_
    assert ((found.low[:6] <= precision) & (precision <= found.high[:6])).mean() >= 5 / 6


def test_much_gold_is_believed() -> None:
    judged = np.full(6, 5_000)
    p = np.arange(1, 7) * 0.16
    base = seen(seeming=np.clip(p, 0.3, 0.9), judged=judged, correct=np.arange(1, 7) * 800, points=5_000)
    found = source_accuracies(base, 0.9)
    np.testing.assert_allclose(found.accuracy, p, atol=0.003)
    np.testing.assert_allclose(found.high - found.low, 2 * 1.645 * np.sqrt(p * (1 - p) / 5_000), rtol=0.05)
