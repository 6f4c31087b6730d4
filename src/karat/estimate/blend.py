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
import numpy.typing as npt

from karat.estimate.triplets import Problem
from karat.source_model import Floats
from karat.votes import Gold, Votes

_MULTIPLE = 0.5  # standard deviation of s around 1, before gold
_SMALLEST = 0.001  # tau^2 is never taken to be smaller: no unlabeled estimate is exact
_WORTH = 10.0  # gold labels that both of these count for: errors on one point are shared by all sources
_LARGEST = 0.98  # of |x| of a symmetric source


@dataclass(frozen=True, eq=False)
class Blend:
    """Blended parameters, and what went into them.

    Parameters
    ----------
    x : array, shape (F,)
        As in `Problem`: signed parameters of the features.
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


def blend(problem: Problem, x: Floats, votes: Votes, gold: Gold, class_balance: Floats, spread: float) -> Blend:
    """Blend the unlabeled parameters `x` of a triplet problem with gold.

    Parameters
    ----------
    problem : Problem
        Triplets of all votes.
    x : array, shape (F,)
        Their solution, signed.
    votes, gold : Votes and Gold
        Of the gold points, or of all; points without gold are left out.
    spread : float
        tau^2 before gold.
    """
    known = gold.known
    values, truth = votes.values[known], gold.values[known]
    if problem.symmetric:
        found, noise, unit = _symmetric_gold(problem, values, truth, len(class_balance))
    else:
        found, noise, unit = _conditional_gold(problem, values, truth, class_balance)
    prior = np.divide(x, unit, out=np.zeros_like(x), where=unit > 0)
    multiple, spread = _fit(found, prior, noise, int(known.sum()), spread)
    weight = np.where(np.isfinite(noise), spread / (spread + noise), 0.0)
    mean = multiple * prior
    mixed = mean + weight * (np.where(weight > 0, found, mean) - mean)
    precision = 1 / spread + np.where(np.isfinite(noise), 1 / noise, 0)
    total = np.where(np.isfinite(noise), 1 / (spread + noise), 0)
    of_multiple = 1 / ((total * prior**2).sum() + 1 / _MULTIPLE**2)
    error = np.sqrt(1 / precision + ((1 - weight) * prior) ** 2 * of_multiple)
    if problem.symmetric:
        mixed = np.clip(mixed, -_LARGEST, _LARGEST)
    return Blend(mixed * unit, error * unit, weight, multiple)


def _symmetric_gold(
    problem: Problem, values: npt.NDArray[np.int8], truth: npt.NDArray[np.int8], K: int
) -> tuple[Floats, Floats, Floats]:
    """X of each source from gold, its variance (infinite without gold votes), and the unit of both."""
    cast = (values >= 0).sum(axis=0)
    right = (values == truth[:, None]).sum(axis=0)
    x = (K * right / np.maximum(cast, 1) - 1) / (K - 1)
    largest = (K / (K - 1)) ** 2 / 4  # variance of one vote at its largest: small counts say little of it
    noise = np.where(cast > 0, largest / np.maximum(cast, 1), np.inf)
    return x, noise, np.ones(len(x))


def _conditional_gold(
    problem: Problem, values: npt.NDArray[np.int8], truth: npt.NDArray[np.int8], class_balance: Floats
) -> tuple[Floats, Floats, Floats]:
    """The same for class-conditional features, in units of sqrt(p (1 - p) / (pi (1 - pi)))."""
    rest, pi = class_balance
    p = problem.moments.single[problem.source, problem.vote] / problem.moments.n
    turn = np.where(problem.vote == 1, 1, -1)
    unit = np.sqrt(p * (1 - p) / (pi * rest))
    features = values[:, problem.source] == problem.vote
    # P(f | 1) = p + (1 - pi) D and P(f | 0) = p - pi D: either class gives D, weighted by how well.
    ones, zeros = (truth == 1).sum(), (truth == 0).sum()
    weights = ones * rest**2, zeros * pi**2
    whole = sum(weights)
    if whole == 0:
        return np.zeros(len(p)), np.full(len(p), np.inf), unit
    D = (
        ones * rest * (features[truth == 1].sum(axis=0) / max(ones, 1) - p)
        - zeros * pi * (features[truth == 0].sum(axis=0) / max(zeros, 1) - p)
    ) / whole
    # A feature that every point has, or none, tells nothing.
    some = unit > 0
    found = np.divide(D * turn, unit, out=np.zeros(len(p)), where=some)
    return found, np.where(some, pi * rest / whole, np.inf), unit


def _fit(found: Floats, prior: Floats, noise: Floats, n: int, before: float) -> tuple[float, float]:
    """Fit s and tau^2 to n gold labels, by alternating weighted least squares and matching of the second moment."""
    some = np.isfinite(noise)
    if not some.any():
        return 1.0, before
    found, prior, noise = found[some], prior[some], noise[some]
    multiple, spread, trust = 1.0, before, n / (n + _WORTH)
    for _ in range(50):
        weight = trust / (spread + noise)
        new = ((weight * found * prior).sum() + 1 / _MULTIPLE**2) / ((weight * prior**2).sum() + 1 / _MULTIPLE**2)
        gap = (found - new * prior) ** 2 - noise
        seen = float((weight**2 * gap).sum() / (weight**2).sum())
        new_spread = max(trust * seen + (1 - trust) * before, _SMALLEST)
        settled = abs(new - multiple) + abs(new_spread - spread) < 1e-10
        multiple, spread = float(new), new_spread
        if settled:
            break
    return multiple, spread
