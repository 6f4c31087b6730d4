r"""Learning curves: the risk (expected log loss) of an estimator against how much it learned from.

For a known distribution they are taken over draws from it. For a user's votes the distribution is not known, and the
gold points are few. Then two things are put together:

*The model's own view.* The combined model q(y | votes), with the patterns of all votes, is a complete distribution.
Under it the risk of any estimator of any number of labels is a matter of drawing, without noise from the few gold
points: risk_q(X, n).

*What gold says.* The mean loss of X on gold points that it has not learned from is right on average, whatever q is, and
noisy: delta(X) is that mean minus risk_q(X, n) for as many labels as X learned from.

The estimate is risk_q(X, n) + w delta(X) with w = G / (G + `_WORTH`) for G gold labels: q has learned from the same
gold, so that with little of it delta is mostly noise, and with much of it gold has the last word. Errors come from
leaving out one block of the gold points after another: q, delta and all differences between estimators change together.
An estimator that q was used to train is not trained again; near its optimum that changes its risk to second order only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from karat._types import Floats
from karat.estimate.aggregate import Aggregate
from karat.estimate.fit import add_gold
from karat.estimate.intervals import student
from karat.estimate.triplets import solve
from karat.losses import log_losses
from karat.moments import Moments
from karat.theory.decomposition import Learner, learn
from karat.theory.ising import Ising, accuracy_model, patterns
from karat.theory.loss import expected_loss
from karat.value.population import Counts, Population
from karat.votes import Votes

_WORTH = 600.0  # gold labels that the model's own view of a risk counts for
_WARY = 130.0  # the same for errors, where votes show that all sources depend on others as the model does not know
_MANY = 10_000
_FORM_ERROR = 0.002  # error of a curve's form, added to the noise of its points


@dataclass(frozen=True, eq=False)
class Curve:
    """Risk against the number of points.

    Parameters
    ----------
    n : array, shape (g,)
    risk : array, shape (g,)
        Mean over draws.
    error : array, shape (g,)
        Standard error of that mean.
    form_from : float
        From here on the curve has its form, a constant plus c/n and higher powers of 1/n; below, it is drawn straight
        from point to point against log n.
    terms : int
        Powers of 1/n in that form, with the constant.
    """

    n: Floats
    risk: Floats
    error: Floats
    form_from: float = 20.0
    terms: int = 4

    @classmethod
    def of_draws(
        cls, sizes: Sequence[int], risks: Sequence[npt.ArrayLike], form_from: float = 20.0, terms: int = 4
    ) -> Curve:
        """From the risks of several draws at each size."""
        drawn = [np.asarray(found, dtype=np.float64) for found in risks]
        mean = np.array([found.mean() for found in drawn])
        error = np.array([found.std(ddof=1) / np.sqrt(len(found)) for found in drawn])
        return cls(np.asarray(sizes, dtype=np.float64), mean, error, form_from, terms)

    def falling(self) -> Curve:
        """The curve without what goes up: where it does by noise, neighbours are pooled."""
        blocks: list[list[float]] = []  # mean, weight, points
        for risk, error in zip(self.risk, self.error, strict=True):
            blocks.append([float(risk), 1 / (float(error) + _FORM_ERROR) ** 2, 1])
            while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
                (a, u, k), (b, v, m) = blocks[-2:]
                blocks[-2:] = [[(a * u + b * v) / (u + v), u + v, k + m]]
        return replace(self, risk=np.repeat([b[0] for b in blocks], [int(b[2]) for b in blocks]))

    def at(self, n: npt.ArrayLike) -> Floats:
        """The curve at any n, by its form fitted to its points."""
        return self.weights(n) @ self.risk

    def weights(self, n: npt.ArrayLike) -> Floats:
        """How much every point of the curve counts at each n, shape (..., g)."""
        wanted = np.asarray(n, dtype=np.float64)
        places = np.interp(np.log(wanted), np.log(self.n), np.arange(len(self.n)))
        straight = np.maximum(0, 1 - np.abs(places[..., None] - np.arange(len(self.n))))
        fit = self.n >= self.form_from
        trust = np.where(fit, 1 / (self.error + _FORM_ERROR), 0)
        power = np.arange(min(self.terms, int(fit.sum())))
        fitting = np.linalg.pinv((self.form_from / self.n)[:, None] ** power * trust[:, None]) * trust
        formed = (self.form_from / wanted)[..., None] ** power @ fitting
        return np.where((wanted >= self.form_from)[..., None], formed, straight)


def known_curve(
    truth: Ising,
    learner: Learner,
    sizes: Sequence[int],
    trials: int = 100,
    rng: np.random.Generator | int | None = None,
) -> Curve:
    """Risk of an estimator of the paper under a known distribution, by Monte Carlo over samples of each size.

    Every sample's own risk is exact; what is random is the sample.

    Examples
    --------
    >>> from karat.datasets import paper_model
    >>> truth = paper_model(0)
    >>> curve = known_curve(truth, "labeled", [100, 10_000], trials=20, rng=0)
    >>> (curve.risk - truth.conditional_entropy).round(4)
    array([0.0222, 0.0002])
    """
    rng = np.random.default_rng(rng)
    risks = [
        [
            expected_loss(truth, accuracy_model(learn(counts, learner, rng), truth.class_balance)).value
            for counts in truth.sample_counts(n, rng, trials)
        ]
        for n in sizes
    ]
    return Curve.of_draws(sizes, risks)


def known_combination(
    truth: Ising,
    n_unlabeled: int,
    sizes: Sequence[int],
    aggregate: Aggregate = "median",
    trials: int = 100,
    rng: np.random.Generator | int | None = None,
) -> Curve:
    """Risk, under a known distribution, of the combination that `karat.LabelModel` makes, against the gold labels.

    Parameters
    ----------
    n_unlabeled : int
        Unlabeled points besides.
    sizes : sequence of int
        Numbers of gold labels.
    """
    rng = np.random.default_rng(rng)
    risks = [[combined_risk(truth, n_unlabeled, n, aggregate, rng) for _ in range(trials)] for n in sizes]
    return Curve.of_draws(sizes, risks)


def combined_risk(
    truth: Ising, n_unlabeled: int, n_labeled: int, aggregate: Aggregate, rng: np.random.Generator
) -> float:
    """Exact risk of the combination of one sample of unlabeled points and one of gold labels."""
    votes, points = truth.sample(n_unlabeled, rng), truth.sample(n_labeled, rng)
    solution = solve(Moments.of(votes), aggregate, truth.class_balance, True, [], partial=True)
    model = add_gold(solution, points, points.code_gold(points.gold), True, 0)
    listed = Votes(patterns(truth.m), votes.sources, votes.coding)
    return float((log_losses(model.posterior(listed)) * truth.probabilities).sum())


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate that rests on gold, and the same without each of some blocks of the gold points.

    Parameters
    ----------
    value : float
    without : array, shape (B,)
    noise : float
        Standard error from what was drawn at random to find it, which gold does not change.
    """

    value: float
    without: Floats
    noise: float = 0.0

    def __sub__(self, other: Estimate) -> Estimate:
        return self + other.times(-1)

    def __add__(self, other: Estimate) -> Estimate:
        noise = float(np.hypot(self.noise, other.noise))
        return Estimate(self.value + other.value, self.without + other.without, noise)

    def times(self, factor: float) -> Estimate:
        """The estimate times a number."""
        return Estimate(self.value * factor, self.without * factor, self.noise * abs(factor))

    @property
    def error(self) -> float:
        """Standard error, by the jackknife over blocks."""
        B = len(self.without)
        blocks = (B - 1) / B * ((self.without - self.without.mean()) ** 2).sum()
        return float(np.sqrt(blocks + self.noise**2))

    def half(self, level: float) -> float:
        """Half the width of the interval: Student's, with as many degrees of freedom as blocks but one."""
        return student(level, len(self.without) - 1) * self.error


