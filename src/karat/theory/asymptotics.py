r"""What the paper's estimators do as n grows: exactly, not within bounds.

Every estimator is a function of the pair moments b_ij = E[l_i l_j] (or of E[l_i Y] with gold), whose estimates have

    n Cov(b_ij, b_kl) = E[l_i l_j l_k l_l] - b_ij b_kl.

A triplet x = sqrt(b_ij b_ik / b_jk) has derivative x / 2 (1 / b_ij, 1 / b_ik, -1 / b_jk). The mean of all triplets is
smooth, so its variance follows by the delta method. The median is not: where triplets tie in the limit, as all
consistent ones do, it follows an order statistic of the Gaussian that the delta method gives for the tied triplets,
whose mean need not be zero. Its mean and variance are taken over draws of that Gaussian.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from karat._types import Floats
from karat.errors import InputError, one_of
from karat.theory.canonical import LARGEST, signs
from karat.theory.ising import Ising, accuracy_model
from karat.theory.loss import expected_loss

_DRAWS = 20_000
_CHOICES = 300  # draws of a random triplet for every source
_TIE = 1e-9  # triplets nearer than this in the limit are tied


@dataclass(frozen=True, eq=False)
class Asymptotics:
    """Limit of an estimator as n grows.

    Parameters
    ----------
    limit : array, shape (m,)
        Where the estimate of each E[l_i Y] goes; over the choice of triplets, its mean.
    bias : array, shape (m,)
        The limit less the truth: the standing bias.
    excess : float
        Excess loss of naive Bayes with the limit accuracies; for random triplets, averaged over draws of them.
    variance : array, shape (m,)
        n times the variance of each estimate, as n grows.
    drift : array, shape (m,)
        sqrt(n) times the bias that vanishes; not zero for a median of ties off its middle.
    triplet_variance : array, shape (m,)
        Variance over the choice of triplets, which does not vanish; zero unless the triplets are random.
    """

    limit: Floats
    bias: Floats
    excess: float
    variance: Floats
    drift: Floats
    triplet_variance: Floats


def asymptotics(
    truth: Ising,
    learner: Literal["labeled", "median", "mean", "random"],
    rng: np.random.Generator | int | None = 0,
) -> Asymptotics:
    """Limit, standing bias and leading variance of one of the paper's estimators.

    Parameters
    ----------
    rng : numpy Generator or int, optional
        For the order statistic behind the median.

    Examples
    --------
    >>> truth = Ising.from_means([0.7, 0.6, 0.8, 0.65, 0.7, 0.75], agreements={(0, 1): 0.64})
    >>> asymptotics(truth, "mean").bias.round(3)
    array([ 0.139,  0.07 , -0.028, -0.014, -0.019, -0.023])
    >>> np.abs(asymptotics(truth, "median").bias).max() < 1e-12
    np.True_
    """
    one_of("learner", learner, ("labeled", "median", "mean", "random"))
    a, m = truth.a, truth.m
    nothing = np.zeros(m)
    if learner == "labeled":
        return Asymptotics(a, nothing, _excess(truth, a), 1 - a**2, nothing, nothing)
    if m < 3:
        raise InputError(f"triplets need three sources at least; there are {m}.")
    if (truth.pair_moments <= 0).any():
        raise InputError("asymptotics of triplets need sources that all agree more often than not.")
    covariance = pair_covariance(truth)
    generator = np.random.default_rng(rng)
    limit, variance, drift, spread = np.empty(m), np.empty(m), np.zeros(m), np.zeros(m)
    chosen = np.empty((_CHOICES, m))
    for i in range(m):
        values, jacobian = _triplets(truth.pair_moments, i)
        if learner == "median":
            limit[i], variance[i], drift[i] = _median(values, jacobian @ covariance @ jacobian.T, generator)
            continue
        limit[i] = values.mean()
        if learner == "mean":
            gradient = jacobian.mean(axis=0)
            variance[i] = gradient @ covariance @ gradient
        else:
            variance[i] = np.einsum("tp,pq,tq->t", jacobian, covariance, jacobian).mean()
            spread[i] = values.var()
            chosen[:, i] = generator.choice(values, _CHOICES)
    excess = np.mean([_excess(truth, row) for row in chosen]) if learner == "random" else _excess(truth, limit)
    return Asymptotics(limit, limit - a, float(excess), variance, drift, spread)


def _excess(truth: Ising, a: Floats) -> float:
    return expected_loss(truth, accuracy_model(a, truth.class_balance)).value - truth.conditional_entropy


def pair_covariance(truth: Ising) -> Floats:
    """Covariance of the estimates of E[l_i l_j], i < j as `combinations` orders them, times n; shape (pairs, pairs)."""
    if truth.m > LARGEST:
        raise InputError(
            f"covariances of pair moments are enumerated, for at most {LARGEST} sources; there are {truth.m}."
        )
    first, second = np.array(list(combinations(range(truth.m), 2))).T
    s = signs(truth.m)
    p = truth.probabilities.sum(axis=1)
    result = np.zeros((len(first), len(first)))
    for low in range(0, len(s), 1 << 14):
        rows = slice(low, low + (1 << 14))
        products = s[rows][:, first] * s[rows][:, second]
        result += products.T @ (products * p[rows, None])
    b = truth.pair_moments[first, second]
    return result - np.outer(b, b)


def _triplets(b: Floats, i: int) -> tuple[Floats, Floats]:
    """Limits of all triplets of source i, shape (T,), and their derivatives by the pair moments, shape (T, pairs)."""
    m = len(b)
    place = {pair: k for k, pair in enumerate(combinations(range(m), 2))}
    others = [j for j in range(m) if j != i]
    values, jacobian = [], []
    for j, k in combinations(others, 2):
        x = np.sqrt(b[i, j] * b[i, k] / b[j, k])
        row = np.zeros(len(place))
        row[place[min(i, j), max(i, j)]] = x / 2 / b[i, j]
        row[place[min(i, k), max(i, k)]] = x / 2 / b[i, k]
        row[place[j, k]] = -x / 2 / b[j, k]
        values.append(x)
        jacobian.append(row)
    return np.array(values), np.array(jacobian)


def _median(values: Floats, covariance: Floats, rng: np.random.Generator) -> tuple[float, float, float]:
    """Limit of the median of triplets, n times its variance, and sqrt(n) times its vanishing bias."""
    T = len(values)
    middle = np.median(values)
    order = np.sort(values)
    ranks = [T // 2] if T % 2 else [T // 2 - 1, T // 2]
    # Each of the middle ranks is an order statistic among the triplets tied with it.
    draws = np.zeros(_DRAWS)
    noise: dict[int, npt.NDArray[np.float64]] = {}
    for rank in ranks:
        tied = np.flatnonzero(np.abs(values - order[rank]) < _TIE)
        key = int(tied[0])
        if key not in noise:
            root = _root(covariance[np.ix_(tied, tied)])
            noise[key] = np.sort(rng.standard_normal((_DRAWS, len(root))) @ root.T, axis=1)
        below = int((values < order[rank] - _TIE).sum())
        draws += noise[key][:, rank - below] / len(ranks)
    return float(middle), float(draws.var()), float(draws.mean())


def _root(covariance: Floats) -> Floats:
    """A matrix whose square is the covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
