r"""How sure the accuracies from triplets are.

Two ways, of which the first is taken where it is affordable:

bootstrap
    Draw the counts of the vote patterns anew from a multinomial, estimate again; quantiles of the replicates.
jackknife
    Where there are too many patterns or sources for that: leave out each of up to 32 random blocks of points in turn
    and estimate again. The spread of these estimates, scaled up, is the standard error that the delta method gives,
    without its derivatives, which sparse votes make useless: an agreement near zero has no useful relative change.

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
from karat.estimate.aggregate import Aggregate, Negative
from karat.estimate.balance import ThirdMoments, balance_from_shares
from karat.estimate.labeled import mixed_balance
from karat.estimate.triplets import Problem
from karat.moments import Moments, one_hot
from karat.source_model import Floats, accuracy
from karat.votes import Votes

Progress = Callable[[int, int], None]
_BLOCKS = 32
_FEWEST_BLOCKS = 10
_BUDGET = 3.0  # seconds that a bootstrap may take
_LONGEST = 10.0  # seconds that the blocks may take, as long as they are not too few
VOTES_WORTH = 25.0  # gold labels that the class balance found in the votes counts for
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
        "bootstrap", "jackknife", or "wilson" where gold was counted.
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
    gold_counts : array of int, shape (K,), or None
        Gold labels of each class, which are added to the class balance from votes.
    """

    aggregate: Aggregate
    negative: Negative
    symmetric: bool
    known: list[tuple[int, int]]
    balance: Floats | None
    sign: npt.NDArray[np.int64]
    third: ThirdMoments | None
    gold_counts: npt.NDArray[np.int64] | None = None

    def class_balance(
        self, moments: Moments, sums: Floats | None, gold_counts: npt.NDArray[np.int64] | None = None
    ) -> Floats:
        """The class balance; `sums` are those of `third`, `gold_counts` take the place of those of gold."""
        if self.balance is not None:
            return self.balance
        counts = self.gold_counts if gold_counts is None else gold_counts
        if counts is None:
            return self._from_votes(moments, sums)
        try:
            return mixed_balance(counts, self._from_votes(moments, sums), VOTES_WORTH)
        except NotIdentifiedError:
            return mixed_balance(counts)

    def _from_votes(self, moments: Moments, sums: Floats | None) -> Floats:
        if self.third is None or sums is None:
            return balance_from_shares(moments, self.known)
        return self.third.balance(moments, sums)

    def estimate(
        self,
        moments: Moments,
        sums: Floats | None,
        gold_counts: npt.NDArray[np.int64] | None,
        rng: np.random.Generator,
    ) -> tuple[Floats, Floats] | None:
        """Accuracies (NaN where no triplet is usable) and class balance; None where there is no class balance."""
        try:
            balance = self.class_balance(moments, sums, gold_counts)
        except NotIdentifiedError:
            return None
        problem = Problem.of(moments, balance, self.symmetric, self.known)
        x, _ = problem.solve(self.aggregate, self.negative, rng)
        conditionals = problem.conditionals(x * self.sign[problem.source], balance)
        return accuracy(conditionals, balance), balance


