"""From votes and perhaps gold to a fitted model, by each of the methods that `karat.LabelModel` offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from karat.errors import InputError, examples
from karat.estimate.aggregate import Aggregate, Negative
from karat.estimate.balance import ThirdMoments
from karat.estimate.blend import Blend, blend
from karat.estimate.checks import Pairs, Signs, check_shape, check_sources, pair_positions, resolve_symmetric
from karat.estimate.intervals import Estimator, Intervals, Progress, triplet_intervals
from karat.estimate.labeled import accuracy_interval, labeled
from karat.calibrate.recalibrate import Recalibration, recalibrate
from karat.estimate.structure import check_groups, dependent_groups, merge_groups
from karat.estimate.triplets import Solution, solve
from karat.estimate.wilson import wilson
from karat.moments import Moments
from karat.naive_bayes import posterior
from karat.source_model import Floats, SourceModel, accuracy, check_class_balance
from karat.votes import Gold, Votes

_FOLDS = 5
_SHIFT = 0.3  # how far recalibration may move the log-odds of all points, as a standard deviation
_SHIFT_KNOWN = 0.05  # the same where the class balance is given


@dataclass(frozen=True)
class Prior:
    """How far gold is expected to move the estimates from votes.

    Parameters
    ----------
    spread : float
        Variance of a source's parameter around the multiple of its estimate from votes; see `blend`.
    count : float
        Standard deviation of the weight of a plain count of votes; see `recalibrate`.
    log_slope : float
        Expected logarithm of what log-likelihoods are multiplied by; below 0 where votes repeat each other.
    """

    spread: float
    count: float
    log_slope: float


LABELING = Prior(spread=0.03, count=1.0, log_slope=-0.3)  # the most accurate labels on real data
# The fairest view of risks: it leans less on the estimate from votes, whose risk is one of those to be judged, and does
# not expect that estimate to be too sure.
JUDGING = Prior(spread=0.1, count=0.05, log_slope=0.0)


@dataclass(frozen=True)
class Settings:
    """What a user chose; the parameters of `karat.LabelModel`."""

    aggregate: Aggregate
    class_balance: Any
    symmetric: bool | None
    known_pairs: Pairs
    negative: Negative
    signs: Signs
    level: float
    replicates: int
    rng: np.random.Generator | int | None


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model of the sources, how sure it is, and how its probabilities are corrected.

    Parameters
    ----------
    model : SourceModel
    intervals : Intervals
    recalibration : Recalibration or None
        None where no gold tells how sure the probabilities should be.
    notes : tuple of str
        What went into the model, a sentence each.
    """

    model: SourceModel
    intervals: Intervals
    recalibration: Recalibration | None
    notes: tuple[str, ...]


def fit_labeled(votes: Votes, gold: Gold, settings: Settings) -> Fitted:
    """Learn from the gold points alone."""
    groups = _groups(votes, settings)[1] if len(settings.known_pairs) else None
    model = labeled(votes, gold, settings.class_balance, bool(settings.symmetric), groups)
    balance = model.class_balance
    shares = _gold_shares(gold, settings.level) if settings.class_balance is None else (balance, balance)
    found = Intervals(*accuracy_interval(votes, gold, balance, settings.level), *shares, "wilson")
    note = f"The sources are learned from {int(gold.known.sum()):,} gold labels alone."
    return Fitted(model, found.holding(model.accuracy, balance), None, (note,))


def fit_triplets(votes: Votes, gold: Gold | None, settings: Settings, progress: Progress | None = None) -> Fitted:
    """Learn the sources from the votes alone; gold, where there is some, helps with the class balance."""
    solution, intervals, notes = solve_votes(votes, gold, settings, progress)
    model = merging(votes, solution, settings)(solution.model)
    return Fitted(model, intervals.holding(model.accuracy, model.class_balance), None, notes)


def fit_combined(votes: Votes, gold: Gold, settings: Settings, progress: Progress | None = None) -> Fitted:
    """Learn the sources from votes and gold, and how sure the labels should be from gold."""
    solution, unlabeled, notes = solve_votes(votes, gold, settings, progress, partial=True)
    if solution.unknown:
        notes += (f"No triplet can be used for {examples(solution.unknown)}: learned from gold alone.",)
    rows = np.flatnonzero(gold.known)
    learned = add_gold(
        solution,
        votes.take(rows),
        gold.take(rows),
        settings.class_balance is not None,
        settings.rng,
        merge=merging(votes, solution, settings),
    )
    model, mixed, recalibration = learned.model, learned.blend, learned.recalibration
    low, high = _blend_interval(solution, mixed, unlabeled, settings.level)
    intervals = replace(unlabeled, low=low, high=high, method=f"blend, {unlabeled.method}")
    notes += (
        f"Accuracies: the estimate from votes, times {mixed.multiple:.2f}, blended with {len(rows):,} gold labels; "
        f"gold has a weight of {mixed.gold_weight.mean():.2f} on average.",
        f"Probabilities: log-likelihoods times {recalibration.mean_slope:.2f} on a point with one vote, and less with "
        "more votes where gold shows that votes repeat each other.",
    )
    return Fitted(model, intervals.holding(model.accuracy, model.class_balance), recalibration, notes)


@dataclass(frozen=True, eq=False)
class Combined:
    """Triplets with gold added.

    Parameters
    ----------
    model : SourceModel
    blend : Blend
    recalibration : Recalibration
    """

    model: SourceModel
    blend: Blend
    recalibration: Recalibration

    def posterior(self, votes: Votes) -> Floats:
        """Recalibrated probabilities of the points, shape (n, K)."""
        return self.recalibration.apply(posterior(votes, self.model), votes, self.model.class_balance)


