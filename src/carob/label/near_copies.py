"""Pairs of sources that repeat each other: near copies, found without gold.

Given the class, two sources that work on their own are uncorrelated. What correlation is left over between the sources
of all pairs is measured against guesses of the classes from all votes; two sources are near copies where each is the
other's closest by far. That no source has two partners is what keeps false pairs few where all sources depend on each
other a little.
"""

from __future__ import annotations

import numpy as np

from carob._types import Bools, Codes, Floats
from carob.label.consensus import Ballots
from carob.posterior.settings import Positions

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
    pairs = [(i, int(j)) for i, j in enumerate(closest) if i < j and closest[j] == i and sure[i, j] > CLOSE]
    if not pairs:
        return ()
    values = _some(ballots, guess)[0]
    return tuple((i, j) for i, j in pairs if _contradicted(values, i, j) and _contradicted(values, j, i))


def _contradicted(values: Codes, i: int, beside: int) -> bool:
    """Whether most others do not share many a vote of a source, another one left out; who is never wrong copies nobody.

    A source that votes for one class only is.
    """
    given = values[values[:, i] >= 0]
    own, others = given[:, i], np.delete(given, beside, axis=1)
    heard = (others >= 0).sum(axis=1) > 1  # by the source itself and another
    own, others = own[heard], others[heard]
    tally = np.stack([(others == y).sum(axis=1) for y in range(values.max() + 1)], axis=1)
    shared = tally[np.arange(len(own)), own] == tally.max(axis=1)
    return bool((~shared).sum() > ALONE * len(own)) or bool(_one_sided(values[:, [i]], values.max() + 1)[0])


def left_over(ballots: Ballots, guess: Floats) -> tuple[Floats, Floats]:
    """Correlation of what two sources say that the class does not explain, and on how many points; both (m, m).

    Sources that vote for one class only tell by whether they vote at all, so that silence is something said; of all
    others the points count on which both vote.
    """
    values, guess = _some(ballots, guess)
    m, K = values.shape[1], guess.shape[1]
    counts = (values >= 0) | _one_sided(values, K)
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
    told = own > SPREAD * common
    return np.where(told, shared / np.maximum(own, 1e-12), 0.0), np.where(told, common, 0.0)


def _some(ballots: Ballots, guess: Floats) -> tuple[Codes, Floats]:
    """Votes and guesses of so many points as are enough."""
    every = slice(None, None, max(1, len(guess) // _MOST_POINTS))
    return ballots.votes.take(every).values, guess[every]


def _one_sided(values: Codes, K: int) -> Bools:
    """Sources that vote for one class only, or nearly so; shape (m,)."""
    votes = np.stack([(values == y).sum(axis=0) for y in range(K)], axis=1)
    return np.asarray(votes.max(axis=1) > ONE_SIDED * votes.sum(axis=1))
