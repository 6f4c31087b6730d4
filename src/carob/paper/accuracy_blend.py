r"""Accuracies from votes and gold together: an empirical-Bayes blend per parameter.

Votes alone give an estimate x_U that may be biased, gold gives x_L with noise of known size v. The truth is taken to be
normal around a multiple of the unlabeled estimate,

    x ~ N(s x_U, tau^2),    x_L ~ N(x, v),

with s and tau fitted over all parameters. Then x = s x_U + w (x_L - s x_U) with w = tau^2 / (tau^2 + v): gold counts
where the votes have shown to mislead, and where there is enough of it. For class-conditional sources x is D of a
feature in units in which v = 1 / n: the share of each output is known from all votes, so D alone is left to learn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats
from carob.paper.triplet_fit import Solution
from carob.votes import GoldPoints

MULTIPLE = 0.5  # standard deviation of s around 1, before gold
SMALLEST = 0.001  # tau^2 is never taken to be smaller: no unlabeled estimate is exact
WORTH = 10.0  # gold labels that both of these count for: errors on one point are shared by all sources


@dataclass(frozen=True, eq=False)
class Blend:
    """Blended parameters, and what went into them.

    Parameters
    ----------
    x : array, shape (F,)
        Signed parameters of the features.
    error : array, shape (F,)
        Their standard deviations, in the same units.
    gold_weight : array, shape (F,)
        w: the share of gold in each.
    multiple : float
        s.
    """

    x: Floats
    error: Floats
    gold_weight: Floats
    multiple: float


def blend(solution: Solution, points: GoldPoints, variance: float) -> Blend:
    """Blend the parameters that triplets found with gold.

    Parameters
    ----------
    solution : Solution
        Triplets of all votes.
    points : GoldPoints
    variance : float
        tau^2 before gold.
    """
    problem = solution.problem
    gold = problem.kind.gold_view(problem.moments, problem.features, points, solution.class_balance)
    prior = np.divide(solution.x, gold.unit, out=np.zeros_like(solution.x), where=gold.unit > 0)
    multiple, variance = _fit(gold.x, prior, gold.variance, len(points), variance)
    told = np.isfinite(gold.variance)
    weight = np.where(told, variance / (variance + gold.variance), 0.0)
    mean = multiple * prior
    mixed = mean + weight * (np.where(weight > 0, gold.x, mean) - mean)
    precision = 1 / variance + np.where(told, 1 / gold.variance, 0)
    total = np.where(told, 1 / (variance + gold.variance), 0)
    of_multiple = 1 / ((total * prior**2).sum() + 1 / MULTIPLE**2)
    error = np.sqrt(1 / precision + ((1 - weight) * prior) ** 2 * of_multiple)
    mixed = np.clip(mixed, -problem.kind.largest, problem.kind.largest)
    return Blend(mixed * gold.unit, error * gold.unit, weight, multiple)


def _fit(found: Floats, prior: Floats, noise: Floats, n: int, before: float) -> tuple[float, float]:
    """S and tau^2 of n gold labels, by alternating weighted least squares and matching of the second moment."""
    some = np.isfinite(noise)
    if not some.any():
        return 1.0, before
    found, prior, noise = found[some], prior[some], noise[some]
    multiple, variance, trust = 1.0, before, n / (n + WORTH)
    for _ in range(50):
        weight = trust / (variance + noise)
        new = ((weight * found * prior).sum() + 1 / MULTIPLE**2) / ((weight * prior**2).sum() + 1 / MULTIPLE**2)
        gap = (found - new * prior) ** 2 - noise
        seen = float((weight**2 * gap).sum() / (weight**2).sum())
        new_variance = max(trust * seen + (1 - trust) * before, SMALLEST)
        settled = abs(new - multiple) + abs(new_variance - variance) < 1e-10
        multiple, variance = float(new), new_variance
        if settled:
            break
    return multiple, variance
