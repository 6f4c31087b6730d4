"""Whether probabilities are as often right as they say, on gold that they were not learned from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Places
from carob.value.interval import Interval
from carob.value.risks import Measured, share_interval

_PER_BIN = 20  # gold labels that a share is told from, at least
_MOST_BINS = 8


@dataclass(frozen=True)
class Bin:
    """Labels of about the same probability.

    Parameters
    ----------
    said : float
        Their mean probability.
    right : Interval
        The share of them that is right.
    labels : int
        How many there are.
    """

    said: float
    right: Interval
    labels: int


@dataclass(frozen=True)
class Calibration:
    """What labels say of themselves beside how often they are right.

    Parameters
    ----------
    bins : tuple of Bin
        By probability, the least sure labels first.
    """

    bins: tuple[Bin, ...]

    @property
    def error(self) -> float:
        """Mean distance between what is said and what is right, over labels."""
        labels = sum(part.labels for part in self.bins)
        return sum(part.labels * abs(part.said - part.right.value) for part in self.bins) / labels

    @property
    def excess(self) -> float:
        """How much surer labels are than right, on average; negative where they are not sure enough."""
        labels = sum(part.labels for part in self.bins)
        return sum(part.labels * (part.said - part.right.value) for part in self.bins) / labels


def calibration(measured: Measured, level: float) -> Calibration:
    """Compare in bins with as many gold labels each."""
    order = np.argsort(measured.confidence, kind="stable")
    number = int(np.clip(len(order) // _PER_BIN, 1, _MOST_BINS))
    parts = np.array_split(order, number)
    return Calibration(tuple(_bin(measured, part, level) for part in parts))


def _bin(measured: Measured, part: Places, level: float) -> Bin:
    weights = measured.weights[part]
    said = float(np.average(measured.confidence[part], weights=weights))
    return Bin(said, share_interval(measured.right[part], weights, level), len(part))
