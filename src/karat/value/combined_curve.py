"""The learning curve of votes and gold together, and what the number of votes does to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from karat._types import Floats
from karat.calibrate.with_gold import add_gold
from karat.estimate.votes_fit import VotesFit
from karat.losses import log_losses
from karat.statistics import Statistics
from karat.value.curve import Curve
from karat.value.jackknife import Estimate
from karat.value.judge import MOST_LEARNED, Judge
from karat.value.learning_curve import LearningCurve
from karat.value.steps import Steps
from karat.value.unlabeled_risk import part_of
from karat.votes import GoldPoints, Votes

DRAWS = 8  # samples of gold per point of the curve
MOST_DRAWN = 2_000  # gold labels in such a sample
FORMED = 4  # points of the curve, the last ones, that have the form of a constant plus c/n
FOLDS = 10  # of gold, each judged by models of the others


@dataclass(frozen=True, eq=False)
class CombinedRisk:
    """Risk of the combination of votes and gold.

    Parameters
    ----------
    curve : LearningCurve
        Against the number of gold labels.
    per_point : Estimate
        b of R(n) = R(infinity) + b / n for n unlabeled points, with the gold that there is.
    on_gold : array, shape (G,)
        Losses on gold points that were not learned from.
    """

    curve: LearningCurve
    per_point: Estimate
    on_gold: Floats


def sizes(n: int) -> list[int]:
    """Numbers of gold labels at which the combination is tried: from ten to about four times what there is."""
    doublings = max(2, int(np.log2(4 * min(n, MOST_DRAWN // 4) / 10)))
    return [10 * 2**k for k in range(doublings + 1)]


def combined_risk(
    judge: Judge, votes_fit: VotesFit, statistics: Statistics, rng: np.random.Generator, steps: Steps
) -> CombinedRisk:
    """Measure the combination."""
    population, tried = judge.population, sizes(judge.n)
    # The same points, and ever more of them: what changes along the curve is the number of labels alone.
    samples = [population.points(tried[-1], rng) for _ in range(DRAWS)]
    on_rows = []
    for n in tried:
        on_rows.append(np.array([losses(votes_fit, points.take(slice(0, n)), judge.rows) for points in samples]))
        steps.done()
    form_from = tried[max(len(tried) - FORMED, 0)]
    curve = Curve.of_draws(tried, [population.expected(part) for part in on_rows], form_from, terms=2)
    near = int(np.abs(np.log(curve.n / min(judge.n, tried[-1]))).argmin())
    now = [points.take(slice(0, tried[near])) for points in samples]
    per_point = _effect_of_votes(judge, votes_fit, statistics, now, on_rows[near], rng)
    n, on_gold = cross_validated(judge, votes_fit)
    learned = LearningCurve.of(judge, curve, [part.mean(axis=0) for part in on_rows], {n: on_gold})
    return CombinedRisk(learned, per_point, on_gold)


def losses(votes_fit: VotesFit, points: GoldPoints, rows: Votes) -> Floats:
    """Losses of the combination with these gold points on rows of votes, shape (P, K)."""
    return log_losses(add_gold(votes_fit, points, 0).posterior(rows))


def _effect_of_votes(
    judge: Judge,
    votes_fit: VotesFit,
    statistics: Statistics,
    samples: Sequence[GoldPoints],
    before: Floats,
    rng: np.random.Generator,
) -> Estimate:
    """What the combination loses with a quarter of the votes and the same gold, as b of `CombinedRisk`.

    Parameters
    ----------
    before : array, shape (S, P, K)
        Losses with all votes and the gold of each of the samples.
    """
    lost = []
    for points, all_votes in zip(samples, before, strict=True):
        part = part_of(statistics, len(statistics.blocks) // 4, rng)
        if part is not None:
            more = 1 / part.n - 1 / statistics.n
            lost.append((losses(votes_fit.again(part, rng), points, judge.rows) - all_votes) / more)
    if not lost:
        return judge.expected(np.zeros_like(judge.population.given))
    noise = judge.population.expected(np.array(lost)).std(ddof=1) / np.sqrt(len(lost))
    return replace(judge.expected(np.mean(lost, axis=0)), noise=float(noise))


def cross_validated(judge: Judge, votes_fit: VotesFit) -> tuple[int, Floats]:
    """How many other gold points models learn from, and their losses on those that they do not, shape (G,)."""
    gold = judge.gold.select(votes_fit.solution.problem.moments.sources)
    found, size = np.empty(judge.n), 0
    for blocks in np.array_split(np.arange(len(judge.blocks)), min(FOLDS, len(judge.blocks))):
        left = np.concatenate([judge.blocks[b] for b in blocks])
        others = np.setdiff1d(np.arange(judge.n), left)
        others = others[:: max(1, ceil(len(others) / MOST_LEARNED))]
        of_left = losses(votes_fit, gold.take(others), gold.votes.take(left))
        found[left] = of_left[np.arange(len(left)), gold.truth[left]]
        size = max(size, len(others))
    return size, found
