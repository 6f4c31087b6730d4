"""The covariance of pair moments by listing all vote patterns, which is slow, and right."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from carob._types import Floats
from carob.paper.theory.canonical import signs
from carob.paper.theory.ising import Ising


def pair_covariance(truth: Ising, centre: float = 0.0) -> Floats:
    """Covariance of the estimates of E[w_i w_j], i < j as `combinations` orders them, times n; shape (pairs, pairs)."""
    first, second = np.array(list(combinations(range(truth.m), 2))).T
    w = signs(truth.m) - centre * truth.a
    p = truth.probabilities.sum(axis=1)
    result = np.zeros((len(first), len(first)))
    for low in range(0, len(w), 1 << 14):
        rows = slice(low, low + (1 << 14))
        products = w[rows][:, first] * w[rows][:, second]
        result += products.T @ (products * p[rows, None])
    c = truth.pair_moments[first, second] - centre**2 * truth.a[first] * truth.a[second]
    return np.asarray(result - np.outer(c, c))