@dataclass(frozen=True)
class Interval:
    """A number with the ends of its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: Estimate, level: float, smallest: float = -np.inf) -> Interval:
        """From an estimate; no number is below `smallest`."""
        value, half = estimate.value, estimate.half(level)
        return cls(*(max(float(number), smallest) for number in (value, value - half, value + half)))


@dataclass(frozen=True, eq=False)
class Ruler:
    """What risks are measured with: the model's own view of the population, and the gold points.

    Parameters
    ----------
    population : Population
        Patterns with q(y | votes).
    others : array, shape (B, P, K)
        q learned without each of B blocks of the gold points.
    gold : array of int, shape (P, K)
        How many gold points have each pattern and class.
    blocks : array of int, shape (B, P, K)
        The same for each block.
    dependent : float
        Share of the sources that, as votes show, depend on another beyond the class. The more, the more q is biased in
        a way that its own variation does not show, and the more errors rest on gold.
    """

    population: Population
    others: Floats
    gold: Counts
    blocks: Counts
    dependent: float

    @property
    def n(self) -> int:
        """Number of gold points."""
        return int(self.gold.sum())

    def expected(self, losses: Floats) -> Estimate:
        """Mean of losses, shape (P, K), under q."""
        by_cell = losses * self.population.weight[:, None]
        return Estimate(float((by_cell * self.population.given).sum()), np.tensordot(self.others, by_cell, axes=2))

    def observed(self, losses: Floats) -> Estimate:
        """Mean of losses, shape (P, K), over the gold points."""
        whole, rest = self.gold / self.n, self.gold - self.blocks
        without = np.tensordot(rest / rest.sum(axis=(1, 2), keepdims=True), losses, axes=2)
        return Estimate(float((whole * losses).sum()), without)

    def surprise(self, observed: Estimate, expected: Estimate) -> Estimate:
        """What gold adds to a risk under q: w delta."""
        delta = observed - expected
        weight = self.n / (self.n + _WORTH)
        error_weight = self.n / (self.n + (1 - self.dependent) * _WORTH + self.dependent * _WARY)
        return Estimate(weight * delta.value, weight * delta.value + error_weight * (delta.without - delta.value))

    def risk(self, losses: Floats) -> Estimate:
        """Risk of a model that learned from no gold, from its losses, shape (P, K)."""
        expected = self.expected(losses)
        return expected + self.surprise(self.observed(losses), expected)

    def split(self, n: int, size: int, rng: np.random.Generator) -> Counts:
        """`size` random parts of n gold points each, shape (size, P, K)."""
        cells = np.flatnonzero(self.gold)
        result = np.zeros((size, self.gold.size), dtype=np.int64)
        have = self.gold.ravel()[cells]
        if self.n > _MANY:  # NumPy's other method has one entry per point
            result[:, cells] = rng.multivariate_hypergeometric(have, n, size=size, method="marginals")
        else:
            result[:, cells] = rng.multivariate_hypergeometric(have, n, size=size, method="count")
        return result.reshape(size, *self.gold.shape)


def held_out(losses: Floats, left: Counts) -> Floats:
    """Mean losses, shape (P, K), of S models, each judged by the gold points `left` to it; both of shape (S, P, K)."""
    return np.asarray((losses * left).sum(axis=0) / np.maximum(left.sum(axis=0), 1))
