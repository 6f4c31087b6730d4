"""Wilson's interval of a share."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.source_model import Floats


def wilson(right: npt.NDArray[Any], total: npt.NDArray[Any], level: float) -> tuple[Floats, Floats]:
    """Wilson's interval of a share; 0 and 1 where nothing was counted.

    >>> low, high = wilson(np.array([8]), np.array([10]), 0.95)
    >>> low.round(3), high.round(3)
    (array([0.49]), array([0.943]))
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    known = total > 0
    n = np.where(known, total, 1)
    p = right / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.where(known, centre - half, 0), np.where(known, centre + half, 1)
