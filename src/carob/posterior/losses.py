"""How wrong labels are, where gold tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats
from carob.errors import InputError
from carob.votes import Gold

CERTAIN = 1e-6  # no probability counts as nearer to 0 or 1 than this, as in the paper


@dataclass(frozen=True)
class Score:
    """Error of probabilities on gold points.

    Parameters
    ----------
    points : int
        Gold points.
    accuracy : float
        Share whose most probable class is right.
    loss : float
        Mean cross-entropy in nats.
    f1 : float
        F1 score of the last class, for two classes; NaN for more.
    """

    points: int
    accuracy: float
    loss: float
    f1: float


def log_losses(probabilities: Floats) -> Floats:
    """Cross-entropy, in nats, of the probability given to what is true."""
    return -np.log(np.clip(probabilities, CERTAIN, 1 - CERTAIN))


def entropy(probabilities: Floats) -> Floats:
    """What probabilities themselves expect to lose, in nats, along the last axis.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(3) + 0.0
    array([0.693, 0.   ])
    """
    return -np.asarray((probabilities * np.log(np.maximum(probabilities, 1e-300))).sum(axis=-1))


def cross_entropy(believed: Floats, probabilities: Floats) -> Floats:
    """What probabilities are expected to lose where others are believed, in nats, along the last axis.

    >>> cross_entropy(np.array([0.5, 0.5]), np.array([0.9, 0.1])).round(3)
    np.float64(1.204)
    """
    return np.asarray((believed * log_losses(probabilities)).sum(axis=-1))


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
