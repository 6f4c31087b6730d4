"""The risk of estimators that learn from votes alone, and what the number of votes does to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat._types import Floats
from karat.estimate.votes_fit import VotesFit
from karat.losses import log_losses
from karat.naive_bayes import posterior
from karat.statistics import Statistics
from karat.value.jackknife import Estimate
from karat.value.judge import Judge

HALVINGS = 3  # of the votes, for the effect of their number
HALVED = 6  # samples of each size


@dataclass(frozen=True, eq=False)
class UnlabeledRisk:
    """An estimator that learns from votes alone.

    Parameters
    ----------
    risk : Estimate
        With all votes.
    per_point : Estimate
        b of R(n) = R(infinity) + b / n for n unlabeled points.
    """

    risk: Estimate
    per_point: Estimate


def unlabeled_risk(
    judge: Judge, votes_fit: VotesFit, statistics: Statistics, rng: np.random.Generator
) -> UnlabeledRisk:
    """Measure the estimator with all votes, and with halves, quarters and eighths of them."""
    gold = judge.gold
    on_rows = _losses(votes_fit, judge)
    on_gold = log_losses(posterior(gold.votes, votes_fit.model))[np.arange(judge.n), gold.truth]
    whole = judge.expected(on_rows)
    # Parts of n of N points, drawn without putting back, vary about the whole as 1/n - 1/N: least squares for b.
    slope, weight = judge.expected(np.zeros_like(on_rows)), 0.0
    for halving in range(1, HALVINGS + 1):
        parts = [part_of(statistics, len(statistics.blocks) >> halving, rng) for _ in range(HALVED)]
        for part in parts:
            if part is not None:
                more = 1 / part.n - 1 / statistics.n
                risk = judge.expected(_losses(votes_fit.again(part, rng), judge))
                slope += (risk - whole).times(more)
                weight += more**2
    return UnlabeledRisk(judge.risk(on_rows, on_gold), slope.times(1 / weight) if weight else slope)


def _losses(votes_fit: VotesFit, judge: Judge) -> Floats:
    return log_losses(posterior(judge.rows, votes_fit.model))


def part_of(statistics: Statistics, blocks: int, rng: np.random.Generator) -> Statistics | None:
    """Statistics of some random blocks; None where there are hardly more points than sources in them."""
    part = statistics.of_blocks(rng.permutation(len(statistics.blocks))[: max(blocks, 1)].tolist())
    return part if part.n >= 2 * len(part.moments.sources) else None
