r"""How sure the accuracies from triplets are.

Two ways, of which the cheaper one that is exact enough is chosen:

bootstrap
    Draw the counts of the vote patterns anew from a multinomial, estimate again; quantiles of the replicates.
delta method
    Where there are too many patterns or sources for that: leave out each of 32 blocks of points and follow the
    change of the moments through the derivative of the triplets. The derivative of a median is the mean
    derivative of the triplets in its middle half.

Both describe the noise of a finite sample. They know nothing of the bias from sources that depend on each
other, which no amount of unlabeled points shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from karat.errors import NotIdentifiedError
from karat.estimate.balance import ThirdMoments, balance_from_shares
from karat.estimate.triplets import Aggregate, Negative, Problem, circular, products, triplet_ratios
from karat.moments import Moments
from karat.source_model import Floats, accuracy
from karat.votes import Votes

Progress = Callable[[int, int], None]
_BLOCKS = 32
_BUDGET = 3.0  # seconds that a bootstrap may take
_UNUSABLE = 0.05  # share of failed replicates above which there is no interval


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of accuracies and class balance.

    Parameters
    ----------
    low, high : arrays, shape (m,)
        0 and 1 where the data cannot tell.
    balance_low, balance_high : arrays, shape (K,)
    method : str
        "bootstrap" or "delta".
    """

    low: Floats
    high: Floats
    balance_low: Floats
    balance_high: Floats
    method: str

    def holding(self, accuracy: Floats, balance: Floats) -> Intervals:
        """The same, wide enough to hold the estimates: quantiles of replicates share the estimate's bias twice."""
        return Intervals(
            np.minimum(self.low, accuracy),
            np.maximum(self.high, accuracy),
            np.minimum(self.balance_low, balance),
            np.maximum(self.balance_high, balance),
            self.method,
        )


@dataclass(frozen=True, eq=False)
class Estimator:
    """Accuracies and class balance as a function of the moments alone, with all choices made.

    Parameters
    ----------
    balance : array, shape (K,), or None
        Given class balance; estimated where None.
    sign : array, shape (m,)
        Signs of the sources, kept as they were found on all points.
    third : ThirdMoments or None
        What the class balance of two classes is estimated from, where it is not given.
    """

    aggregate: Aggregate
    negative: Negative
    symmetric: bool
    known: list[tuple[int, int]]
    balance: Floats | None
    sign: npt.NDArray[np.int64]
    third: ThirdMoments | None

    def class_balance(self, moments: Moments, sums: Floats | None) -> Floats:
        """The class balance; `sums` are those of `third`."""
        if self.balance is not None:
            return self.balance
        if self.third is None or sums is None:
            return balance_from_shares(moments, self.known)
        return self.third.balance(moments, sums)

    def problem(self, moments: Moments, balance: Floats) -> Problem:
        """The triplets to solve."""
        return Problem.of(moments, balance, self.symmetric, self.known)


