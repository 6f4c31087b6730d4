"""Wilson's interval of a share."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from carob._types import AnyArray, Floats


def wilson(right: AnyArray, total: AnyArray, level: float) -> tuple[Floats, Floats]:
    """Wilson's interval of a share; 0 and 1 where nothing was counted.

    >>> low, high = wilson(np.array([8]), np.array([10]), 0.95)
    >>> low.round(3), high.round(3)
    (array([0.49]), array([0.943]))
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    some = total > 0
    n = np.where(some, total, 1)
    p = np.minimum(right / n, 1)  # weighted counts may be a last bit above their total
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.where(some, centre - half, 0), np.where(some, centre + half, 1)


def weighted_share(right: AnyArray, weights: Floats, level: float) -> tuple[float, float, float]:
    """A share of points that stand for so many each, and its interval: that of as many points as tell as much (Kish).

    >>> weighted_share(np.array([1, 0]), np.array([3.0, 1.0]), 0.9)[0]
    0.75
    """
    value, number = float(weights @ right / weights.sum()), weights.sum() ** 2 / (weights**2).sum()
    low, high = wilson(np.array(value * number), np.array(number), level)
    return value, float(low), float(high)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of accuracies and class balance."""

    # low, high: shape (m,): 0 and 1 where the data cannot tell
    low: Floats
    high: Floats
    # balance_low, balance_high: shape (K,)
    balance_low: Floats
    balance_high: Floats
    method: str  # "bootstrap", "wilson" where gold was counted, or "none"

    @classmethod
    def nothing(cls, m: int, K: int) -> Intervals:
        """Where none were asked for."""
        return cls(np.full(m, np.nan), np.full(m, np.nan), np.full(K, np.nan), np.full(K, np.nan), "none")

    def holding(self, accuracy: Floats, balance: Floats) -> Intervals:
        """The same, wide enough to hold the estimates, which may have been cut or merged since."""
        return Intervals(
            np.minimum(self.low, accuracy),
            np.maximum(self.high, accuracy),
            np.minimum(self.balance_low, balance),
            np.maximum(self.balance_high, balance),
            self.method,
        )


def student(level: float, freedom: int) -> float:
    """Half-width, in standard errors, of an interval of Student's t, to first order in one over the freedom.

    >>> round(student(0.9, 19), 2)
    1.73
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    return z + (z**3 + z) / (4 * freedom)
