"""Risks of four estimators on a user's votes: gold alone, votes alone (mean and median of triplets), and both.

As in the paper, all four are given the same class balance, so that they differ in what they know of the sources alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from karat._types import Progress
from karat.estimate.count import count
from karat.estimate.settings import Settings
from karat.estimate.structure import DependentPair, dependent_pairs
from karat.estimate.votes_fit import VotesFit, fit_votes
from karat.value.combined_curve import CombinedRisk, combined_risk, sizes
from karat.value.judge import BLOCKS, Judge, appoint
from karat.value.labeled_curve import SIZES, labeled_curve
from karat.value.learning_curve import LearningCurve
from karat.value.steps import Steps
from karat.value.unlabeled_risk import UnlabeledRisk, unlabeled_risk
from karat.votes import GoldPoints, Votes


@dataclass(frozen=True, eq=False)
class Risks:
    """Everything that advice rests on.

    Parameters
    ----------
    votes : Votes
    judge : Judge
    votes_fit : VotesFit
        What votes alone tell.
    pairs : list of DependentPair
        Sources that depend on each other and are not known to.
    labeled : LearningCurve
        Gold alone.
    mean, median : UnlabeledRisk
        Votes alone, by the mean and by the median of triplets.
    combined : CombinedRisk
        Votes and gold.
    """

    votes: Votes
    judge: Judge
    votes_fit: VotesFit
    pairs: list[DependentPair]
    labeled: LearningCurve
    mean: UnlabeledRisk
    median: UnlabeledRisk
    combined: CombinedRisk


def measure_risks(votes: Votes, gold: GoldPoints, settings: Settings, progress: Progress | None = None) -> Risks:
    """Measure all four estimators on votes with gold on some points."""
    rng = settings.generator()
    steps = Steps(BLOCKS + len(SIZES) + len(sizes(len(gold))) + 3, progress)
    counted = count(votes, settings)
    statistics = counted.statistics
    votes_fit = fit_votes(counted, gold, settings, partial=True)
    pairs = dependent_pairs(statistics.moments, votes_fit.solution.model, known_pairs=counted.pairs)
    judge = appoint(votes, gold, votes_fit, pairs, rng, steps)
    labeled = labeled_curve(judge, votes_fit, rng, steps)
    combined = combined_risk(judge, votes_fit, statistics, rng, steps)
    mean = unlabeled_risk(judge, votes_fit.again(statistics, rng, "mean"), statistics, rng)
    steps.done()
    median = unlabeled_risk(judge, votes_fit.again(statistics, rng, "median"), statistics, rng)
    steps.done()
    return Risks(votes, judge, votes_fit, pairs, labeled, mean, median, combined)