def triplet_intervals(
    votes: Votes,
    moments: Moments,
    estimator: Estimator,
    level: float = 0.9,
    replicates: int = 200,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> Intervals:
    """Intervals of the accuracies, by the bootstrap where that is affordable and by the delta method elsewhere.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of replicates or blocks done and to do.
    """
    rng = np.random.default_rng(rng)
    F = len(moments.sources) * len(moments.classes)
    # Seconds per replicate, roughly: a matrix product over the patterns, and a pass over all triplets.
    cost = len(votes.patterns) * F**2 / 2e10 + F**3 * 1e-9
    if replicates * cost <= _BUDGET:
        return bootstrap(votes, moments, estimator, level, replicates, rng, progress)
    return delta(votes, moments, estimator, level, rng, progress)


def bootstrap(
    votes: Votes,
    moments: Moments,
    estimator: Estimator,
    level: float,
    replicates: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Intervals:
    """Quantiles over replicates whose pattern counts are drawn from a multinomial."""
    patterns = votes.patterns
    draws = rng.multinomial(moments.n, patterns.counts / moments.n, size=replicates)
    sums = None if estimator.third is None else estimator.third.sums(patterns.values, draws)
    K = len(moments.classes)
    found = np.full((replicates, len(moments.sources)), np.nan)
    balances = np.full((replicates, K), np.nan)
    for r, counts in enumerate(draws):
        again = Moments.of_patterns(patterns.values, counts, moments.sources, moments.classes)
        try:
            balances[r] = balance = estimator.class_balance(again, None if sums is None else sums[r])
        except NotIdentifiedError:
            continue  # a replicate without an answer counts against the interval below
        problem = estimator.problem(again, balance)
        x, _ = problem.solve(estimator.aggregate, estimator.negative, rng)
        conditionals = problem.conditionals(again.single, again.n, x * estimator.sign[problem.source], balance)
        found[r] = accuracy(conditionals, balance)
        if progress is not None:
            progress(r + 1, replicates)
    low, high = _quantiles(found, level)
    return Intervals(low, high, *_quantiles(balances, level), "bootstrap")


def _quantiles(found: Floats, level: float) -> tuple[Floats, Floats]:
    """Quantiles down the columns; 0 and 1 for columns in which too many replicates failed."""
    failed = np.isnan(found).mean(axis=0) > _UNUSABLE
    ends = np.nanquantile(np.where(failed, 0.5, found), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.where(failed, 0, ends[0]), np.where(failed, 1, ends[1])


def delta(
    votes: Votes,
    moments: Moments,
    estimator: Estimator,
    level: float,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Intervals:
    """Jackknife over blocks of points, with the triplets replaced by their first derivative."""
    # Points in random order: neighbours in a file are often alike, and would make the blocks differ.
    blocks = [votes.take(rows) for rows in np.array_split(rng.permutation(len(votes)), min(_BLOCKS, len(votes)))]
    all_sums = None
    if estimator.third is not None:
        parts = [estimator.third.sums(b.values, np.ones((1, len(b)), dtype=np.int64))[0] for b in blocks]
        all_sums = np.sum(parts, axis=0)
    balance = estimator.class_balance(moments, all_sums)
    problem = estimator.problem(moments, balance)
    x, _ = problem.solve(estimator.aggregate, estimator.negative, rng)
    sign = estimator.sign[problem.source]
    change = np.empty((len(blocks), *circular(problem.b).shape))
    rows = np.empty((len(blocks), *problem.b.shape))
    rest: list[tuple[npt.NDArray[np.int64], int, Floats]] = []
    for g, block in enumerate(blocks):
        left = moments.without(Moments.of(block))
        balance_left = estimator.class_balance(left, None if all_sums is None else all_sums - parts[g])
        b = products(left, balance_left, problem.symmetric, problem.source, problem.vote)
        relative = np.where(problem.allowed, b / problem.b - 1, 0)
        rows[g], change[g] = relative, circular(relative)
        rest.append((left.single, left.n, balance_left))
        if progress is not None:
            progress(g + 1, len(blocks))
    moved = x + _derivative(problem, estimator, x, rows, change)
    found = np.stack(
        [
            accuracy(problem.conditionals(single, n, moved[g] * sign, left_balance), left_balance)
            for g, (single, n, left_balance) in enumerate(rest)
        ]
    )
    centre = accuracy(problem.conditionals(moments.single, moments.n, x * sign, balance), balance)
    low, high = _jackknife(centre, found, level)
    return Intervals(low, high, *_jackknife(balance, np.stack([b for _, _, b in rest]), level), "delta")


def _derivative(problem: Problem, estimator: Estimator, x: Floats, rows: Floats, change: Floats) -> Floats:
    """Change of x for relative changes of b, shape (G, F).

    From x_f^2 = b_fg b_fh / b_gh, a triplet moves by x_f (q_fg + q_fh - q_gh) / 2 for relative changes q.

    Parameters
    ----------
    rows, change : arrays, shapes (G, F, F) and (G, S, F)
        Relative changes of b, as they are and as `circular`.
    """
    from karat._kernels import THREADS, in_threads, spans

    F = len(problem.b)
    inverse = circular(np.where(problem.allowed, 1 / problem.b, 0))
    first = np.broadcast_to(np.arange(F), inverse.shape)
    second = (first + np.arange(1, len(inverse) + 1)[:, None]) % F
    result = np.zeros((len(rows), F))
    parts = spans(F, THREADS)

    def work(part: int) -> None:
        room = np.empty_like(inverse)
        for f in range(*parts[part]):
            row = np.where(problem.allowed[f], problem.b[f], 0)
            weight = _weights(triplet_ratios(row, inverse, room), estimator).reshape(inverse.shape)
            per_feature = np.bincount(first.ravel(), weight.ravel(), F) + np.bincount(second.ravel(), weight.ravel(), F)
            result[:, f] = x[f] * (rows[:, f] @ per_feature - np.tensordot(change, weight, 2)) / 2

    in_threads(work, len(parts))
    return result


def _weights(ratios: Floats, estimator: Estimator) -> Floats:
    """How much each triplet takes part in the aggregate; adds up to 1."""
    size = np.abs(ratios) if estimator.negative == "absolute" else ratios
    used = size > 0
    if estimator.aggregate == "median":
        low, high = np.quantile(size[used], [0.25, 0.75]) if used.any() else (0.0, 0.0)
        weight = (used & (size >= low) & (size <= high)).astype(np.float64)
    else:
        weight = np.sqrt(np.where(used, size, 0))
    return weight / max(weight.sum(), 1e-300)


def _jackknife(centre: Floats, found: Floats, level: float) -> tuple[Floats, Floats]:
    """Interval around `centre` from estimates that leave out one block each, shape (G, ...)."""
    G = len(found)
    error = np.sqrt((G - 1) / G * ((found - found.mean(axis=0)) ** 2).sum(axis=0))
    z = NormalDist().inv_cdf((1 + level) / 2)
    t = z + (z**3 + z) / (4 * (G - 1))  # Student's t with G - 1 degrees of freedom, to first order
    return np.clip(centre - t * error, 0, 1), np.clip(centre + t * error, 0, 1)
