r"""How sure the accuracies from triplets are: a bootstrap over blocks of points.

Draw the blocks of points anew, with replacement, and estimate again, class balance and all; the interval is as wide as
the distance at which most of these estimates lie from that of all points. The median of triplets is no smooth function
of the counts, so that leaving out one block at a time (the jackknife) would not do: its intervals are up to three times
as wide.

This describes the noise of a finite sample. It knows nothing of the bias from sources that depend on each other, which
no amount of unlabeled points shows.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from carob._types import Bools, Floats, Ints, Places, Progress
from carob.count.moments import Moments
from carob.errors import NotIdentifiedError
from carob.paper.balance import Balance
from carob.paper.count import Counted
from carob.paper.signs import surely_telling
from carob.paper.triplet_fit import Problem, Solution
from carob.posterior.intervals import Intervals, student
from carob.votes import GoldPoints
from carob.votes.counts import block_of

FEWEST = 16  # replicates, however long they take
SECONDS = 3.0  # that replicates may take, as long as they are not too few
_RATE = 1e9  # triplets in a second


def triplet_intervals(
    counted: Counted,
    balance: Balance,
    solution: Solution,
    gold: GoldPoints | None,
    progress: Progress | None = None,
) -> Intervals:
    """Intervals of the accuracies and of the class balance that was found with them.

    `gold`: gold that went into the class balance; it is left out with the block that it is in. `progress`: called with
    the number of blocks done and to do.
    """
    settings, statistics = solution.settings, counted.statistics
    if settings.replicates == 0:
        return Intervals.nothing(len(solution.sign), len(solution.class_balance))
    rng = settings.generator()
    B = len(statistics.blocks)
    # As many replicates as there is time for: each is a pass over all triplets.
    replicates = min(settings.replicates, max(FEWEST, int(SECONDS * _RATE / len(solution.x) ** 3)))
    partners = _partners(solution.problem.features.allowed, rng)
    gold_counts = None if gold is None else _gold_by_block(gold, B)
    accuracies, balances = [], []
    for done in range(replicates):
        weights = rng.multinomial(B, np.full(B, 1 / B))
        moments, sums = statistics.weighted(weights)
        again = None if gold_counts is None else weights @ gold_counts
        found = _estimate(balance, solution, moments, sums, again, rng, partners)
        accuracies.append(found[0])
        balances.append(found[1])
        if progress is not None:
            progress(done + 1, replicates)
    # As if blocks were as many as their own noise says: Student's interval over the normal one.
    z = NormalDist().inv_cdf((1 + settings.level) / 2)
    stretch = student(settings.level, B - 1) / z
    level = settings.level
    low, high = distance_interval(
        solution.problem.accuracies(solution.x, solution.class_balance), np.array(accuracies), level, stretch
    )
    # Sizes are never negative, so that of sources that tell nothing all replicates are above chance.
    nothing = np.zeros_like(solution.x)
    chance = distance_interval(
        solution.problem.accuracies(nothing, solution.class_balance),
        np.array([solution.problem.accuracies(nothing, found) for found in balances]),
        level,
        stretch,
    )
    telling = surely_telling(statistics.moments, solution.sign, balance.pairs, z)
    return Intervals(
        np.where(telling, low, np.minimum(low, chance[0])),
        np.where(telling, high, np.maximum(high, chance[1])),
        *distance_interval(solution.class_balance, np.array(balances), level, stretch),
        "bootstrap",
    )


def _partners(allowed: Bools, rng: np.random.Generator) -> Places | None:
    """Features that triplets of a replicate are made with: those with most pairs, as many as there is time for.

    None where there is time for all. Fewer partners make the median a little noisier, and intervals a little wider.
    """
    F = len(allowed)
    most = max(4, int(np.sqrt(SECONDS * _RATE / FEWEST / F)))
    return None if most >= F else np.lexsort((rng.random(F), -allowed.sum(axis=1)))[:most]


def _gold_by_block(gold: GoldPoints, B: int) -> Ints:
    """Gold labels of each block and class, shape (B, K)."""
    K = len(gold.votes.classes)
    return np.bincount(block_of(gold.rows, B) * K + gold.truth, minlength=B * K).reshape(B, K)


def _estimate(
    balance: Balance,
    solution: Solution,
    moments: Moments,
    sums: Ints | None,
    gold_counts: Ints | None,
    rng: np.random.Generator,
    partners: Places | None,
) -> tuple[Floats, Floats]:
    """Accuracies and class balance of some of the points; NaN where they do not tell."""
    nothing = np.full(len(solution.sign), np.nan), np.full(len(solution.class_balance), np.nan)
    if moments.n == 0:  # fewer points than blocks, and only empty ones were drawn
        return nothing
    try:
        found = balance.of(moments, sums, gold_counts)
    except NotIdentifiedError:
        return nothing
    problem = Problem.of(solution.problem.kind, moments, found, balance.pairs)
    size, _ = problem.sizes(solution.settings, rng, partners)
    return problem.accuracies(size * solution.sign[problem.features.source], found), found


def distance_interval(centre: Floats, found: Floats, level: float, stretch: float) -> tuple[Floats, Floats]:
    """Interval around `centre` that holds a share `level` of the replicates, shape (R, c).

    A replicate that failed, and is NaN, lies farther away than any other: where too many fail the interval is 0 to 1.
    The distance from the estimate is taken, not the quantiles themselves: where counts are sparse replicates are biased
    against the estimate as that is against the truth.

    `stretch`: what the distance is multiplied by.
    """
    distance = np.where(np.isnan(found), np.inf, np.abs(found - centre))
    half = stretch * np.quantile(distance, level, axis=0, method="higher")
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
