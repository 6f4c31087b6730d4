from __future__ import annotations

import numpy as np
import pytest

from carob.posterior.score_shares import smoothed_log_shares

EVEN = np.array([0.5, 0.5])


def shares(counts: np.ndarray, balance: np.ndarray = EVEN) -> np.ndarray:
    return np.exp(smoothed_log_shares(counts, np.linspace(0.1, 0.9, len(counts)), balance))


def test_shares_add_up_and_are_those_of_the_counts_where_points_are_many() -> None:
    rng = np.random.default_rng(0)
    for K in (2, 4):
        counts = rng.random((12, K)) * 1e7
        found = shares(counts, np.full(K, 1 / K))
        np.testing.assert_allclose(found.sum(axis=1), 1)
        np.testing.assert_allclose(found, counts / counts.sum(axis=1, keepdims=True), atol=1e-4)


def test_a_line_of_log_odds_stays_a_line() -> None:
    log_odds = np.linspace(-3, 3, 15)
    p = 1 / (1 + np.exp(-log_odds))
    found = shares(1e4 * np.stack([1 - p, p], axis=1))
    np.testing.assert_allclose(np.log(found[:, 1] / found[:, 0]), log_odds, atol=0.02)


def test_few_points_are_drawn_to_their_neighbours() -> None:
    log_odds = np.linspace(-2, 2, 20)
    p = 1 / (1 + np.exp(-log_odds))
    off = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        ones = rng.binomial(25, p)
        counts = np.stack([25 - ones, ones], axis=1).astype(float)
        raw = (counts + 0.5) / 26
        off.append([np.abs(found[:, 1] - p).mean() for found in (raw, shares(counts))])
    raw_error, smooth_error = np.mean(off, axis=0)
    assert smooth_error < 0.7 * raw_error


def test_an_empty_bin_is_what_its_neighbours_are() -> None:
    p = np.array([0.2, 0.35, 0.5, 0.65, 0.8])
    counts = 300 * np.stack([1 - p, p], axis=1)
    counts[2] = 0
    assert shares(counts)[2, 1] == pytest.approx(0.5, abs=0.02)


def test_turned_classes_turn_shares() -> None:
    counts = np.random.default_rng(0).random((9, 2)) * 40
    lean = np.linspace(0.1, 0.9, 9)
    one = smoothed_log_shares(counts, lean, np.array([0.3, 0.7]))
    other = smoothed_log_shares(counts[:, ::-1], 1 - lean, np.array([0.7, 0.3]))
    np.testing.assert_allclose(one, other[:, ::-1], atol=1e-12)


def test_one_bin() -> None:
    np.testing.assert_allclose(shares(np.array([[30.0, 70.0]])).sum(), 1)
