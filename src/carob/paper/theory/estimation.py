r"""The estimation error sum_i E KL(P(l_i | Y) || est(l_i | Y)) of the paper's estimators, exactly to order 1/n.

The paper expands about a-bar, the mean limit of a random triplet. Under dependence triplets have different limits, so
that a random one stays away from their mean however large n is:

    E (a~ - abar)^2 = E (a~ - abar_jk)^2 + Var over triplets of abar_jk.

The second part does not vanish. For d > 0 the second line of the sampling-error lemma, the o(1/n) of lemma:taylor and
the equality eq:lower_bound_est_err therefore hold for the *mean* of triplets but not for a random one. What holds is
the expansion about each triplet's own limit, and then the mean over triplets; by Jensen's inequality it is above the
paper's, so that Theorem 4 stays true.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from carob._types import Floats
from carob.paper.theory.asymptotics import Asymptotics, asymptotics
from carob.paper.theory.ising import Ising
from carob.paper.theory.lemmas import kl_expansion
from carob.paper.theory.triplet_limits import mean_limits, triplet_limits


def estimation_error(
    truth: Ising, learner: Literal["labeled", "median", "mean", "random"], n: float = np.inf
) -> Floats:
    """E KL(P(l_i | Y) || est(l_i | Y)) of each source, in nats, to order 1/n; shape (m,).

    Parameters
    ----------
    n : float
        Points, with gold or without; infinite for the limit. The median's is to leading order only.

    Examples
    --------
    >>> truth = Ising.from_means([0.7, 0.6, 0.8, 0.65, 0.7, 0.75], agreements={(0, 1): 0.64})
    >>> round(estimation_error(truth, "random").sum(), 4), round(estimation_error(truth, "mean").sum(), 4)
    (np.float64(0.0596), np.float64(0.0167))
    >>> estimation_error(truth, "labeled", 100).sum().round(3)  # m / (2 n)
    np.float64(0.03)
    """
    a = truth.a
    if learner == "random":
        return np.array([_of_random_triplets(truth, i, n) for i in range(truth.m)])
    if learner == "mean" and np.isinf(n):  # needs no noise
        return _expanded(a, mean_limits(truth), np.zeros(truth.m), np.zeros(truth.m))
    found = _asymptotics(truth, learner)
    mean_error = found.drift / np.sqrt(n)
    if learner == "mean":
        mean_error = np.array([triplet_limits(truth, i).drift.mean() for i in range(truth.m)]) / n
    return _expanded(a, found.limit, mean_error, (found.variance + found.drift**2) / n)


@lru_cache(maxsize=8)
def _asymptotics(truth: Ising, learner: Literal["labeled", "median", "mean"]) -> Asymptotics:
    """Of the same model, for one n after another."""
    return asymptotics(truth, learner)


def _of_random_triplets(truth: Ising, i: int, n: float) -> float:
    """The mean over triplets of the expansion about each triplet's limit."""
    triplets = triplet_limits(truth, i)
    return float(_expanded(truth.a[i], triplets.limit, triplets.drift / n, triplets.variance / n).mean())


def _expanded(a: Floats, limit: Floats, mean_error: Floats, mean_square: Floats) -> Floats:
    """lemma:KL_estimation; infinite where a limit is no accuracy."""
    fine = limit < 1
    inside = np.where(fine, limit, 0.0)
    return np.where(fine, kl_expansion(a, inside, mean_error, mean_square), np.inf)
