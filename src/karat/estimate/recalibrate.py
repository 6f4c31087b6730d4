r"""Probabilities that are as sure as gold shows them to be.

Naive Bayes counts dependent votes as if each were evidence of its own, so its log-likelihoods L are too large. They are
scaled, and what a plain count of votes says is added,

    score_y = log P(y) + a (2 / (v + 1))^g L_y + c 2 n_y / (v + 2) + b_y,

with v votes on the point, n_y of them for class y. c and b are normal around 0 and fitted on gold for every slope a and
exponent g of a grid; the probabilities are averaged over the grid, weighted by how well each explains gold (Laplace's
approximation) and by a prior. With few gold labels the prior keeps to naive Bayes as it is, a = 1 and all else 0; from
`_ENOUGH` on it expects what most real data show, that votes repeat each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.source_model import Floats
from karat.votes import Gold, Votes

_SLOPES = np.exp(np.linspace(-4.5, 0.2, 24))
_EXPONENTS = (0.0, 0.5, 1.0)
_LOG_SLOPE = (-0.3, 1.0)  # mean and standard deviation of log a at the usual number of votes
_EXPONENT = (0.5, 0.5)
_COUNT = 0.5  # standard deviation of c
_KEPT = 1e-3  # grid points below this share of the weight are left out
_ENOUGH = 25  # gold labels from which on the prior is that of real data
_MOST = 5_000  # gold points that are enough for these few numbers


@dataclass(frozen=True, eq=False)
class Recalibration:
    """A mixture of scalings, one per grid point kept.

    Parameters
    ----------
    weight, slope, exponent, count : arrays, shape (G,)
        Share of each in the mixture; a, g and c.
    shift : array, shape (G, K)
        b.
    """

    weight: Floats
    slope: Floats
    exponent: Floats
    count: Floats
    shift: Floats

    def apply(self, probabilities: Floats, votes: Votes, class_balance: Floats) -> Floats:
        """Recalibrated probabilities from those of naive Bayes, shape (n, K)."""
        evidence, tally, number = _parts(probabilities, votes, class_balance)
        prior = np.log(class_balance)
        result = np.zeros_like(probabilities)
        for w, a, g, c, b in zip(self.weight, self.slope, self.exponent, self.count, self.shift, strict=True):
            score = prior + b + c * tally + (a * (2 / (number + 1)) ** g)[:, None] * evidence
            result += w * _softmax(score)
        return np.where((number == 0)[:, None], class_balance, result)

    @property
    def mean_slope(self) -> float:
        """What the log-likelihoods are multiplied by on a point with one vote, on average."""
        return float(self.weight @ self.slope)


def recalibrate(
    probabilities: Floats, votes: Votes, gold: Gold, class_balance: Floats, shift_error: float = 0.3
) -> Recalibration:
    """Fit the scaling on gold.

    Parameters
    ----------
    probabilities : array, shape (n, K)
        Of naive Bayes on the gold points; best from models that have not seen the point's own label.
    votes, gold : Votes and Gold
        Of the same points.
    shift_error : float
        Standard deviation of the log-odds of two classes that b may add; small where the class balance is known.
    """
    rows = np.flatnonzero(gold.known)[:: max(1, int(gold.known.sum()) // _MOST)]
    truth = gold.values[rows]
    evidence, tally, number = _parts(probabilities[rows], votes.take(rows), class_balance)
    usual = np.log((np.median(number) + 1) / 2) if len(rows) else 0.0
    K = len(class_balance)
    trust = max(min(1.0, len(rows) / _ENOUGH), 0.05)
    spread = trust * np.array([_COUNT, *[shift_error / np.sqrt(2)] * K])
    found = []
    for g in _EXPONENTS:
        scaled = ((2 / (number + 1)) ** g)[:, None] * evidence
        for a in _SLOPES:
            offset = np.log(class_balance) + a * scaled
            fitted, log_evidence = _fit(offset, tally, truth, spread)
            at_usual = (np.log(a) - g * usual - trust * _LOG_SLOPE[0]) / (trust * _LOG_SLOPE[1])
            exponent = (g - trust * _EXPONENT[0]) / (trust * _EXPONENT[1])
            log_evidence -= 0.5 * at_usual**2 + 0.5 * exponent**2
            found.append((log_evidence, a, g, fitted))
    log_weight = np.array([row[0] for row in found])
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    kept = np.flatnonzero(weight >= _KEPT)
    return Recalibration(
        weight[kept] / weight[kept].sum(),
        np.array([found[k][1] for k in kept]),
        np.array([found[k][2] for k in kept]),
        np.array([found[k][3][0] for k in kept]),
        np.array([found[k][3][1:] for k in kept]),
    )


def _parts(probabilities: Floats, votes: Votes, class_balance: Floats) -> tuple[Floats, Floats, Floats]:
    """Log-likelihoods up to a constant, counts of votes as 2 n_y / (v + 2), and numbers of votes."""
    evidence = np.log(np.maximum(probabilities, 1e-300)) - np.log(class_balance)
    evidence -= evidence.mean(axis=1, keepdims=True)
    counts = np.stack([(votes.values == y).sum(axis=1) for y in range(len(class_balance))], axis=1).astype(np.float64)
    number = counts.sum(axis=1)
    return evidence, 2 * counts / (number + 2)[:, None], number


def _softmax(score: Floats) -> Floats:
    score = np.exp(score - score.max(axis=1, keepdims=True))
    return score / score.sum(axis=1, keepdims=True)


def _fit(offset: Floats, tally: Floats, truth: npt.NDArray[np.int8], spread: Floats) -> tuple[Floats, float]:
    """Most probable (c, b_1, ..., b_K) given the rest of the score, and the log-evidence of that rest."""
    n, K = offset.shape
    features = np.concatenate([tally[:, :, None], np.broadcast_to(np.eye(K), (n, K, K))], axis=2)  # (n, K, 1 + K)
    hit = np.eye(K)[truth]
    theta = np.zeros(K + 1)
    precision = np.diag(1 / spread**2)
    for _ in range(25):
        p = _softmax(offset + features @ theta)
        gradient = np.einsum("nk,nkf->f", hit - p, features) - precision @ theta
        mean = np.einsum("nk,nkf->nf", p, features)
        curvature = np.einsum("nk,nkf,nkh->fh", p, features, features, optimize=True) - mean.T @ mean + precision
        step = np.linalg.solve(curvature, gradient)
        theta = theta + step
        if np.abs(step).max() < 1e-8:
            break
    score = offset + features @ theta
    top = score.max(axis=1)
    log_likelihood = float((score[np.arange(n), truth] - top - np.log(np.exp(score - top[:, None]).sum(axis=1))).sum())
    log_prior = -0.5 * float(((theta / spread) ** 2).sum())
    return theta, log_likelihood + log_prior - 0.5 * float(np.linalg.slogdet(curvature)[1])
