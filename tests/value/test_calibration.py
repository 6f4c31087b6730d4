from __future__ import annotations

import numpy as np
import pytest

from carob.label.cross_validation import CrossValidation
from carob.value.calibration import calibration
from carob.votes import GoldPoints, Votes


def measured(confidence: np.ndarray, right: np.ndarray) -> CrossValidation:
    """Labels for the first class with these probabilities, of which some are right."""
    n = len(right)
    votes = Votes.from_array(np.arange(2 * n).reshape(n, 2) % 2)
    points = GoldPoints(votes, np.where(right, 0, 1).astype(np.int8), np.arange(n))
    both = np.stack([confidence, 1 - confidence], axis=1)
    return CrossValidation(points, np.zeros(n, dtype=np.int64), both, both, both, both, both, 0.0)


def test_recovery_of_probabilities_that_are_right_and_of_those_that_are_too_sure() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 1, 4_000)
    right = rng.random(4_000) < p
    honest = calibration(measured(p, right), 0.9)
    assert honest.error < 0.02
    assert abs(honest.excess) < 0.02
    assert sum(part.right.low <= part.said <= part.right.high for part in honest.bins) >= 6
    sure = calibration(measured(p, rng.random(4_000) < p - 0.1), 0.9)
    assert sure.excess == pytest.approx(0.1, abs=0.03)


def test_bins_have_twenty_labels_or_more_and_go_upwards() -> None:
    rng = np.random.default_rng(1)
    found = calibration(measured(rng.uniform(0.5, 1, 95), rng.random(95) < 0.8), 0.9)
    assert len(found.bins) == 4
    assert sum(part.labels for part in found.bins) == 95
    said = [part.said for part in found.bins]
    assert said == sorted(said)
    assert len(calibration(measured(np.full(5, 0.9), np.ones(5)), 0.9).bins) == 1