def triplet_intervals(
    votes: Votes,
    moments: Moments,
    estimator: Estimator,
    level: float = 0.9,
    replicates: int = 200,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> Intervals:
    """Intervals of the accuracies, by the bootstrap where that is affordable and by the jackknife elsewhere.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of replicates or blocks done and to do.
    """
    rng = np.random.default_rng(rng)
    F = len(moments.sources) * len(moments.classes)
    # Seconds, roughly: a pass over all triplets, and for a replicate a matrix product over the patterns besides.
    once = F**3 * 1e-9
    if replicates * (once + len(votes.patterns) * F**2 / 3e9) <= _BUDGET:
        return bootstrap(votes, moments, estimator, level, replicates, rng, progress)
    blocks = int(np.clip(_LONGEST / max(once, 1e-9), _FEWEST_BLOCKS, _BLOCKS))
    return jackknife(votes, moments, estimator, level, rng, blocks, progress)


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
    features = one_hot(patterns.values, len(moments.classes))
    found = np.full((replicates, len(moments.sources)), np.nan)
    balances = np.full((replicates, len(moments.classes)), np.nan)
    gold = estimator.gold_counts
    for r in range(replicates):
        counts = rng.multinomial(moments.n, patterns.counts / moments.n)
        again = Moments.of_features(features, counts, moments.sources, moments.classes)
        sums = None if estimator.third is None else estimator.third.sums(patterns.values, counts[None, :])[0]
        labels = None if gold is None else rng.multinomial(gold.sum(), gold / gold.sum())
        answer = estimator.estimate(again, sums, labels, rng)
        if answer is not None:  # a replicate without an answer counts against the interval below
            found[r], balances[r] = answer
        if progress is not None:
            progress(r + 1, replicates)
    low, high = _quantiles(found, level)
    return Intervals(low, high, *_quantiles(balances, level), "bootstrap")


def _quantiles(found: Floats, level: float) -> tuple[Floats, Floats]:
    """Quantiles down the columns; 0 and 1 for columns in which too many replicates failed."""
    failed = np.isnan(found).mean(axis=0) > _UNUSABLE
    ends = np.nanquantile(np.where(failed, 0.5, found), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.where(failed, 0, ends[0]), np.where(failed, 1, ends[1])


def jackknife(
    votes: Votes,
    moments: Moments,
    estimator: Estimator,
    level: float,
    rng: np.random.Generator,
    blocks: int = _BLOCKS,
    progress: Progress | None = None,
) -> Intervals:
    """Leave out one block of points after another, estimate again, and scale the spread up."""
    # Points in random order: neighbours in a file are often alike, and would make the blocks differ.
    rows = np.array_split(rng.permutation(len(votes)), min(blocks, len(votes)))
    parts = [votes.take(block) for block in rows]
    sums: Floats | None = None
    part_sums: list[Floats] = []
    if estimator.third is not None:
        part_sums = [estimator.third.sums(part.values, np.ones((1, len(part)), dtype=np.int64))[0] for part in parts]
        sums = np.sum(part_sums, axis=0)
    found = np.full((len(parts), len(moments.sources)), np.nan)
    balances = np.full((len(parts), len(moments.classes)), np.nan)
    for g, part in enumerate(parts):
        left = moments.without(Moments.of(part))
        left_sums = None if sums is None else sums - part_sums[g]
        answer = estimator.estimate(left, left_sums, None, rng)
        if answer is not None:
            found[g], balances[g] = answer
        if progress is not None:
            progress(g + 1, len(parts))
    centre = estimator.estimate(moments, sums, None, rng)
    if centre is None:
        m, K = found.shape[1], balances.shape[1]
        return Intervals(np.zeros(m), np.ones(m), np.zeros(K), np.ones(K), "jackknife")
    low, high = _spread(centre[0], found, level)
    return Intervals(low, high, *_spread(centre[1], balances, level), "jackknife")


def _spread(centre: Floats, found: Floats, level: float) -> tuple[Floats, Floats]:
    """Interval around `centre` from estimates that leave out one block each, shape (G, ...)."""
    G = len(found)
    failed = np.isnan(found).mean(axis=0) > _UNUSABLE
    kept = np.where(np.isnan(found), np.where(failed, 0.0, centre), found)
    error = np.sqrt((G - 1) / G * ((kept - kept.mean(axis=0)) ** 2).sum(axis=0))
    t = student(level, G - 1)
    low, high = np.clip(centre - t * error, 0, 1), np.clip(centre + t * error, 0, 1)
    failed |= np.isnan(centre)
    return np.where(failed, 0, low), np.where(failed, 1, high)


def student(level: float, freedom: int) -> float:
    """Half-width, in standard errors, of an interval of Student's t, to first order in one over the freedom.

    >>> round(student(0.9, 19), 2)
    1.73
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    return z + (z**3 + z) / (4 * freedom)
