r"""How often each source is right, with an interval that knows what votes get wrong about sources.

Votes alone say how often a source agrees with the others, and not how often all of them are wrong together. What real
sets of votes show of that error is part of the interval. On the scale of log-odds the accuracy of source i is

    theta_i = mean_i + shared_i . u + own_i,      u ~ N(0, 1) twice, own_i ~ N(0, own variance)

where u is what votes get wrong about all sources of a set: all are better or worse than they seem, and what they seem
to be above chance is more or less than that. Others cannot tell of a source that votes for one class only (how often
it is right hangs on the class balance and on what silence means), nor of one that votes where nobody else does: it is
expected to be as such sources usually are, with a wide interval.

Gold of all sources tells of u, which has a closed form; the sources vote on the same gold points, so that their votes
on one of them count as one. Then every source has its own gold counted exactly, over a grid of theta_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats, Ints
from carob.posterior.naive_bayes import log_odds

SHIFT_ERROR = 0.35  # standard deviation, in log-odds, of what votes get wrong about all sources of a set
SCALE_ERROR = 0.5  # the same, as a share of what the sources seem to be above chance
OWN_ERROR = 0.25  # standard deviation, in log-odds, of what they get wrong about one source alone
UNTOLD_LEVEL = 1.2  # log-odds above chance of a source that others cannot tell of and that seems to be at chance
UNTOLD_SLOPE = 0.55  # what counts of what such a source seems to be above chance
UNTOLD_ERROR = 1.6  # OWN_ERROR of such sources
USUAL_WORTH = 14.0  # votes that what all sources seem to be counts for in what one seems to be
FEWEST_TELLING = 3  # sources, below which none can tell of another
_STEPS = np.linspace(-1, 1, 241)  # of a grid, whose third power is fine in the middle
_REACH = 6.0  # standard deviations before own gold that the grid reaches to
_NEWTON = 20  # steps to the middle of it
_ROWS = 512  # sources at a time, so that the grids of all of them stay in the cache


@dataclass(frozen=True, eq=False)
class Seen:
    """What votes and gold show of each source; arrays of shape (m,).

    Parameters
    ----------
    seeming : array
        How often the source is right by what all votes say together.
    chance : array
        How often random votes with the same shares of the classes would be.
    votes : array
        How many votes it has.
    told : array
        Share of its votes that others can tell of (`told_of`).
    correct, judged : arrays of int
        Of its votes on gold points, those that are right, and all.
    points : int
        Gold points.
    """

    seeming: Floats
    chance: Floats
    votes: Floats
    told: Floats
    correct: Ints
    judged: Ints
    points: int


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected of sources before gold, in log-odds of being right.

    Parameters
    ----------
    mean : array, shape (m,)
    shared : array, shape (m, 2)
        How each source moves with the two errors that all share, which are standard normal.
    own : array, shape (m,)
        Variance of its own error.
    """

    mean: Floats
    shared: Floats
    own: Floats


@dataclass(frozen=True, eq=False)
class SourceAccuracies:
    """How often each source is right: the mean of what it may be, and an interval; arrays of shape (m,)."""

    accuracy: Floats
    low: Floats
    high: Floats


def told_of(cast: Floats, beside: Floats, sources: int) -> Floats:
    """Share of each source's votes that others can tell of: on which they vote too.

    None of a source whose votes are all for one class, and none where there are fewer than three sources.

    Parameters
    ----------
    cast : array, shape (m, V)
        Votes of each source for each class.
    beside : array, shape (m,)
        Those on points on which others vote too.
    sources : int
        That are not known to repeat each other.

    Examples
    --------
    >>> told_of(np.array([[5.0, 15.0], [10.0, 0.0]]), np.array([10.0, 10.0]), 3)
    array([0.5, 0. ])
    """
    two_sided = (cast > 0).sum(axis=1) > 1
    return np.asarray(np.minimum(beside / np.maximum(cast.sum(axis=1), 1), 1) * two_sided * (sources >= FEWEST_TELLING))