def add_gold(
    solution: Solution,
    votes: Votes,
    gold: Gold,
    balance_known: bool,
    rng: np.random.Generator | int | None,
    prior: Prior = LABELING,
    merge: Callable[[SourceModel], SourceModel] = lambda model: model,
) -> Combined:
    """Blend triplets with gold points, all of which have gold, and recalibrate on them.

    Parameters
    ----------
    merge : callable
        Takes sources that are known to depend on each other as one.
    """
    balance, problem = solution.class_balance, solution.problem
    mixed = blend(problem, solution.x, votes, gold, balance, prior.spread)
    # Each gold point is labeled by a blend that has not seen it: otherwise recalibration would trust gold twice.
    order = np.random.default_rng(rng).permutation(len(votes))
    probabilities = np.empty((len(votes), len(balance)))
    for fold in np.array_split(order, min(_FOLDS, len(votes))):
        others = np.setdiff1d(order, fold)
        without = blend(problem, solution.x, votes.take(others), gold.take(others), balance, prior.spread)
        probabilities[fold] = posterior(votes.take(fold), merge(problem.source_model(without.x, balance)))
    shift = _SHIFT_KNOWN if balance_known else _SHIFT
    recalibration = recalibrate(probabilities, votes, gold, balance, shift, prior.count, prior.log_slope)
    return Combined(merge(problem.source_model(mixed.x, balance)), mixed, recalibration)


def solve_votes(
    votes: Votes, gold: Gold | None, settings: Settings, progress: Progress | None, partial: bool = False
) -> tuple[Solution, Intervals, tuple[str, ...]]:
    """Triplets of all votes, with intervals where there are replicates for them; `partial` as in `solve`."""
    check_shape(len(votes), len(votes.sources))
    pairs, _ = _groups(votes, settings)
    moments = Moments.of(votes)
    check_sources(moments, pairs)
    symmetric = resolve_symmetric(settings.symmetric, moments)
    given = None
    if settings.class_balance is not None:
        given = check_class_balance(settings.class_balance, votes.classes)
    third = ThirdMoments.of(moments, pairs) if given is None and not symmetric else None
    sums = None if third is None else third.sums(votes.patterns.values, votes.patterns.counts[None, :])[0]
    rng = np.random.default_rng(settings.rng)
    counts = gold.counts if given is None and gold is not None and gold.known.any() else None
    sign = np.ones(len(votes.sources), dtype=np.int64)
    estimator = Estimator(settings.aggregate, settings.negative, symmetric, pairs, given, sign, third, counts)
    balance = estimator.class_balance(moments, sums)
    solution = solve(
        moments, settings.aggregate, balance, symmetric, pairs, settings.negative, settings.signs, rng, partial
    )
    if settings.replicates > 0:
        estimator = replace(estimator, sign=solution.sign)
        found = triplet_intervals(votes, moments, estimator, settings.level, settings.replicates, rng, progress)
    else:
        nothing = np.full(len(votes.sources), np.nan), np.full(len(balance), np.nan)
        found = Intervals(nothing[0], nothing[0], nothing[1], nothing[1], "none")
    if counts is not None and gold is not None:
        low, high = _gold_shares(gold, settings.level)
        found = replace(found, balance_low=low, balance_high=high)
    kind = "one accuracy per source" if symmetric else "one accuracy per source and class"
    note = f"Votes: the {settings.aggregate} of triplets, {kind}, from {len(votes):,} points."
    return solution, found, (note,)


def _groups(votes: Votes, settings: Settings) -> tuple[list[tuple[int, int]], tuple[tuple[int, ...], ...]]:
    """Known pairs by position, and the groups that they make."""
    pairs = pair_positions(settings.known_pairs, votes.sources)
    groups = dependent_groups(len(votes.sources), pairs)
    check_groups(groups, votes.sources, len(votes.classes))
    return pairs, groups


def merging(votes: Votes, solution: Solution, settings: Settings) -> Callable[[SourceModel], SourceModel]:
    """What takes known pairs of a model as one source, where an abstain is an output like any other."""
    pairs, groups = _groups(votes, settings)
    if solution.problem.symmetric or not pairs:
        return lambda model: model
    return lambda model: merge_groups(votes, model, groups)


def _gold_shares(gold: Gold, level: float) -> tuple[Floats, Floats]:
    """Interval of the share of each class in gold."""
    return wilson(gold.counts, np.full(len(gold.classes), gold.counts.sum()), level)


def _blend_interval(solution: Solution, mixed: Blend, unlabeled: Intervals, level: float) -> tuple[Floats, Floats]:
    """Interval of the blended accuracies: the blend's own error, and what is left of the noise of the votes."""
    problem, balance = solution.problem, solution.class_balance

    def accuracies(x: Floats) -> Floats:
        return accuracy(problem.conditionals(x, balance), balance)

    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = accuracies(mixed.x)
    half = np.abs(accuracies(mixed.x + z * mixed.error) - accuracies(mixed.x - z * mixed.error)) / 2
    share = np.zeros(len(centre))
    np.maximum.at(share, problem.source, 1 - mixed.gold_weight)
    noise = share * abs(mixed.multiple) * (unlabeled.high - unlabeled.low) / 2
    half = np.hypot(half, np.nan_to_num(noise))
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)


def need_gold(gold: Gold | None, method: str) -> Gold:
    """The gold that a method cannot do without."""
    if gold is None or not gold.known.any():
        raise InputError(f"method={method!r} learns from gold labels; give some, or use method='triplets'.")
    return gold
