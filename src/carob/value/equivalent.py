"""How many gold labels do as well as the votes alone, and how sure that is: f, told from a user's gold.

Both are measured on the same gold points: gold alone of n labels, on points that are not among these, and votes alone.
f is the number from which on the difference is none. Beyond the labels that there are, the curve of gold alone is drawn
on as a constant plus c / n, and not far.
"""

from __future__ import annotations

import numpy as np

from carob._types import Floats
from carob.paper.ratio import equivalent_labels
from carob.posterior.intervals import student
from carob.value.interval import Interval
from carob.value.risks import Risks

FARTHEST = 2.0  # times the gold labels that there are: up to there f is told
LEARNED_FROM = 1.4  # times the error of measuring on gold points: that of learning from them is about as large
_STEP = 2**0.25


def equivalent(risks: Risks, level: float) -> Interval:
    """f, with an interval that is open above where gold does not tell.

    Returns
    -------
    Interval
        The value is infinite where f is beyond what gold tells; the lower end says what it is at least.
    """
    n, mean, half = band(risks, level)
    value, low, high = (equivalent_labels(n, lost, 0.0) for lost in (mean, mean - half, mean + half))
    return Interval(value, min(low, n[-1]), high)


def band(risks: Risks, level: float) -> tuple[Floats, Floats, Floats]:
    """As `difference`, with how far the interval reaches to either side in place of the standard errors."""
    n, mean, error = difference(risks)
    return n, mean, LEARNED_FROM * student(level, len(risks.points) - 1) * error


def difference(risks: Risks) -> tuple[Floats, Floats, Floats]:
    """How much more gold alone of n labels loses than votes alone: numbers of labels, means and standard errors."""
    curve, weights = risks.gold_curve, risks.points.weights
    n = curve.sizes.astype(np.float64)
    beyond = n[-1] * _STEP ** np.arange(1, max(1, round(np.log(FARTHEST * len(weights) / n[-1]) / np.log(_STEP))) + 1)
    lost = np.concatenate([curve.losses, curve.beyond(beyond)]) - risks.votes_alone_losses
    share = weights / weights.sum()
    mean = lost @ share
    error = np.sqrt(((lost - mean[:, None]) ** 2 @ share**2) * len(share) / (len(share) - 1))
    return np.concatenate([n, beyond]), mean, error
