"""Whether probabilities are as often right as they say, on gold that they were not learned from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob.label.cross_validation import CrossValidation
from carob.posterior.intervals import weighted_share
from carob.value.interval import Interval

_PER_BIN = 20  # gold labels that a share is told from, at least
_MOST_BINS = 8


@dataclass(frozen=True)
class Bin:
    """Labels of about the same probability."""

    said: float  # their mean probability
    right: Interval  # the share of them that is right
    labels: int  # how many there are


@dataclass(frozen=True)
class Calibration:
    """What labels say of themselves beside how often they are right."""

    bins: tuple[Bin, ...]  # by probability, the least sure labels first

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


def calibration(cross: CrossValidation, level: float) -> Calibration:
    """Compare the labels of votes and gold in bins with as many gold labels each."""
    sure, right = cross.both.max(axis=1), cross.both.argmax(axis=1) == cross.points.truth
    order = np.argsort(sure, kind="stable")
    bins = []
    for part in np.array_split(order, int(np.clip(len(order) // _PER_BIN, 1, _MOST_BINS))):
        weights = cross.points.weights[part]
        share = weights / weights.sum()
        bins.append(Bin(float(share @ sure[part]), Interval(*weighted_share(right[part], share, level)), len(part)))
    return Calibration(tuple(bins))
