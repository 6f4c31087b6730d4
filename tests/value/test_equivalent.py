from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from carob.value.equivalent import FARTHEST, difference, equivalent
from carob.value.gold_alone import GoldAlone
from carob.value.risks import Risks


def with_curve(risks: Risks, floor: float, c: float, noise: float = 0.1) -> Risks:
    """Gold alone that loses floor + c / n more than votes alone do, on every point about as much."""
    g = len(risks.points)
    rng = np.random.default_rng(0)
    sizes = np.array([5, 7, 10, 14, 20, 28, 40, 56, 64])
    around = rng.normal(size=g) * noise
    around -= around.mean()
    losses = risks.votes_alone_losses + floor + c / sizes[:, None] + around
    return replace(risks, gold_curve=GoldAlone(sizes, losses))


def test_known_answer_within_the_labels_and_beyond(risks: Risks) -> None:
    inside = equivalent(with_curve(risks, -0.1, 3.0), 0.9)  # as good from 30 labels on
    assert inside.value == pytest.approx(30, rel=0.01)
    assert inside.low < 30 < inside.high < np.inf
    beyond = equivalent(with_curve(risks, -0.03, 3.0, noise=0.001), 0.9)
    assert beyond.value == pytest.approx(100, rel=0.01)
    never = equivalent(with_curve(risks, 0.1, 3.0, noise=0.001), 0.9)
    assert never.value == np.inf
    assert never.low == pytest.approx(FARTHEST * len(risks.points), rel=0.2)
    always = equivalent(with_curve(risks, -5.0, 3.0), 0.9)
    assert (always.value, always.low, always.high) == (5, 5, 5)


def test_more_noise_makes_the_interval_wider(risks: Risks) -> None:
    narrow, wide = (equivalent(with_curve(risks, -0.1, 3.0, noise), 0.9) for noise in (0.05, 0.2))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_oracle_the_difference_on_the_same_points(risks: Risks) -> None:
    n, mean, error = difference(risks)
    sizes = risks.gold_curve.sizes
    np.testing.assert_array_equal(n[: len(sizes)], sizes)
    lost = risks.gold_curve.losses[2] - risks.votes_alone_losses
    assert mean[2] == pytest.approx(lost.mean())
    assert error[2] == pytest.approx(lost.std(ddof=1) / np.sqrt(len(lost)))
