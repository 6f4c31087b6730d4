"""What votes alone tell: solved triplets, with known groups of sources taken as one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from carob._types import Floats, Group, cached_property
from carob.count.statistics import GroupCounts, Statistics
from carob.paper.balance import Balance
from carob.paper.check import check_sources
from carob.paper.count import Counted
from carob.paper.settings import Aggregate, TripletSettings
from carob.paper.triplet_fit import Solution, solve
from carob.posterior.groups import merge_groups
from carob.posterior.source_model import SourceModel
from carob.votes import GoldPoints


@dataclass(frozen=True, eq=False)
class VotesFit:
    """What votes alone tell."""

    solution: Solution
    balance: Balance  # how the class balance was found
    joint: tuple[GroupCounts, ...]  # how known groups of sources vote together
    groups: tuple[Group, ...]  # all groups, sources alone among them

    @cached_property
    def model(self) -> SourceModel:
        """The source model, with known groups taken as one."""
        return self.model_of(self.solution.x)

    def model_of(self, x: Floats) -> SourceModel:
        """The same with other parameters of the features."""
        problem = self.solution.problem
        return merge_groups(problem.source_model(x, self.solution.class_balance), self.joint, problem.kind.joint_table)

    def again(self, statistics: Statistics, rng: np.random.Generator, aggregate: Aggregate | None = None) -> VotesFit:
        """The same of other points, with the same class balance, signs and joint counts, or another aggregate."""
        return replace(self, solution=self.solution.again(statistics.moments, rng, aggregate))


def fit_votes(counted: Counted, gold: GoldPoints | None, settings: TripletSettings) -> VotesFit:
    """Check the sources, find the class balance, and solve the triplets.

    Parameters
    ----------
    gold : GoldPoints or None
        Helps with the class balance.
    """
    moments = counted.statistics.moments
    check_sources(moments, counted.pairs)
    given = settings.given_balance(moments.classes)
    balance = Balance(given, counted.kind, counted.pairs, counted.statistics.triples)
    found = balance.of(moments, counted.triple_sums, None if gold is None else gold.counts)
    solution = solve(moments, found, settings)
    return VotesFit(solution, balance, counted.statistics.groups, counted.groups)
