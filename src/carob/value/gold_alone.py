"""How good gold alone is: what sources learned from n gold labels by counting lose on the others.

The models are those of `carob.LabelModel(method="labeled")`. Besides, votes say nothing of a class that a sample does
not show, where `LabelModel` refuses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Bools, Floats, Group, Ints
from carob.paper.kinds import Kind
from carob.paper.ratio import SMALLEST
from carob.posterior.losses import log_losses
from carob.posterior.naive_bayes import softmax
from carob.posterior.source_model import gold_balance
from carob.votes import GoldPoints, Votes

LARGEST_PART = 0.8  # of the gold labels, at most so many are learned from, and the others measured on
SAMPLES = 40  # of each number of labels
LAST = 4  # points of the curve that it is drawn on from
PARTS = 20  # of gold, each predicted by models of the others
_STEP = 2**0.5  # from one number of labels to the next
_MOST = 1_000  # gold points that take part


@dataclass(frozen=True, eq=False)
class GoldAlone:
    """The learning curve of gold alone, point by point.

    Parameters
    ----------
    sizes : array of int, shape (s,)
        Numbers of gold labels that were learned from.
    losses : array, shape (s, g)
        Mean log loss, on each gold point, of models of so many others.
    """

    sizes: Ints
    losses: Floats

    def beyond(self, n: Floats) -> Floats:
        """Losses with more labels than were learned from, shape (len(n), g): a constant plus c / n, from the last."""
        last = self.sizes[-min(LAST, len(self.sizes)) :]
        through = np.linalg.pinv(np.stack([np.ones(len(last)), 1 / last], axis=1))
        return np.asarray(np.stack([np.ones(len(n)), 1 / n], axis=1) @ through @ self.losses[-len(last) :])


def gold_alone(
    points: GoldPoints, given: Floats | None, kind: Kind, groups: tuple[Group, ...], rng: np.random.Generator
) -> GoldAlone:
    """Learn from random parts of the gold labels, and measure on the rest.

    Parameters
    ----------
    given : array, shape (K,), or None
        The class balance; that of each part, where it is not given.
    """
    G = len(points)
    most = int(LARGEST_PART * min(G, _MOST))
    sizes = [int(n) for n in np.unique(np.append(np.geomspace(SMALLEST, most, _steps(most)).round(), most))]
    total, number = np.zeros((len(sizes), G)), np.zeros((len(sizes), G))
    for k, n in enumerate(sizes):
        seen: Bools = rng.random((SAMPLES, G)).argsort(axis=1) < n
        p = labeled_probabilities(points, seen, given, kind, groups, points.votes)
        losses = log_losses(p[:, np.arange(G), points.truth])
        total[k], number[k] = (losses * ~seen).sum(axis=0), (~seen).sum(axis=0)
    # A point that was in every sample stands for the others.
    usual = total.sum(axis=1, keepdims=True) / number.sum(axis=1, keepdims=True)
    return GoldAlone(np.array(sizes), np.where(number > 0, total / np.maximum(number, 1), usual))


def _steps(most: int) -> int:
    return max(2, int(np.log(most / SMALLEST) / np.log(_STEP)) + 1)


def left_out_probabilities(
    points: GoldPoints, given: Floats | None, kind: Kind, groups: tuple[Group, ...], rng: np.random.Generator
) -> Floats:
    """Probabilities of gold points, shape (g, K), by models of gold that is not in the same of `PARTS` parts."""
    fold = rng.permutation(len(points)) % PARTS
    parts = np.arange(min(PARTS, len(points)))
    p = labeled_probabilities(points, fold != parts[:, None], given, kind, groups, points.votes)
    return np.asarray(p[fold, np.arange(len(points))])


def labeled_probabilities(
    points: GoldPoints, seen: Bools, given: Floats | None, kind: Kind, groups: tuple[Group, ...], asked: Votes
) -> Floats:
    """Probabilities of the points asked for, shape (S, a, K), by S models of the gold that each has seen, (S, g)."""
    weights = seen[:, :, None] * np.eye(len(asked.classes))[points.truth]
    floor = 1 / np.maximum(seen.sum(axis=1), 2)
    counts = weights.sum(axis=1)
    balance = np.array([gold_balance(of_one) for of_one in counts]) if given is None else np.tile(given, (len(seen), 1))
    scores = kind.labeled_scores(points.votes, weights, asked, groups, floor.astype(np.float64))
    scores[:, asked.number == 0] = 0  # nobody looked, which tells nothing
    return softmax(scores + np.log(balance)[:, None])
