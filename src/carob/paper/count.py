"""Counting what a fit needs: one pass over the votes, two where the class balance takes third moments."""

from __future__ import annotations

from dataclasses import dataclass

from carob._types import Group, Ints
from carob.count.statistics import Statistics
from carob.paper.kinds import Kind, choose_kind
from carob.paper.settings import TripletSettings
from carob.posterior.groups import check_groups, dependent_groups
from carob.posterior.settings import Positions
from carob.votes import Votes


@dataclass(frozen=True, eq=False)
class Counted:
    """Statistics of votes, and what was settled on the way."""

    statistics: Statistics
    kind: Kind  # of the sources
    pairs: Positions  # sources known to depend on each other
    groups: tuple[Group, ...]  # what these make: every source in one group

    @property
    def triple_sums(self) -> Ints | None:
        """Sums of products of three features over all points, where they were counted."""
        triples = self.statistics.triples
        return None if triples is None else triples.sums.sum(axis=0)


def count(votes: Votes, settings: TripletSettings) -> Counted:
    """Count all that a fit with these settings needs."""
    pairs = settings.pairs(votes.sources)
    groups = dependent_groups(len(votes.sources), pairs)
    check_groups(groups, votes.sources, votes.outputs)
    statistics = Statistics.of(votes, [group for group in groups if len(group) > 1])
    kind = choose_kind(settings.symmetric, statistics.moments)
    if settings.class_balance is None:
        asked = kind.balance_triples(statistics.moments, pairs)
        if asked is not None:
            statistics = statistics.with_triples(votes, *asked)
    return Counted(statistics, kind, pairs, groups)
