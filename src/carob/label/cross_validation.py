"""How good labels are, measured on gold that they were not learned from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from carob._types import Codes, Floats
from carob.label.consensus import majority
from carob.label.pool import Pool
from carob.label.stack import UNLABELED, GoldReadings, weigh_readings
from carob.posterior.intervals import weighted_share
from carob.posterior.losses import log_losses

FEWEST = 10  # gold labels from which on a score is worth saying


@dataclass(frozen=True)
class CrossScore:
    """Accuracy and log loss of one way to label, with intervals.

    Parameters
    ----------
    name : str
        What the labels come from.
    accuracy, accuracy_low, accuracy_high : float
    loss, loss_low, loss_high : float
        Mean cross-entropy in nats.
    """

    name: str
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    loss: float
    loss_low: float
    loss_high: float

    @classmethod
    def of(
        cls, name: str, probabilities: Floats, truth: Codes, level: float, weights: Floats | None = None
    ) -> CrossScore:
        """Measure probabilities of gold points, shape (g, K), each of which stands for so many of a random sample."""
        share = np.full(len(truth), 1 / len(truth)) if weights is None else weights / weights.sum()
        losses = log_losses(probabilities[np.arange(len(truth)), truth])
        right = weighted_share(probabilities.argmax(axis=1) == truth, share, level)
        mean = float(share @ losses)
        error = float(np.sqrt((share**2 @ (losses - mean) ** 2) * len(truth) / (len(truth) - 1)))
        half = NormalDist().inv_cdf((1 + level) / 2) * error
        return cls(name, *right, mean, max(mean - half, 0.0), mean + half)


def cross_scores(
    gold: GoldReadings, without: Pool, level: float, weights: Floats | None = None, shift: Floats | None = None
) -> tuple[CrossScore, ...]:
    """Majority vote, votes alone, gold alone, and both, on gold that each has not seen.

    How readings are weighed is learned from the other parts of gold, as the sources are.

    Parameters
    ----------
    weights : array, shape (g,), optional
        How many points of a random sample each gold point stands for.
    shift : array, shape (K,), optional
        What is added to the scores of votes and gold; points without gold told it.
    """
    if len(gold.truth) < FEWEST:
        return ()
    silent = gold.tally.sum(axis=1) == 0
    counted = majority(gold.tally, gold.class_balance)
    counted[silent] = gold.class_balance
    only_gold = np.flatnonzero(
        np.append(list(UNLABELED), 0.0) == 0
    )  # sources that are counted learn from gold alone too
    alone, both = np.empty_like(counted), np.empty_like(counted)
    for part in np.flatnonzero(np.bincount(gold.fold)):
        tested, rest = np.flatnonzero(gold.fold == part), gold.take(np.flatnonzero(gold.fold != part))
        here = gold.take(tested)
        alone[tested] = weigh_readings(rest.reading(only_gold)).of(here.reading(only_gold))
        weighed = weigh_readings(rest, without)
        if shift is not None:
            weighed = replace(weighed, pool=weighed.pool.shifted(shift))
        both[tested] = weighed.of(here, here.plain)
    found = {
        "majority vote": counted,
        "votes alone": without.mixed([gold.plain], gold.tally),
        "gold alone": alone,
        "votes and gold": both,
    }
    return tuple(CrossScore.of(name, p, gold.truth, level, weights) for name, p in found.items())
