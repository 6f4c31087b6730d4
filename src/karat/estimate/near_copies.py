"""Pairs of sources that repeat each other: near copies, found without gold.

Given the class, two sources that work on their own are uncorrelated. What correlation is left over between the sources
of all pairs is measured against guesses of the classes from all votes; two sources are near copies where each is the
other's closest by far. That no source has two partners is what keeps false pairs few where all sources depend on each
other a little.
"""

from __future__ import annotations

import numpy as np

from karat._types import Floats
from karat.estimate.consensus import Ballots
from karat.estimate.settings import Positions

CLOSE = 0.3  # correlation left over that near copies have for certain
SURE = 3.0  # standard errors from there on that are certain
ONE_SIDED = 0.95  # share of its votes for one class from which on a source tells by when it speaks
COMMON = 20  # votes on the same points that two sources need to be compared
ALONE = 0.03  # share of the votes of a source that most others must not share: who is never wrong copies nobody
SPREAD = 0.01  # share of what two sources say that must be other than expected
MOST_SOURCES = 300  # more of them are a crowd, whose workers share few points
_MOST_POINTS = 5_000


def near_copies(ballots: Ballots, guess: Floats) -> Positions:
    """Pairs of sources, by position, that repeat each other.

    Parameters
    ----------
    guess : array, shape (n, K)
        Probabilities of the classes: neither so sure that two copies are taken for the truth, nor so unsure that what
        the class explains is left over.
    """
    votes = ballots.votes
    if not 2 <= len(votes.sources) <= MOST_SOURCES:
        return ()
    correlation, common = left_over(ballots, guess)
    sure = np.tanh(np.arctanh(np.clip(correlation, -0.999, 0.999)) - SURE / np.sqrt(np.maximum(common - 3, 1)))
    sure[common < COMMON] = -1
    np.fill_diagonal(sure, -1)
    closest = sure.argmax(axis=1)
    return tuple((i, int(j)) for i, j in enumerate(closest) if i < j and closest[j] == i and sure[i, j] > CLOSE)


def left_over(ballots: Ballots, guess: Floats) -> tuple[Floats, Floats]:
    """Correlation of what two sources say that the class does not explain, and on how many points; both (m, m).

    Sources that vote for one class only tell by whether they vote at all, so that silence is something said; of all
    others the points count on which both vote.
    """
    every = slice(None, None, max(1, len(guess) // _MOST_POINTS))
    values, guess = ballots.votes.take(every).values, guess[every]
    m, K = values.shape[1], guess.shape[1]
    votes = np.stack([(values == y).sum(axis=0) for y in range(K)], axis=1)
    one_sided = votes.max(axis=1) > ONE_SIDED * votes.sum(axis=1)
    counts = (values >= 0) | one_sided
    heard = counts.astype(np.float32)
    shared, own = np.zeros((m, m)), np.zeros((m, m))
    for y in range(K):
        said = (values == y).astype(np.float64)
        expected = guess @ ((guess.T @ said + 0.5 / K) / (guess.T @ heard + 0.5))
        rest = ((said - expected) * counts).astype(np.float32)
        shared += rest.T @ rest
        spread = rest**2
        own += np.sqrt((spread.T @ heard) * (heard.T @ spread))
    common = (heard.T @ heard).astype(np.float64)
    most = np.stack([(values == y).sum(axis=1) for y in range(K)], axis=1)
    shares = np.take_along_axis(most, np.maximum(values, 0), axis=1) == most.max(axis=1, keepdims=True)
    compared = (((values >= 0) & ~shares).sum(axis=0) > ALONE * votes.sum(axis=1)) | one_sided
    told = compared[:, None] & compared & (own > SPREAD * common)
    return np.where(told, shared / np.maximum(own, 1e-12), 0.0), np.where(told, common, 0.0)
