r"""Many samples of the paper's synthetic distribution at once.

With balanced classes and sources that are as good in either class, all that matters of a point is which sources are
right: r = votes * Y in {-1, +1}^m, of which there are 2^m. A sample of n points is one multinomial draw over these
patterns. The labeled estimate of E[l_i Y] is the mean of r_i, the pair moments E[l_i l_j] are means of r_i r_j, and the
loss of naive Bayes with accuracies a is

    sum over r of P(r) log(1 + exp(-z_r)),    z_r = sum_i r_i log((1 + a_i) / (1 - a_i)).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from carob._types import Floats
from carob.paper.settings import Negative
from carob.paper.theory.canonical import signs
from carob.paper.theory.ising import Ising
from carob.posterior.losses import CERTAIN

Aggregate = Literal["mean", "median"]
_BLOCK = 128  # samples whose losses fit into a processor's cache


class Trials:
    """The patterns of a synthetic distribution and their probabilities."""

    def __init__(self, truth: Ising) -> None:
        self.truth = truth
        self.m = truth.m
        self.r = signs(truth.m)
        # Where Y = +1 a pattern of votes is a pattern of who is right.
        self.p = truth.probabilities[:, 1] / truth.probabilities[:, 1].sum()
        self._half = self.m // 2

    def sample(self, n: int, size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """How many of n points have each pattern, for `size` samples; shape (size, 2**m)."""
        return rng.multinomial(n, self.p, size=size)

    def labeled(self, n: int, size: int, rng: np.random.Generator) -> Floats:
        """Labeled estimates of E[l_i Y] from n points, shape (size, m), clipped.

        Drawn component by component: sources that do not depend on each other are right independently.
        """
        a = np.empty((size, self.m))
        for component, p in zip(self.truth.components, self.truth.component_probabilities, strict=True):
            counts = rng.multinomial(n, p / p.sum(), size=size)
            a[:, component] = counts @ signs(len(component)) / n
        return clipped(a, n)

    def moments(self, counts: npt.NDArray[np.int64]) -> Floats:
        """Pair moments E[l_i l_j], shape (size, m, m)."""
        first, second = np.triu_indices(self.m, 1)
        products = self.r[:, first] * self.r[:, second]
        found = counts @ products / counts.sum(axis=1, keepdims=True)
        b = np.ones((len(counts), self.m, self.m))
        b[:, first, second] = b[:, second, first] = found
        return b

    def loss(self, a: Floats) -> Floats:
        """Expected loss of naive Bayes with accuracies a, shape (size, m); one number per sample."""
        # exp(-z) is a product over sources, so that of a pattern is one of a first half times one of a second half.
        ratio = (1 - a) / (1 + a)
        first, second = (self._half_products(part) for part in np.split(ratio, [self._half], axis=1))
        result = np.empty(len(a))
        low, high = CERTAIN / (1 - CERTAIN), (1 - CERTAIN) / CERTAIN
        for start in range(0, len(a), _BLOCK):
            rows = slice(start, start + _BLOCK)
            x = (first[rows, :, None] * second[rows, None, :]).reshape(-1, len(self.p))
            np.clip(x, low, high, out=x)
            x += 1
            np.log(x, out=x)
            result[rows] = x @ self.p
        return result

    @staticmethod
    def _half_products(ratio: Floats) -> Floats:
        """Product over sources of ratio^r, for every pattern r of these sources in the order of `signs`."""
        result = np.ones((len(ratio), 1))
        for factor in ratio.T:
            both = np.stack([1 / factor, factor], axis=1)  # r = -1, r = +1
            result = (result[:, :, None] * both[:, None, :]).reshape(len(ratio), -1)
        return result

    def excess(self, a: Floats) -> Floats:
        """Loss beyond that of the true posterior."""
        return self.loss(a) - self.truth.conditional_entropy


def clipped(a: Floats, n: int) -> Floats:
    """Accuracies on the scale of E[l_i Y] whose probabilities are cut to [1/n, 1 - 1/n]."""
    return np.clip(a, -1 + 2 / n, 1 - 2 / n)


def triplet_accuracies(b: Floats, n: int, aggregate: Aggregate, negative: Negative = "drop") -> Floats:
    """The triplet estimates of E[l_i Y], shape (size, m), of many samples, as the paper's figures ran them.

    A moment that is 0 is taken as 1/n; a triplet with a negative ratio is left out, or its absolute value taken; every
    triplet is cut to 1 - 1/n before the aggregate.

    `b`, shape (size, m, m): pair moments of samples of n points.
    """
    return clipped(aggregate_all(np.where(b == 0, 1 / n, b), aggregate, negative, 1 - 1 / n), n)


def random_triplet_accuracies(b: Floats, n: int, rng: np.random.Generator) -> Floats:
    """The same with one triplet of each source, drawn at random among those that are usable."""
    b = np.where(b == 0, 1 / n, b)
    m, rows = b.shape[1], np.arange(len(b))
    j, k = np.triu_indices(m - 1, 1)
    result = np.empty(b.shape[:2])
    for i in range(m):
        others = np.delete(np.arange(m), i)
        ratio = b[:, i, others[j]] * b[:, i, others[k]] / b[:, others[j], others[k]]
        drawn = ratio[rows, np.where(ratio > 0, rng.random(ratio.shape), -1).argmax(axis=1)]
        result[:, i] = np.minimum(np.sqrt(np.maximum(drawn, 0)), 1 - 1 / n)
    return clipped(result, n)


def aggregate_all(b: Floats, aggregate: Aggregate, negative: Negative, limit: float = np.inf) -> Floats:
    """Aggregate ``sqrt(b_ij b_ik / b_jk)``, each cut to `limit`, over all j, k; for many b, shape (size, m, m)."""
    m = b.shape[1]
    j, k = np.triu_indices(m - 1, 1)
    result = np.empty(b.shape[:2])
    for i in range(m):
        others = np.delete(np.arange(m), i)
        ratio = b[:, i, others[j]] * b[:, i, others[k]] / b[:, others[j], others[k]]
        if negative == "absolute":
            ratio = np.abs(ratio)
        usable = ratio > 0
        x = np.minimum(np.sqrt(np.where(usable, ratio, 0)), limit)
        result[:, i] = _aggregated(x, usable, aggregate)
    return result


def _aggregated(x: Floats, usable: npt.NDArray[np.bool_], aggregate: Aggregate) -> Floats:
    """Mean or median of each row of `x`, of the usable entries alone; 0 where there is none."""
    number = usable.sum(axis=1)
    if aggregate == "mean":
        return np.asarray((x * usable).sum(axis=1) / np.maximum(number, 1))
    ordered = np.sort(np.where(usable, x, np.inf), axis=1)
    rows = np.arange(len(x))
    lower, upper = (ordered[rows, np.maximum(place, 0)] for place in ((number - 1) // 2, number // 2))
    return np.where(number > 0, (lower + upper) / 2, 0.0)