def expected_of(seen: Seen) -> Expected:
    """What is expected of sources before gold."""
    told, number = seen.told, np.maximum(seen.votes, 1)
    usual = (number * seen.seeming).sum() / number.sum()
    seems = np.clip((number * seen.seeming + USUAL_WORTH * usual) / (number + USUAL_WORTH), 0.01, 0.99)
    middle = log_odds(np.clip(seen.chance, 0.01, 0.99))
    above = log_odds(seems) - middle
    mean = middle + told * above + (1 - told) * (UNTOLD_LEVEL + UNTOLD_SLOPE * above)
    shared = np.column_stack([np.full(len(mean), SHIFT_ERROR), told * SCALE_ERROR * above])
    seems = np.clip(seems, 0.05, 0.95)
    own = told * OWN_ERROR**2 + (1 - told) * UNTOLD_ERROR**2 + 1 / ((number + USUAL_WORTH) * seems * (1 - seems))
    return Expected(mean, shared, own)


def source_accuracies(seen: Seen, level: float) -> SourceAccuracies:
    """How often each source is right, from votes and gold, with intervals of this level."""
    mean, variance = told_by_others(expected_of(seen), seen)
    found = [
        _posterior(mean[rows], variance[rows], seen.correct[rows], seen.judged[rows], level)
        for rows in (slice(start, start + _ROWS) for start in range(0, len(mean), _ROWS))
    ]
    return SourceAccuracies(*np.concatenate(found, axis=1))


def told_by_others(expected: Expected, seen: Seen) -> tuple[Floats, Floats]:
    """Mean and variance of each source's log-odds, given the gold of all other sources.

    The gold of a source is read as a normal observation of its log-odds, with one vote more that is right as often as
    is expected. All of it together weighs as much as one source that votes on every gold point.
    """
    mean, shared, own, judged = expected.mean, expected.shared, expected.own, seen.judged
    right = seen.correct + share(mean)
    wrong = judged + 1 - right
    noise = own + 1 / right + 1 / wrong
    weight = (judged > 0) * min(1, seen.points / max(int(judged.sum()), 1))
    says = shared * (weight / noise)[:, None] * (log_odds(right / (right + wrong)) - mean)[:, None]
    tells = shared * np.sqrt(weight / noise)[:, None]
    covariance = np.linalg.inv(np.eye(shared.shape[1]) + tells.T @ tells)
    others = says.sum(axis=0) - says
    # The covariance without the source's own gold, C + C t t' C / (1 - t' C t), by Sherman and Morrison.
    moved = tells @ covariance
    left = 1 - (tells * moved).sum(axis=1)
    shift = others @ covariance + moved * ((moved * others).sum(axis=1) / left)[:, None]
    spread = ((shared @ covariance) * shared).sum(axis=1) + (shared * moved).sum(axis=1) ** 2 / left
    return mean + (shared * shift).sum(axis=1), own + spread


def _posterior(mean: Floats, variance: Floats, correct: Ints, judged: Ints, level: float) -> Floats:
    """Mean, low and high of the accuracies, shape (3, m), from normal log-odds and own gold."""
    middle = mean.copy()
    for _ in range(_NEWTON):  # log-concave, so that bounded steps arrive
        p = share(middle)
        slope = (mean - middle) / variance + correct - judged * p
        middle += np.clip(slope / (1 / variance + judged * p * (1 - p)), -1, 1)
    theta = middle[:, None] + _REACH * np.sqrt(variance)[:, None] * _STEPS**3
    odds = np.exp(theta)
    log_density = (theta - mean[:, None]) ** 2 * (-0.5 / variance[:, None])
    if judged.any():
        log_density += correct[:, None] * theta - judged[:, None] * np.log(1 + odds)
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True)) * _STEPS**2  # by the width of the steps
    density /= density.sum(axis=1, keepdims=True)
    below = density.cumsum(axis=1) - density / 2
    ends = [share(_where(below, theta, tail)) for tail in ((1 - level) / 2, (1 + level) / 2)]
    return np.stack([(density * odds / (1 + odds)).sum(axis=1), *ends])


def _where(below: Floats, theta: Floats, tail: float) -> Floats:
    """Where the share below, which rises along each row, reaches a number, linear between two places."""
    rows = np.arange(len(below))
    next_ = np.clip((below < tail).sum(axis=1), 1, below.shape[1] - 1)
    last = next_ - 1
    step = (tail - below[rows, last]) / np.maximum(below[rows, next_] - below[rows, last], 1e-300)
    return np.asarray(theta[rows, last] + np.clip(step, 0, 1) * (theta[rows, next_] - theta[rows, last]))


def share(theta: Floats) -> Floats:
    """The probability with these log-odds."""
    return np.asarray(1 / (1 + np.exp(-theta)))
