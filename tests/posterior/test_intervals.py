from __future__ import annotations

import math

import numpy as np
import pytest

from carob.posterior.intervals import weighted_share, wilson


def test_wilson_against_the_definition() -> None:
    # The ends are where the score test of a share just rejects.
    low, high = wilson(np.array([7, 0, 0]), np.array([20, 5, 0]), 0.9)
    for end in (low[0], high[0]):
        assert abs((7 / 20 - end) / math.sqrt(end * (1 - end) / 20)) == pytest.approx(1.6448536, rel=1e-6)
    assert low[1] == pytest.approx(0, abs=1e-12)
    assert high[1] == pytest.approx(1.6448536**2 / (5 + 1.6448536**2))
    assert (low[2], high[2]) == (0, 1)


def test_a_share_a_last_bit_above_1() -> None:
    total = np.array(3.0)
    low, high = wilson(np.nextafter(total, 4), total, 1e-9)
    assert low == pytest.approx(1)
    assert high == pytest.approx(1)
    weights = np.random.default_rng(0).random((200, 7)) + 0.1
    assert all(weighted_share(np.ones(7), some, 1e-9)[2] == pytest.approx(1) for some in weights)
