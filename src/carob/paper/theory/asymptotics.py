r"""What the paper's estimators do as n grows: exactly, not within bounds.

Every estimator is a function of the pair moments b_ij = E[l_i l_j] (or of E[l_i Y] with gold), whose estimates have

    n Cov(b_ij, b_kl) = E[l_i l_j l_k l_l] - b_ij b_kl.

A triplet x = sqrt(b_ij b_ik / b_jk) has derivative x / 2 (1 / b_ij, 1 / b_ik, -1 / b_jk). The mean of all triplets is
smooth, so its variance follows by the delta method. The median is not: where triplets tie in the limit, as all
consistent ones do, it follows an order statistic of the Gaussian that the delta method gives for the tied triplets,
whose mean need not be zero. Its mean and variance are taken over draws of that Gaussian, with the mean of triplets in
the same draws, whose variance is known, as a control. Nothing here lists vote patterns, so there may be a thousand
sources. Class-conditional triplets are the same with covariances in place of b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from carob._types import Bools, Floats
from carob.errors import of_kind, one_of
from carob.paper.theory.canonical import LARGEST, Edge
from carob.paper.theory.ising import Ising
from carob.paper.theory.loss import expected_log_loss
from carob.paper.theory.pair_noise import PairNoise
from carob.paper.theory.triplet_limits import (
    TripletLimits,
    allowed_pairs,
    mean_limits,
    moments_about,
    triplet_counts,
    triplet_limits,
)

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
        Excess loss of naive Bayes with the limit accuracies; for random triplets, averaged over draws of them. Infinite
        where a limit is no accuracy, 1 or more.
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
    known_pairs: Sequence[Edge] = (),
    symmetric: bool = True,
) -> Asymptotics:
    """Limit, standing bias and leading variance of one of the paper's estimators.

    Parameters
    ----------
    rng : numpy Generator or int, optional
        For the order statistic behind the median. Draws are fewer where sources are many: 5,000 up to 20 sources, 700
        for 40, and 30 from 110 on, which with 1,000 sources take minutes.
    known_pairs : sequence of (i, j)
        Pairs that are kept out of triplets, the paper's partial recovery.
    symmetric : bool
        Whether a source is as good in either class; if not, the class-conditional triplets of appendix B.1 with a
        class balance that is known. What is estimated is then P(l_i = 1 | Y = 1) - P(l_i = 1 | Y = -1), which in this
        model is E[l_i Y] too. Not for gold.

    Examples
    --------
    >>> truth = Ising.from_means([0.7, 0.6, 0.8, 0.65, 0.7, 0.75], agreements={(0, 1): 0.64})
    >>> asymptotics(truth, "mean").bias.round(3)
    array([ 0.139,  0.07 , -0.028, -0.014, -0.019, -0.023])
    >>> np.abs(asymptotics(truth, "median").bias).max() < 1e-12
    np.True_
    >>> np.abs(asymptotics(truth, "mean", known_pairs=[(0, 1)]).bias).max() < 1e-12
    np.True_
    """
    of_kind("truth", truth, Ising)
    one_of("learner", learner, ("labeled", "median", "mean", "random"))
    a, m = truth.a, truth.m
    nothing = np.zeros(m)
    if learner == "labeled":
        return Asymptotics(a, nothing, _excess(truth, a, 0.0), 1 - a**2, nothing, nothing)
    allowed = allowed_pairs(truth, tuple(known_pairs))
    centre = 0.0 if symmetric else float(truth.class_balance[1] - truth.class_balance[0])
    generator = np.random.default_rng(rng)
    drift, spread = nothing, nothing
    if learner == "median":
        limit, variance, drift = _medians(truth, centre, allowed, generator)
    elif learner == "mean":
        limit, variance = mean_limits(truth, centre, allowed), _mean_variances(truth, centre, allowed)
    else:
        limit, variance, spread = np.empty(m), np.empty(m), np.empty(m)
        chosen = np.empty((300 if m <= LARGEST else 10, m))  # draws of a random triplet; losses are lists, or grids
        for i in range(m):
            triplets = triplet_limits(truth, i, centre, allowed)
            limit[i], spread[i] = triplets.limit.mean(), triplets.limit.var()
            variance[i] = triplets.variance.mean()
            chosen[:, i] = generator.choice(triplets.limit, len(chosen))
        excess = float(np.mean([_excess(truth, row, centre) for row in chosen]))
        return Asymptotics(limit, limit - a, excess, variance, drift, spread)
    return Asymptotics(limit, limit - a, _excess(truth, limit, centre), variance, drift, spread)


def _excess(truth: Ising, x: Floats, centre: float) -> float:
    """Excess loss with these limits: accuracies where `centre` is 0, differences D where it is E[Y]."""
    share = truth.class_balance
    # P(l_i = 1 | Y): with centre E[Y], P(l_i = 1) is (1 + centre a_i) / 2; else it is that of a symmetric source.
    voted = (1 + centre * truth.a) / 2 if centre else (1 + (share[1] - share[0]) * x) / 2
    yes = np.stack([voted - share[1] * x, voted + share[0] * x])
    if not ((yes > 0) & (yes < 1)).all():
        return float("inf")
    against, for_it = np.log((1 - yes[1]) / (1 - yes[0])), np.log(yes[1] / yes[0])
    start = 2 * truth.theta_y + float((against + for_it).sum() / 2)
    return expected_log_loss(truth, start, (for_it - against) / 2).value - truth.conditional_entropy


def _mean_variances(truth: Ising, centre: float, allowed: Bools) -> Floats:
    """Variances of the means of triplets, times n, by the delta method."""
    noise = PairNoise(truth, centre)
    c = moments_about(truth, centre)
    result, number = np.empty(truth.m), triplet_counts(allowed)
    below = allowed / np.sqrt(c * (1 - centre**2))
    for i in range(truth.m):
        root = np.sqrt(c[i]) * allowed[i] / np.sqrt(number[i])
        x = root[:, None] * below * root  # all triplets (i, j, k), over their number
        gradient = x / (-2 * c)
        gradient[i] = gradient[:, i] = x.sum(axis=1) / (2 * c[i])
        result[i] = noise.variance(gradient)
    return result


def _medians(truth: Ising, centre: float, allowed: Bools, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Limits of the medians of triplets, n times their variances, and sqrt(n) times their vanishing biases."""
    m = truth.m
    noise = PairNoise(truth, centre)
    c = moments_about(truth, centre)
    most = m * (m - 1) * (m - 2) // 2
    draws = min(5_000, max(30, 20_000_000 // most))  # triplets in all
    batch = max(1, min(draws, 4_000_000 // max(m * m, most // m)))  # numbers at once
    limit, found, means = np.empty(m), np.empty((draws, m)), np.empty((draws, m))
    for low in range(0, draws, batch):
        rows = slice(low, min(low + batch, draws))
        errors = noise.draw(rows.stop - low, rng) / c
        for i in range(m):
            triplets = triplet_limits(truth, i, centre, allowed, noise=False)
            limit[i] = np.median(triplets.limit)
            found[rows, i], means[rows, i] = _errors(triplets, errors, i)
    # The means of triplets in the same draws have a variance that is known, and medians go with them.
    slope = (found * means).mean(axis=0) / (means**2).mean(axis=0)
    rest = found - slope * means
    variance = slope**2 * _mean_variances(truth, centre, allowed) + rest.var(axis=0, ddof=2)
    return limit, variance, rest.mean(axis=0)


def _errors(triplets: TripletLimits, errors: Floats, i: int) -> tuple[Floats, Floats]:
    """Errors of median and mean, times sqrt(n), from relative errors of the pair moments, shape (draws, m, m)."""
    x, j, k = triplets.limit, triplets.first, triplets.second
    moved = (errors[:, i, j] + errors[:, i, k] - errors[:, j, k]) * (x / 2)
    T, order = len(x), np.sort(x)
    ranks = [T // 2] if T % 2 else [T // 2 - 1, T // 2]
    median = np.zeros(len(errors))
    for rank in ranks:
        # Each of the middle ranks is an order statistic among the triplets tied with it.
        tied = np.abs(x - order[rank]) < _TIE
        place = rank - int((x < order[rank] - _TIE).sum())
        median += np.partition(moved[:, tied], place, axis=1)[:, place] / len(ranks)
    return median, moved.mean(axis=1)
