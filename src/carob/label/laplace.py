"""What features add to scores of classes, fitted where classes are known, and how well each score then explains them.

Coefficients are normal around 0 beforehand; they are found by Newton's method, for all scores at once, and their log
evidence is Laplace's approximation.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from carob._types import Codes, Floats
from carob.posterior.naive_bayes import softmax

_STEPS = 40  # of Newton's method, at most
_FEW_FEATURES = 16  # of which all products are held
_FOUND = 1e-5  # a step of this size is the last
_SMALL = 1 << 18  # multiplications up to which a product of matrices starts no threads in OpenBLAS
_FEWEST = 16  # columns that are multiplied at a time, however many multiplications they take


def laplace(base: Floats, features: Floats, truth: Codes, precision: Floats) -> tuple[Floats, Floats]:
    """Fit what the features add to each of several scores, and how well each then explains the truth.

    Parameters
    ----------
    base : array, shape (C, g, K)
    features : array, shape (g, K, F)
    truth : array of int, shape (g,)
    precision : array, shape (F,)
        One over the variance of the coefficients, which are normal around 0.

    Returns
    -------
    coefficients : array, shape (C, F)
    log_evidence : array, shape (C,)
    """
    number, size = len(base), len(precision)
    found, step = np.zeros((number, size)), np.zeros((number, size))
    best = np.full(number, -np.inf)
    curvature = np.tile(np.diag(precision), (number, 1, 1))
    derivatives = _Derivatives(features, truth)
    left = np.arange(number)  # those of the scores whose coefficients still move
    for _ in range(_STEPS):
        tried = found[left] + step[left]
        p = softmax(base[left] + derivatives.sums(tried))
        likelihood = np.log(np.maximum(p[:, np.arange(len(truth)), truth], 1e-300)).sum(axis=1)
        value = likelihood - (precision * tried**2).sum(axis=1) / 2
        better = value >= best[left] - 1e-9
        step[left[~better]] /= 2  # on very sure scores Newton's step goes too far
        moved = left[better]
        found[moved], best[moved] = tried[better], value[better]
        if len(moved):
            slope, spread = derivatives.of(p[better])
            curvature[moved] = spread + np.diag(precision)
            step[moved] = np.linalg.solve(curvature[moved], (slope - precision * found[moved])[:, :, None])[:, :, 0]
        left = left[np.abs(step[left]).max(axis=1) >= _FOUND]
        if not len(left):
            break
    volume = np.linalg.slogdet(curvature)[1] - np.log(precision).sum()
    return found, best - volume / 2


class _Derivatives:
    """Slope and curvature of the log-likelihood in coefficients of features, as products of matrices.

    Parameters
    ----------
    features : array, shape (g, K, F)
    truth : array of int, shape (g,)
    """

    def __init__(self, features: Floats, truth: Codes) -> None:
        g, K, F = features.shape
        self._features = features
        self._flat = np.ascontiguousarray(features.reshape(g * K, F))
        self._right = features[np.arange(g), truth].sum(axis=0)
        # Few features: all their products, once. Many: weighed anew each time.
        self._products = (
            (self._flat[:, :, None] * self._flat[:, None, :]).reshape(g * K, F * F) if F <= _FEW_FEATURES else None
        )

    def sums(self, coefficients: Floats) -> Floats:
        """What the features add to the scores, shape (C, g, K), from coefficients of shape (C, F)."""
        g, K, _ = self._features.shape
        return (coefficients @ self._flat.T).reshape(len(coefficients), g, K)

    def of(self, p: Floats) -> tuple[Floats, Floats]:
        """Slope, shape (C, F), and curvature, shape (C, F, F), where the probabilities are p, shape (C, g, K)."""
        F = self._flat.shape[1]
        flat = p.reshape(len(p), len(self._flat))
        mean = reduce(np.add, (p[:, :, k, None] * self._features[:, k] for k in range(p.shape[2])))
        if self._products is not None:
            spread = _product(flat, self._products).reshape(len(p), F, F)
        else:
            spread = np.array([_product(self._flat.T, of_one[:, None] * self._flat) for of_one in flat])
        return self._right - _product(flat, self._flat), spread - mean.transpose(0, 2, 1) @ mean


def _product(a: Floats, b: Floats) -> Floats:
    """``a @ b`` as a sum of small products: threads would take longer to start than these, and change last bits."""
    columns = max(_FEWEST, _SMALL // (len(a) * b.shape[1]))
    parts = (slice(start, start + columns) for start in range(0, len(b), columns))
    return np.asarray(sum((a[:, part] @ b[part] for part in parts), np.zeros((len(a), b.shape[1]))))
