"""How wrong labels are, where gold tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Codes, Floats
from carob.errors import InputError
from carob.posterior.intervals import student, weighted_share
from carob.votes import Gold

CERTAIN = 1e-6  # no probability counts as nearer to 0 or 1 than this, as in the paper


@dataclass(frozen=True)
class Score:
    """Error of probabilities on gold points."""

    points: int  # gold points
    accuracy: float  # share whose most probable class is right
    loss: float  # mean cross-entropy in nats
    f1: float  # f1 score of the last class, for two classes; NaN for more


def log_losses(probabilities: Floats) -> Floats:
    """Cross-entropy, in nats, of the probability given to what is true."""
    return -np.log(np.clip(probabilities, CERTAIN, 1 - CERTAIN))


def entropy(probabilities: Floats) -> Floats:
    """What probabilities themselves expect to lose, in nats, along the last axis.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(3) + 0.0
    array([0.693, 0.   ])
    """
    return -np.asarray((probabilities * np.log(np.maximum(probabilities, 1e-300))).sum(axis=-1))


def score(probabilities: Floats, gold: Gold) -> Score:
    """Measure probabilities, shape (n, K), on the points with gold.

    Examples
    --------
    >>> gold = Gold(np.array([0, 1, -1], dtype=np.int8), ("ham", "spam"))
    >>> round(score(np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]]), gold).loss, 4)
    0.3081
    """
    known = gold.known
    if not known.any():
        raise InputError("there is no gold label to measure on.")
    p, truth = probabilities[known], gold.values[known]
    guess = p.argmax(axis=1)
    loss = log_losses(p[np.arange(len(p)), truth]).mean()
    f1 = np.nan
    if p.shape[1] == 2:
        positive = int((guess == 1).sum() + (truth == 1).sum())
        f1 = 2 * int(((guess == 1) & (truth == 1)).sum()) / positive if positive else np.nan
    return Score(len(p), float((guess == truth).mean()), float(loss), float(f1))


@dataclass(frozen=True)
class CrossScore:
    """Accuracy and log loss of one way to label, with intervals."""

    name: str  # what the labels come from
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    # loss, loss_low, loss_high: mean cross-entropy in nats
    loss: float
    loss_low: float
    loss_high: float

    @classmethod
    def of(cls, name: str, probabilities: Floats, truth: Codes, weights: Floats, level: float) -> CrossScore:
        """Measure probabilities of gold points, shape (g, K), each of which stands for so many of a random sample."""
        share = weights / weights.sum()
        losses = log_losses(probabilities[np.arange(len(truth)), truth])
        right = weighted_share(probabilities.argmax(axis=1) == truth, share, level)
        doubt = np.maximum(1 - probabilities.max(axis=1), CERTAIN)
        wrong = float(share @ (doubt * log_losses(doubt)) / (share @ doubt))
        return cls(name, *right, *loss_interval(losses, share, wrong, level))


def loss_interval(losses: Floats, share: Floats, wrong: float, level: float) -> tuple[float, float, float]:
    """Mean of log losses, weighted by shares, with Student's interval.

    Where hardly a label is wrong, what a few more wrong ones would lose is not in these losses: the upper end is that
    of the same losses and one label more, which is wrong.

    `wrong`: what a wrong label is expected to lose.
    """
    mean = float(share @ losses)
    g = len(losses)
    more = np.append(share * g / (g + 1), 1 / (g + 1))
    high = _half_width(np.append(losses, wrong), more, level) + float(more @ np.append(losses, wrong))
    return mean, max(mean - _half_width(losses, share, level), 0.0), max(high, mean)


def _half_width(values: Floats, share: Floats, level: float) -> float:
    """How far Student's interval of a weighted mean reaches to either side."""
    g = len(values)
    variance = float(share**2 @ (values - share @ values) ** 2) * g / max(g - 1, 1)
    return student(level, max(g - 1, 1)) * variance**0.5
