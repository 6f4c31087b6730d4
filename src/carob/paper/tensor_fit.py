"""Sources and class balance from triples of views, with intervals, and with gold where there is some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lgamma
from statistics import NormalDist
from typing import Any

import numpy as np

from carob._kernels.threads import in_threads
from carob._types import Floats, Group, Ints, Progress
from carob.count.moments import Moments
from carob.count.statistics import GroupCounts, Statistics
from carob.paper.balance import VOTES_WORTH
from carob.paper.confusion import Confusion, confusion
from carob.paper.count import check_shape, check_sources
from carob.paper.intervals import FEWEST, SECONDS, distance_interval
from carob.paper.settings import Aggregate, TripletSettings
from carob.paper.views import ViewCounts, choose_views
from carob.posterior.groups import check_groups, dependent_groups, merge_groups
from carob.posterior.intervals import Intervals, student
from carob.posterior.settings import Pairs
from carob.posterior.source_model import SourceModel, accuracy, gold_balance
from carob.votes import GoldPoints, Outputs, Votes
from carob.votes.counts import block_of

# Gold labels of a class that a table from votes may be worth; gold itself says which.
PRIOR_COUNTS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)

_STEP = 8  # replicates between two reports of progress

_lgamma = np.vectorize(lgamma, otypes=[np.float64])


def tensors(
    votes: Votes,
    aggregate: Aggregate = "median",
    class_balance: Any = None,
    known_pairs: Pairs = (),
    rng: np.random.Generator | int | None = 0,
) -> SourceModel:
    """Estimate how every source votes in every class, without gold, for any number of classes.

    Parameters
    ----------
    votes : Votes
    aggregate : {"median", "mean", "random"}
        How the estimates of all triples of views become one.
    class_balance : float or sequence of float, optional
        Probability of the second of two classes, or of every class; estimated where not given.
    known_pairs : sequence of pairs of source names or positions
        Pairs known to depend on each other: never in two views of a triple, nor the one in a view for the other.
    rng : numpy Generator or int, optional
        For which triples, or pools of sources, are views, and for ``aggregate="random"``.

    Raises
    ------
    InputError
        Fewer than three sources, a source that never varies, identical sources, more sources than points.
    NotIdentifiedError
        No triple of views tells all classes apart.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 3, 20_000)
    >>> said = np.where(rng.random((5, 20_000)) < 0.7, truth, (truth + 1) % 3)
    >>> model = tensors(Votes.from_array(said.T))
    >>> model.conditionals[0].round(2)
    array([[0.  , 0.69, 0.31, 0.  ],
           [0.  , 0.  , 0.69, 0.3 ],
           [0.  , 0.3 , 0.  , 0.7 ]])
    """
    if not isinstance(votes, Votes):
        raise TypeError(f"tensors takes Votes, not {type(votes).__name__}.")
    settings = TripletSettings(
        aggregate=aggregate,
        method="tensors",
        class_balance=class_balance,
        known_pairs=known_pairs,
        replicates=0,
        rng=rng,
    )
    found = TensorFit.of(votes, None, settings)
    return SourceModel.independent(votes.sources, votes.classes, found.class_balance, found.tables)


@dataclass(frozen=True, eq=False)
class TensorFit:
    """Tables from votes, and from gold where there is some."""

    votes: Votes
    counts: ViewCounts
    groups: tuple[Group, ...]  # sources that are known to depend on each other; every other alone
    gold: GoldCounts | None
    settings: TripletSettings
    from_votes: Confusion  # what votes alone say

    @classmethod
    def of(cls, votes: Votes, points: GoldPoints | None, settings: TripletSettings) -> TensorFit:
        """Check the sources, choose views, count, and solve."""
        check_shape(len(votes), len(votes.sources))
        pairs = settings.pairs(votes.sources)
        groups = dependent_groups(len(votes.sources), pairs)
        check_groups(groups, votes.sources, votes.outputs)
        given = settings.given_balance(votes.classes)
        moments = Moments.of(votes)
        check_sources(moments, pairs)
        rng = settings.generator()
        counts = choose_views(votes, moments, groups, rng)
        views = counts.views
        found = confusion(*counts.weighted(), views.triples, views.apart(groups), settings.aggregate, given, rng)
        gold = None if points is None else GoldCounts.of(points, len(counts.n), found.tables)
        return cls(votes, counts, groups, gold, settings, found)

    @property
    def tables(self) -> Floats:
        """Probability of every output given the class, shape (m, K, S), with gold."""
        return self.from_votes.tables if self.gold is None else self.gold.blended(self.from_votes.tables)

    @property
    def class_balance(self) -> Floats:
        """With gold where it is not given."""
        return self._balance(self.from_votes.class_balance, None if self.gold is None else self.gold.truth.sum(axis=0))

    def _balance(self, from_votes: Floats, truth: Ints | None) -> Floats:
        if truth is None or self.settings.class_balance is not None:
            return from_votes
        return gold_balance(truth, VOTES_WORTH * from_votes)

    @property
    def model(self) -> SourceModel:
        """The source model, with known groups taken as one."""
        alone = SourceModel.independent(self.votes.sources, self.votes.classes, self.class_balance, self.tables)
        several = [group for group in self.groups if len(group) > 1]
        if not several:
            return alone
        joint: tuple[GroupCounts, ...] = Statistics.of(self.votes, several).groups
        return merge_groups(alone, joint, joint_table)

    def intervals(self, progress: Progress | None = None) -> Intervals:
        """Intervals of accuracies and class balance, from a bootstrap over blocks of points."""
        settings, counts, found = self.settings, self.counts, self.from_votes
        m, K, _ = found.tables.shape
        if settings.replicates == 0:
            return Intervals.nothing(m, K)
        views, B = counts.views, len(counts.n)
        apart, given = views.apart(self.groups), settings.given_balance(self.votes.classes)

        def again(rng: np.random.Generator) -> tuple[Floats, Floats]:
            weights = rng.multinomial(B, np.full(B, 1 / B))
            drawn = confusion(*counts.weighted(weights), views.triples, apart, settings.aggregate, given, rng, found)
            if self.gold is None:
                return accuracy(drawn.tables, drawn.class_balance), drawn.class_balance
            balance = self._balance(drawn.class_balance, weights @ self.gold.truth)
            return accuracy(self.gold.blended(drawn.tables, weights), balance), balance

        replicates = _affordable(counts, settings.replicates)
        seeds = settings.generator().spawn(replicates)
        drawn: list[tuple[Floats, Floats]] = []
        for low in range(0, replicates, _STEP):
            part = seeds[low : low + _STEP]
            drawn += in_threads(lambda k, part=part: again(part[k]), len(part))  # type: ignore[misc]
            if progress is not None:
                progress(len(drawn), replicates)
        accuracies, balances = (np.array(values) for values in zip(*drawn, strict=True))
        stretch = student(settings.level, B - 1) / NormalDist().inv_cdf((1 + settings.level) / 2)
        return Intervals(
            *distance_interval(accuracy(self.tables, self.class_balance), accuracies, settings.level, stretch),
            *distance_interval(self.class_balance, balances, settings.level, stretch),
            "bootstrap",
        )


def _affordable(counts: ViewCounts, asked: int) -> int:
    """How many replicates there is time for."""
    m, S, T = counts.with_sources.shape[2], counts.with_sources.shape[3], counts.triples.shape[1]
    added = counts.triples.size + counts.with_sources.size
    seconds = 4e-3 + 1e-4 * m + 6e-8 * T * (S**4 + m * S**2) + 1.5e-9 * added  # as measured
    return min(asked, max(FEWEST, int(SECONDS / seconds)))


@dataclass(frozen=True, eq=False)
class GoldCounts:
    """How sources vote on gold points, in blocks of points."""

    outputs: Ints  # shape (B, m, K, S): gold points of each block, source, class and output
    truth: Ints  # shape (B, K)
    prior: float  # gold labels of a class that a table from votes is worth

    @classmethod
    def of(cls, points: GoldPoints, B: int, tables: Floats) -> GoldCounts:
        """Count gold, and find out what tables from votes, shape (m, K, S), are worth beside it."""
        m, K, S = tables.shape
        block = block_of(points.rows, B)
        outputs = np.zeros((B, m, K, S), dtype=np.int64)
        for b, y, given in zip(block, points.truth, points.votes.values, strict=True):
            outputs[b, np.arange(m), y, given + 1] += 1
        truth = np.bincount(block * K + points.truth, minlength=B * K).reshape(B, K)
        found = cls(outputs, truth, 1.0)
        return replace(found, prior=max(PRIOR_COUNTS, key=lambda prior: found.evidence(tables, prior)))

    @property
    def weight(self) -> float:
        """Of gold in the tables, on average over classes."""
        truth = self.truth.sum(axis=0)
        return float((truth / (truth + self.prior)).mean())

    def evidence(self, tables: Floats, prior: float) -> float:
        """Log probability of the gold counts, where tables are Dirichlet around those from votes."""
        counts = self.outputs.sum(axis=0)
        alpha = np.where(counts > 0, np.maximum(prior * tables, 1e-9), 1.0)
        rising = np.where(counts > 0, _lgamma(alpha + counts) - _lgamma(alpha), 0).sum()
        truth = self.truth.sum(axis=0)
        return float(rising - len(tables) * (_lgamma(prior + truth) - lgamma(prior)).sum())

    def blended(self, tables: Floats, weights: Ints | None = None) -> Floats:
        """Tables from votes with gold added, of which blocks count as often as their weights say."""
        counts = self.outputs.sum(axis=0) if weights is None else np.tensordot(weights, self.outputs, axes=1)
        total = self.prior * tables + counts
        # What votes never showed, and gold cannot either, stays impossible; what gold shows is possible in all classes.
        return total / total.sum(axis=2, keepdims=True)


def joint_table(joint: Ints, with_others: Ints, model: SourceModel, group: Group) -> Floats:
    """Table of a group of sources that are taken as one, shape (K, outputs...): see `Kind.joint_table`.

    With every output f of a source outside the group, ``P(x, f) = sum_y p_y P(x | y) P(f | y)``: least squares, with
    outputs weighted by one over their shares.
    """
    outputs, n = Outputs(model.sizes), int(joint.sum())
    outside = np.flatnonzero(~np.isin(outputs.source, group))
    rows = [model.source_tables[outputs.source[f]][:, outputs.spoken[f]] for f in outside]
    given = np.vstack([*rows, np.ones(len(model.classes))])  # P(f | y), and that there is something
    seen = np.column_stack([with_others[:, outside], joint]) / n
    weight = 1 / np.maximum(seen.sum(axis=0), 1 / n)
    found = seen @ (given * weight[:, None]) @ np.linalg.pinv(given.T @ (given * weight[:, None]), hermitian=True)
    table = np.where(joint > 0, np.clip(found.T / model.class_balance[:, None], 1 / n, 1), 0)
    table /= table.sum(axis=1, keepdims=True)
    return table.reshape(-1, *(outputs.sizes[i] for i in group))
