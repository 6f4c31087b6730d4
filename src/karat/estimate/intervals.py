r"""How sure the accuracies from triplets are: a jackknife over blocks of points.

Leave out one block of points after another and estimate again, class balance and all. How these estimates vary, scaled
up, is the standard error that the delta method gives, without its derivatives, which sparse votes make useless: an
agreement near zero has no useful relative change. Blocks are of unequal size, by a hash; with h_b the number of points
over those of block b, theta the estimate and theta_b that without block b,

    var = 1 / B sum_b (tau_b - mean)^2 / (h_b - 1),    tau_b = h_b theta - (h_b - 1) theta_b,

where mean is B theta - sum_b (1 - 1 / h_b) theta_b (Busing, Meijer and van der Leeden, 1999).

This describes the noise of a finite sample. It knows nothing of the bias from sources that depend on each other, which
no amount of unlabeled points shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from karat._types import Floats, Ints, Progress
from karat.errors import NotIdentifiedError
from karat.estimate.balance import Balance
from karat.estimate.count import Counted
from karat.estimate.triplets import Problem, Solution
from karat.moments import Moments
from karat.source_model import accuracy
from karat.statistics import block_of
from karat.votes import GoldPoints

FAILED = 0.05  # share of blocks without which there is no estimate, above which there is no interval


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of accuracies and class balance.

    Parameters
    ----------
    low, high : arrays, shape (m,)
        0 and 1 where the data cannot tell.
    balance_low, balance_high : arrays, shape (K,)
    method : str
        "jackknife", "wilson" where gold was counted, or "none".
    """

    low: Floats
    high: Floats
    balance_low: Floats
    balance_high: Floats
    method: str

    @classmethod
    def nothing(cls, m: int, K: int) -> Intervals:
        """Where none were asked for."""
        return cls(np.full(m, np.nan), np.full(m, np.nan), np.full(K, np.nan), np.full(K, np.nan), "none")

    def holding(self, accuracy: Floats, balance: Floats) -> Intervals:
        """The same, wide enough to hold the estimates."""
        return Intervals(
            np.minimum(self.low, accuracy),
            np.maximum(self.high, accuracy),
            np.minimum(self.balance_low, balance),
            np.maximum(self.balance_high, balance),
            self.method,
        )


def triplet_intervals(
    counted: Counted,
    balance: Balance,
    solution: Solution,
    gold: GoldPoints | None,
    progress: Progress | None = None,
) -> Intervals:
    """Intervals of the accuracies and of the class balance that was found with them.

    Parameters
    ----------
    gold : GoldPoints or None
        Gold that went into the class balance; it is left out with the block that it is in.
    progress : callable, optional
        Called with the number of blocks done and to do.
    """
    settings = solution.settings
    if settings.replicates == 0:
        return Intervals.nothing(len(solution.sign), len(solution.class_balance))
    statistics = counted.statistics
    rng = settings.generator()
    gold_block = None if gold is None else block_of(gold.rows, len(statistics.blocks))
    parts = list(statistics.without_each(settings.replicates))
    accuracies, balances = [], []
    for done, left in enumerate(parts):
        gold_counts = None
        if gold is not None and gold_block is not None:
            gold_counts = gold.take(~np.isin(gold_block, left.blocks)).counts
        found = _estimate(balance, solution, left.moments, left.triple_sums, gold_counts, rng)
        accuracies.append(found[0])
        balances.append(found[1])
        if progress is not None:
            progress(done + 1, len(parts))
    points = np.array([left.points for left in parts])
    centre = accuracy(solution.problem.tables(solution.x, solution.class_balance), solution.class_balance)
    return Intervals(
        *jackknife_interval(centre, np.array(accuracies), points, settings.level),
        *jackknife_interval(solution.class_balance, np.array(balances), points, settings.level),
        "jackknife",
    )


def _estimate(
    balance: Balance,
    solution: Solution,
    moments: Moments,
    sums: Ints | None,
    gold_counts: Ints | None,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Accuracies and class balance of some of the points; NaN where they do not tell."""
    try:
        found = balance.of(moments, sums, gold_counts)
    except NotIdentifiedError:
        return np.full(len(solution.sign), np.nan), np.full(len(solution.class_balance), np.nan)
    problem = Problem.of(solution.problem.kind, moments, found, balance.pairs)
    size, _ = problem.sizes(solution.settings, rng)
    return accuracy(problem.tables(size * solution.sign[problem.features.source], found), found), found


def jackknife_interval(centre: Floats, without: Floats, points: Ints, level: float) -> tuple[Floats, Floats]:
    """Interval around `centre` from estimates that leave out one block each; 0 and 1 where too many of them fail.

    Parameters
    ----------
    centre : array, shape (c,)
    without : array, shape (B, c)
        NaN where an estimate failed.
    points : array of int, shape (B,)
        Points of each block.
    """
    failed = (np.isnan(without).mean(axis=0) > FAILED) | np.isnan(centre)
    kept = np.where(np.isnan(without), centre, without)
    half = student(level, len(without) - 1) * jackknife_error(centre, np.where(failed, 0.0, kept), points)
    low, high = np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
    return np.where(failed, 0, low), np.where(failed, 1, high)


def jackknife_error(centre: Floats, without: Floats, points: Ints) -> Floats:
    """Standard error from estimates that leave out one block each; see the head of this file.

    >>> values = np.array([1.0, 2.0, 6.0, 7.0])
    >>> without = np.array([np.delete(values, i).mean() for i in range(4)])
    >>> error = jackknife_error(np.array([values.mean()]), without[:, None], np.ones(4, dtype=np.int64))
    >>> bool(np.isclose(error[0], values.std(ddof=1) / 2))
    True
    """
    h = points.sum() / points[:, None]
    pseudo = h * centre - (h - 1) * without
    mean = len(points) * centre - ((1 - 1 / h) * without).sum(axis=0)
    return np.sqrt(((pseudo - mean) ** 2 / (h - 1)).mean(axis=0))


def student(level: float, freedom: int) -> float:
    """Half-width, in standard errors, of an interval of Student's t, to first order in one over the freedom.

    >>> round(student(0.9, 19), 2)
    1.73
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    return z + (z**3 + z) / (4 * freedom)
