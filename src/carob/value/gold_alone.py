"""The learning curve of gold alone: what sources counted on n gold labels lose on the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Bools, Floats, Group, Ints
from carob.paper.ratio import SMALLEST
from carob.posterior.gold_alone import gold_alone_probabilities
from carob.posterior.losses import log_losses
from carob.votes import GoldPoints

LARGEST_PART = 0.8  # of the gold labels, at most so many are learned from, and the others measured on
SAMPLES = 40  # of each number of labels
LAST = 4  # points of the curve that it is drawn on from
_STEP = 2**0.5  # from one number of labels to the next
_MOST = 1_000  # gold points that take part


@dataclass(frozen=True, eq=False)
class GoldAlone:
    """The learning curve of gold alone, point by point."""

    sizes: Ints  # shape (s,): numbers of gold labels that were learned from
    losses: Floats  # shape (s, g): mean log loss, on each gold point, of models of so many others

    def beyond(self, n: Floats) -> Floats:
        """Losses with more labels than were learned from, shape (len(n), g): a constant plus c / n, from the last."""
        last = self.sizes[-min(LAST, len(self.sizes)) :]
        through = np.linalg.pinv(np.stack([np.ones(len(last)), 1 / last], axis=1))
        return np.asarray(np.stack([np.ones(len(n)), 1 / n], axis=1) @ through @ self.losses[-len(last) :])


def gold_alone(
    points: GoldPoints, given: Floats | None, groups: tuple[Group, ...], rng: np.random.Generator
) -> GoldAlone:
    """Learn from random parts of the gold labels, and measure on the rest.

    `given`, shape (K,): the class balance; that of each part, where it is not given.
    """
    G = len(points)
    most = int(LARGEST_PART * min(G, _MOST))
    steps = max(2, int(np.log(most / SMALLEST) / np.log(_STEP)) + 1)
    sizes = [int(n) for n in np.unique(np.append(np.geomspace(SMALLEST, most, steps).round(), most))]
    total, number = np.zeros((len(sizes), G)), np.zeros((len(sizes), G))
    for k, n in enumerate(sizes):
        samples: Bools = rng.random((SAMPLES, G)).argsort(axis=1) < n
        p = gold_alone_probabilities(points, samples, given, groups, points.votes)
        losses = log_losses(p[:, np.arange(G), points.truth])
        total[k], number[k] = (losses * ~samples).sum(axis=0), (~samples).sum(axis=0)
    # A point that was in every sample stands for the others.
    usual = total.sum(axis=1, keepdims=True) / number.sum(axis=1, keepdims=True)
    return GoldAlone(np.array(sizes), np.where(number > 0, total / np.maximum(number, 1), usual))
