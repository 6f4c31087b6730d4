"""How the log loss of gold alone, votes alone and both goes down with gold labels: what f is read off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats
from carob.value.equivalent import band
from carob.value.gains import Lacking
from carob.value.interval import Interval, loss_of
from carob.value.risks import Risks


@dataclass(frozen=True, eq=False)
class LearningCurves:
    """Log losses against the number of gold labels."""

    n: Floats  # shape (s,): numbers of gold labels
    # gold_alone, low, high: shape (s,): gold alone. The band is that of its difference from votes alone, on the
    # same gold points: where its edges meet the line of votes alone, the interval of f ends
    gold_alone: Floats
    low: Floats
    high: Floats
    votes_alone: Interval
    # shape (s,): votes and gold, as predicted; NaN for fewer than half of the labels that there are, of which
    # that tells nothing
    both: Floats
    n_gold: int  # labels that there are; beyond them curves are drawn on


def learning_curves(risks: Risks) -> LearningCurves:
    """The curves that these risks make."""
    level = risks.settings.level
    n, mean, half = band(risks, level)
    alone, lacking = loss_of(risks.scores["votes alone"]), risks.prospects.loss
    both = predicted_both(risks.scores["votes and gold"].loss, lacking, n)
    curve = alone.value + mean
    return LearningCurves(n, curve, np.maximum(curve - half, 0), curve + half, alone, both, len(risks.points))


def predicted_both(risk: float, lacking: Lacking, n: Floats) -> Floats:
    """Log loss of votes and n gold labels, from that of now; NaN below half of those there are, too far to tell."""
    return np.where(n < lacking.n_gold / 2, np.nan, risk + lacking.per_label.median * (1 / n - 1 / lacking.n_gold))
