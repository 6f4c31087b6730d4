"""Wilson's interval of a share."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from karat._types import AnyArray, Floats


def wilson(right: AnyArray, total: AnyArray, level: float) -> tuple[Floats, Floats]:
    """Wilson's interval of a share; 0 and 1 where nothing was counted.

    >>> low, high = wilson(np.array([8]), np.array([10]), 0.95)
    >>> low.round(3), high.round(3)
    (array([0.49]), array([0.943]))
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    some = total > 0
    n = np.where(some, total, 1)
    p = right / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.where(some, centre - half, 0), np.where(some, centre + half, 1)
