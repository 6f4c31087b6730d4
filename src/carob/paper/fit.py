"""The paper's estimators as fits: triplets of sources, gold alone, and tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from carob._types import Codes, Floats, Progress, cached_property
from carob.count.statistics import GroupCounts
from carob.errors import InputError, examples, plural
from carob.paper.balance import Balance
from carob.paper.count import Counted, check_shape, check_sources, count
from carob.paper.gold_fit import accuracy_interval, learn_from_gold
from carob.paper.intervals import triplet_intervals
from carob.paper.kinds import ClassConditional
from carob.paper.settings import TripletSettings
from carob.paper.tensor_fit import TensorFit
from carob.paper.triplet_fit import Solution, solve
from carob.posterior.fit import Fit
from carob.posterior.groups import check_groups, dependent_groups, merge_groups
from carob.posterior.intervals import Intervals, wilson
from carob.posterior.settings import Settings
from carob.posterior.source_model import SourceModel
from carob.posterior.source_table import SourceTable
from carob.votes import Gold, GoldPoints, Votes
from carob.votes.outputs import SILENT


@dataclass(frozen=True, eq=False)
class VotesFit:
    """What votes alone tell."""

    solution: Solution
    balance: Balance  # how the class balance was found
    joint: tuple[GroupCounts, ...]  # how known groups of sources vote together

    @cached_property
    def model(self) -> SourceModel:
        """The source model, with known groups taken as one."""
        problem = self.solution.problem
        return merge_groups(self.solution.model, self.joint, problem.kind.joint_table)


def fit_votes(counted: Counted, gold: GoldPoints | None, settings: TripletSettings) -> VotesFit:
    """Check the sources, find the class balance, and solve the triplets.

    `gold`: helps with the class balance.
    """
    moments = counted.statistics.moments
    check_sources(moments, counted.pairs)
    given = settings.given_balance(moments.classes)
    balance = Balance(given, counted.kind, counted.pairs, counted.statistics.triples)
    found = balance.of(moments, counted.triple_sums, None if gold is None else gold.counts)
    solution = solve(moments, found, settings)
    return VotesFit(solution, balance, counted.statistics.groups)


def fit_paper(data: Votes, gold: Gold | None, settings: Settings, progress: Progress | None = None) -> Fit:
    """Learn by the method of the paper that the settings name."""
    aside, settings = settings.set_aside(data)
    votes = aside.votes
    points = None if gold is None or not gold.known.any() else GoldPoints.of(votes, gold)
    if settings.method != "triplets" and votes.scored.any():
        names = list(votes.scales)
        raise InputError(
            f"method={settings.method!r} learns from votes, and {examples(names)} give{'s' if len(names) == 1 else ''} "
            "scores. Use the default (method='consensus'), triplets, or read them as votes (kinds=; --kind)."
        )
    if settings.method == "labeled":
        found = _fit_labeled(votes, points, settings)
    elif settings.method == "tensors":
        found = _fit_tensors(votes, points, settings, progress)
    else:
        found = fit_triplets(votes, points, TripletSettings.of(settings), progress)
    return replace(found, all_sources=data.sources, messages=aside.messages)


def _fit_labeled(votes: Votes, points: GoldPoints | None, settings: Settings) -> Fit:
    """Learn from the gold points alone."""
    if points is None:
        raise InputError("method='labeled' learns from gold labels; give some, or use method='triplets'.")
    sources = points.votes.sources
    groups = dependent_groups(len(sources), settings.pairs(sources))
    check_groups(groups, sources, points.votes.outputs)
    model = learn_from_gold(points, settings.given_balance(points.votes.classes), ClassConditional(), groups)
    balance = model.class_balance
    shares = _gold_shares(points, settings.level) if settings.class_balance is None else (balance, balance)
    intervals = Intervals(*accuracy_interval(points, balance, settings.level), *shares, "wilson")
    note = f"The sources are learned from {len(points):,} gold labels alone."
    return _made(settings, votes, points, model, intervals, (note,), model.accuracy)


def fit_triplets(
    votes: Votes, points: GoldPoints | None, settings: TripletSettings, progress: Progress | None = None
) -> Fit:
    """Learn the sources from the votes alone; gold, where there is some, helps with the class balance."""
    check_shape(len(votes), len(votes.sources))
    counted = count(votes, settings)
    votes_fit = fit_votes(counted, points, settings)
    model, kind = votes_fit.model, votes_fit.solution.problem.kind
    bin_classes = tuple(
        (model.class_balance[:, None] * model.source_tables[i][:, SILENT + 1 :]).argmax(axis=0).astype(np.int8)
        for i in np.flatnonzero(votes.scored)
    )
    accuracy = model.as_voted(votes.scored, bin_classes).accuracy
    gold = points if settings.class_balance is None else None
    intervals = triplet_intervals(counted, votes_fit.balance, votes_fit.solution, gold, progress)
    if gold is not None:
        low, high = _gold_shares(gold, settings.level)
        intervals = replace(intervals, balance_low=low, balance_high=high)
    note = f"Votes: the {settings.aggregate} of triplets, {kind.words}, from {len(votes):,} points."
    return _made(settings, votes, points, votes_fit.model, intervals, (note,), accuracy, bin_classes)


def _fit_tensors(votes: Votes, points: GoldPoints | None, settings: Settings, progress: Progress | None) -> Fit:
    """Learn a table of every source from triples of views, with gold added to it where there is some."""
    found = TensorFit.of(votes, points, TripletSettings.of(settings))
    most = max(map(len, found.counts.views.pools))
    views = "single sources" if most == 1 else f"pools of up to {most} sources"
    notes = [f"Votes: the median over triples of {views}, a table per source, from {len(votes):,} points."]
    if found.gold is not None and points is not None:
        notes.append(
            f"Gold: {plural(len(points), 'gold label')} added to the tables, of which they make up "
            f"{found.gold.weight:.0%} on average."
        )
    return _made(settings, votes, points, found.model, found.intervals(progress), notes, found.model.accuracy)


def _made(
    settings: Settings,
    votes: Votes,
    points: GoldPoints | None,
    model: SourceModel,
    intervals: Intervals,
    notes: Sequence[str],
    accuracy: Floats,
    bin_classes: tuple[Codes, ...] = (),
) -> Fit:
    voted = None if points is None else replace(points, votes=points.votes.as_voted(bin_classes))
    held = intervals.holding(accuracy, model.class_balance)
    table = SourceTable.of(votes.as_voted(bin_classes), voted, accuracy, held.low, held.high)
    return Fit(
        settings.method, len(votes), 0 if points is None else len(points), model, votes.coding, (), (), table,
        held.balance_low, held.balance_high, tuple(notes), bin_classes=bin_classes,
    )  # fmt: skip


def _gold_shares(points: GoldPoints, level: float) -> tuple[Floats, Floats]:
    """Interval of the share of each class in gold."""
    return wilson(points.counts, np.full(len(points.counts), len(points)), level)
