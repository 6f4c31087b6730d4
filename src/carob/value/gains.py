r"""What more gold labels, or more unlabeled points, would bring: a prior over data sets, updated by this one.

What G gold labels cannot teach costs about c / G, and what N points cannot teach about b / N, so that k more labels
bring c (1/G - 1/(G + k)). The losses of halves of the gold differ by noise and tell next to nothing of c. How far fits
without a part of the gold differ from each other tells more, and takes no labels to measure: by the jackknife it is
what the probabilities vary by over draws of the gold, v nats, and were that all that labels mend, c would be G v. On
data sets with much gold c is about

    level (G v)^power

up to a factor whose logarithm is about normal, with a deviation above and another below: some data sets have learned
all that labels teach, and what is said of them is far too much, while hardly any gains much more than is said.
`bench/gains.py` learns level, power and deviations from what a user sees, who has one draw of gold, and judges them
with each set left out. The interval of the *expected* gain, over draws of new labels, is made of the deviations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from carob._types import Floats
from carob.value.interval import Interval

_QUANTILES = (np.arange(100) + 0.5) / 100


@dataclass(frozen=True)
class Gain:
    """A gain whose logarithm is normal on either side of its median, with a deviation for each."""

    median: float
    # below, above: deviations of the logarithm
    below: float
    above: float

    def times(self, factor: float) -> Gain:
        """The same gain, so many times."""
        return replace(self, median=factor * self.median)

    def quantiles(self, shares: Floats) -> Floats:
        """What the gain is below with each of some probabilities."""
        normal = np.array([NormalDist().inv_cdf(share) for share in shares])
        return np.asarray(self.median * np.exp(np.where(normal < 0, self.below, self.above) * normal))

    def interval(self, level: float) -> Interval:
        """The median, between quantiles."""
        low, high = self.quantiles(np.array([(1 - level) / 2, (1 + level) / 2])).tolist()
        return Interval(self.median, low, high)

    def likely(self) -> Floats:
        """A hundred gains, each as likely as the others."""
        return self.quantiles(_QUANTILES)

    @property
    def expected(self) -> float:
        """The mean of these, which decisions go by: above the median where the gain may be far more than that.

        >>> Gain(0.01, 2.0, 0.8).expected > 0.01 > Gain(0.01, 2.5, 0.4).expected
        True
        """
        return float(self.likely().mean())


@dataclass(frozen=True)
class Law:
    """How a constant follows from what fits differ by."""

    level: float  # the constant where fits differ by 1 / n nats, n labels or points
    power: float  # of what they differ by; below 1, since one draw of gold shows it with much noise
    below: float  # deviation of the logarithm of a constant that is less than what is said
    above: float  # deviation of the logarithm of one that is more

    def of(self, seen: float) -> Gain:
        """The constant of a data set."""
        return Gain(self.level * max(seen, LEAST) ** self.power, self.below, self.above)


LABELS = Law(3.5, 0.5, 2.5, 0.4)  # what is lost for want of labels
POINTS = Law(0.8, 0.5, 2.5, 1.3)  # what is lost for want of points
RIGHT = 0.3  # more right labels for a nat less of log loss
LEAST = 0.01  # of what is seen; less is taken as this


@dataclass(frozen=True)
class Lacking:
    """What is lost because data are finite, in log loss or in the share of right labels."""

    # per_label, per_point: c and b: what would be lost with one gold label, or one unlabeled point
    per_label: Gain
    per_point: Gain
    # n_gold, n_points: what there is
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


def prospects(n_gold: int, n_points: int, by_labels: float, by_points: float) -> Prospects:
    """What is to be expected on a data set.

    `by_labels` and `by_points`: what probabilities vary by over draws of gold labels, and of unlabeled points, in nats.
    """
    labels, points = LABELS.of(n_gold * by_labels), POINTS.of(n_points * by_points)
    right = Lacking(labels.times(RIGHT), points.times(RIGHT), n_gold, n_points)
    return Prospects(Lacking(labels, points, n_gold, n_points), right)
