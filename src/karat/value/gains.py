r"""What more gold labels, or more unlabeled points, would bring: a prior over data sets.

What G gold labels cannot teach costs about c / G, and what N points cannot teach about b / N, so that k more labels
bring c (1/G - 1/(G + k)). One data set's own gold says next to nothing of its c: the risks of halves of the gold differ
by noise. What c is on many other data sets says more. Over them its logarithm is about normal; `bench/gains.py`
measures it, and the spread between sets is what an interval of the *expected* gain, over draws of new labels, is made
of.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from karat._types import Floats
from karat.value.interval import Interval

LABELS_LOSS = (2.0, 0.9)  # c for the log loss, class balance given: its median over data sets, and its log's deviation
LABELS_LOSS_OPEN = (2.7, 0.9)  # the same, class balance not given
LABELS_RIGHT = (0.5, 1.0)  # c for the share of wrong labels
POINTS_LOSS = (2.0, 1.5)  # b for the log loss
POINTS_RIGHT = (0.5, 1.5)  # b for the share of wrong labels
_QUANTILES = (np.arange(100) + 0.5) / 100


@dataclass(frozen=True)
class Gain:
    """A gain whose logarithm is normal.

    Parameters
    ----------
    median, deviation : float
        Of the gain, and of its logarithm.
    """

    median: float
    deviation: float

    @property
    def mean(self) -> float:
        """What is expected."""
        return float(self.median * np.exp(self.deviation**2 / 2))

    def times(self, factor: float) -> Gain:
        """The same gain, so many times."""
        return Gain(factor * self.median, self.deviation)

    def interval(self, level: float) -> Interval:
        """The median, between quantiles."""
        half = np.exp(NormalDist().inv_cdf((1 + level) / 2) * self.deviation)
        return Interval(self.median, float(self.median / half), float(self.median * half))

    def likely(self) -> Floats:
        """A hundred gains, each as likely as the others."""
        normal = np.array([NormalDist().inv_cdf(share) for share in _QUANTILES])
        return np.asarray(self.median * np.exp(self.deviation * normal))


@dataclass(frozen=True)
class Lacking:
    """What is lost because data are finite, in log loss or in the share of right labels.

    Parameters
    ----------
    per_label, per_point : Gain
        c and b: what would be lost with one gold label, or one unlabeled point.
    n_gold, n_points : int
        What there is.
    """

    per_label: Gain
    per_point: Gain
    n_gold: int
    n_points: int

    def by_labels(self, more: float) -> Gain:
        """What so many more gold labels bring."""
        return self.per_label.times(1 / self.n_gold - 1 / (self.n_gold + more))

    def by_points(self, more: float) -> Gain:
        """What so many more unlabeled points bring."""
        return self.per_point.times(1 / self.n_points - 1 / (self.n_points + more))


@dataclass(frozen=True)
class Prospects:
    """What more data would bring: to the log loss, and to the share of right labels."""

    loss: Lacking
    right: Lacking


def prospects(n_gold: int, n_points: int, balance_given: bool) -> Prospects:
    """What is to be expected on a data set of this size."""
    labels = LABELS_LOSS if balance_given else LABELS_LOSS_OPEN
    return Prospects(
        Lacking(Gain(*labels), Gain(*POINTS_LOSS), n_gold, n_points),
        Lacking(Gain(*LABELS_RIGHT), Gain(*POINTS_RIGHT), n_gold, n_points),
    )
