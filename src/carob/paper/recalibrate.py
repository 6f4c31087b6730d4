r"""Probabilities that are as sure as gold shows them to be.

Naive Bayes counts dependent votes as if each were evidence of its own, so its log-likelihoods L are too large. They are
scaled, and what a plain count of votes says is added,

    score_y = log P(y) + a (2 / (v + 1))^g L_y + c 2 n_y / (v + 2) + b_y,

with v votes on the point, n_y of them for class y. c and b are normal around 0 and fitted on gold for every slope a and
exponent g of a grid; the probabilities are averaged over the grid, weighted by how well each explains gold (Laplace's
approximation) and by a prior. With few gold labels the prior keeps to naive Bayes as it is, a = 1 and all else 0; from
`ENOUGH` on it expects what most real data show, that votes repeat each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Codes, Floats, Group
from carob.posterior.naive_bayes import softmax
from carob.votes import GoldPoints, Votes

SLOPES = np.exp(np.linspace(-4.5, 0.2, 24))  # the grid of a
EXPONENTS = (0.0, 0.5, 1.0)  # the grid of g
LOG_SLOPE_ERROR = 1.0  # standard deviation of log a at the usual number of votes
EXPONENT = 0.5  # g that is expected
EXPONENT_ERROR = 0.5  # its standard deviation
KEPT = 1e-3  # grid points below this share of the weight are left out
ENOUGH = 25  # gold labels from which on the prior is that of real data
MOST = 5_000  # gold points that are enough for these few numbers
_BLOCK = 1 << 16  # points at a time


@dataclass(frozen=True, eq=False)
class Recalibration:
    """A mixture of scalings, one per grid point kept.

    Parameters
    ----------
    weight, slope, exponent, count : arrays, shape (G,)
        Share of each in the mixture; a, g and c.
    shift : array, shape (G, K)
        b.
    once : tuple of tuples of int
        Groups of sources whose votes for a class count as one.
    """

    weight: Floats
    slope: Floats
    exponent: Floats
    count: Floats
    shift: Floats
    once: tuple[Group, ...] = ()

    def apply(self, probabilities: Floats, votes: Votes, class_balance: Floats) -> Floats:
        """Recalibrated probabilities from those of naive Bayes, shape (n, K)."""
        result = np.empty_like(probabilities)
        for low in range(0, len(votes), _BLOCK):
            rows = slice(low, low + _BLOCK)
            result[rows] = self._block(probabilities[rows], votes.leanings(low, low + _BLOCK, self.once), class_balance)
        return result

    def _block(self, probabilities: Floats, counts: Floats, class_balance: Floats) -> Floats:
        evidence, tally, number = _parts(probabilities, counts, class_balance)
        prior = np.log(class_balance)
        result = np.zeros_like(probabilities)
        for w, a, g, c, b in zip(self.weight, self.slope, self.exponent, self.count, self.shift, strict=True):
            score = prior + b + c * tally + (a * (2 / (number + 1)) ** g)[:, None] * evidence
            result += w * softmax(score)
        return np.where((number == 0)[:, None], class_balance, result)


def recalibrate(
    probabilities: Floats,
    points: GoldPoints,
    class_balance: Floats,
    shift_error: float,
    count_error: float,
    log_slope: float,
    once: tuple[Group, ...] = (),
) -> Recalibration:
    """Fit the scaling on gold.

    Parameters
    ----------
    probabilities : array, shape (g, K)
        Of naive Bayes on the gold points; best from models that have not seen the point's own label.
    points : GoldPoints
    shift_error : float
        Standard deviation of the log-odds of two classes that b may add; small where the class balance is known.
    count_error : float
        Standard deviation of c.
    log_slope : float
        Expected log a at the usual number of votes.
    once : tuple of tuples of int
        As in `Recalibration`.
    """
    kept = slice(None, None, max(1, len(points) // MOST))
    points = points.take(kept)
    evidence, tally, number = _parts(probabilities[kept], points.votes.leanings(once=once), class_balance)
    usual = np.log((np.median(number) + 1) / 2) if len(points) else 0.0
    K = len(class_balance)
    trust = max(min(1.0, len(points) / ENOUGH), 0.05)
    errors = trust * np.array([count_error, *[shift_error / np.sqrt(2)] * K])
    log_weight, theta = [], []
    for g in EXPONENTS:
        scaled = ((2 / (number + 1)) ** g)[:, None] * evidence
        offset = np.log(class_balance) + SLOPES[:, None, None] * scaled
        fitted, log_evidence = _fit(offset, tally, points.truth, errors)
        at_usual = (np.log(SLOPES) - g * usual - trust * log_slope) / (trust * LOG_SLOPE_ERROR)
        exponent = (g - trust * EXPONENT) / (trust * EXPONENT_ERROR)
        log_weight.append(log_evidence - 0.5 * at_usual**2 - 0.5 * exponent**2)
        theta.append(fitted)
    weight = np.exp(np.concatenate(log_weight) - np.max(log_weight))
    weight /= weight.sum()
    used = np.flatnonzero(weight >= KEPT)
    slope, exponents = np.tile(SLOPES, len(EXPONENTS)), np.repeat(EXPONENTS, len(SLOPES))
    chosen = np.concatenate(theta)[used]
    share = weight[used] / weight[used].sum()
    return Recalibration(share, slope[used], exponents[used], chosen[:, 0], chosen[:, 1:], once)


def _parts(probabilities: Floats, counts: Floats, class_balance: Floats) -> tuple[Floats, Floats, Floats]:
    """Log-likelihoods up to a constant, counts of votes as 2 n_y / (v + 2), and numbers of votes."""
    evidence = np.log(np.maximum(probabilities, 1e-300)) - np.log(class_balance)
    evidence -= evidence.mean(axis=1, keepdims=True)
    number = counts.sum(axis=1)
    return evidence, 2 * counts / (number + 2)[:, None], number


def _fit(offset: Floats, tally: Floats, truth: Codes, errors: Floats) -> tuple[Floats, Floats]:
    """Most probable (c, b_1, ..., b_K) for each of A scores without them, and the log-evidence of those scores.

    Parameters
    ----------
    offset : array, shape (A, n, K)
    tally : array, shape (n, K)
        What c multiplies.
    errors : array, shape (1 + K,)
        Standard deviations of c and b before gold.

    Returns
    -------
    theta : array, shape (A, 1 + K)
    log_evidence : array, shape (A,)
    """
    A, n, K = offset.shape
    hit = np.eye(K)[truth]
    theta = np.zeros((A, K + 1))
    precision = 1 / errors**2
    curvature = np.empty((A, K + 1, K + 1))
    for _ in range(25):
        p = softmax(offset + theta[:, :1, None] * tally + theta[:, None, 1:])
        mean = (p * tally).sum(axis=2)
        missed = hit - p
        gradient = np.concatenate([(missed * tally).sum(axis=(1, 2))[:, None], missed.sum(axis=1)], axis=1)
        # Minus the second derivative: what the scores vary by on each point, summed over points, and the prior.
        across = (p * (tally - mean[:, :, None])).sum(axis=1)
        curvature[:, 0, 0] = (p * tally**2).sum(axis=(1, 2)) - (mean**2).sum(axis=1)
        curvature[:, 0, 1:] = curvature[:, 1:, 0] = across
        curvature[:, 1:, 1:] = np.eye(K) * p.sum(axis=1)[:, None, :] - p.transpose(0, 2, 1) @ p
        curvature += np.diag(precision)
        step = np.linalg.solve(curvature, (gradient - precision * theta)[:, :, None])[:, :, 0]
        theta = theta + step
        if np.abs(step).max() < 1e-8:
            break
    score = offset + theta[:, :1, None] * tally + theta[:, None, 1:]
    top = score.max(axis=2)
    log_likelihood = score[:, np.arange(n), truth] - top - np.log(np.exp(score - top[:, :, None]).sum(axis=2))
    log_prior = -0.5 * ((theta / errors) ** 2).sum(axis=1)
    return theta, log_likelihood.sum(axis=1) + log_prior - 0.5 * np.linalg.slogdet(curvature)[1]
