"""What a fit from votes needs: sources that triplets can work with, and one pass over the votes to count, or two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Ints
from carob.count.aside import COPY, nothing_told
from carob.count.moments import Moments
from carob.count.statistics import Statistics
from carob.errors import InputError, plural
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
    return Counted(statistics, kind, pairs)


def check_sources(moments: Moments, pairs: Positions) -> None:
    """Refuse sources that triplets cannot work with."""
    problems = source_problems(moments, pairs)
    if problems:
        raise InputError(" ".join(problems))


def check_shape(n: int, m: int) -> None:
    """Refuse fewer than three sources or more sources than points, before anything is counted."""
    problems = shape_problems(n, m)
    if problems:
        raise InputError(" ".join(problems))


def shape_problems(n: int, m: int) -> list[str]:
    """What keeps triplets from working with this many points and sources."""
    problems = []
    if m < 3:
        problems.append(f"Triplets need three sources at least; there {'is' if m == 1 else 'are'} {m}.")
    if n < m:
        problems.append(f"{plural(n, 'point')} for {m:,} sources: bring more points, or is the table transposed?")
    return problems


def source_problems(moments: Moments, pairs: Positions) -> list[str]:
    """What keeps triplets from working with these sources, a sentence or two each."""
    problems = shape_problems(moments.n, len(moments.sources))
    silent = [moments.sources[i] for i in np.flatnonzero(moments.coverage == 0)]
    same_everywhere = np.maximum.reduceat(moments.counts == moments.n, moments.outputs.first)
    constant = [moments.sources[i] for i in np.flatnonzero(same_everywhere)]
    copies = [(i, j) for i, j in _copies(moments) if not {(i, j), (j, i)} & set(pairs)]
    return problems + nothing_told(silent, constant, [(moments.sources[i], moments.sources[j]) for i, j in copies])


def _copies(moments: Moments) -> list[tuple[int, int]]:
    """Pairs of sources of which wherever one votes, so does the other, and the same.

    On few points that may be chance: two workers who both did the same twenty easy tasks.
    """
    same = (moments.agree == moments.coverage[:, None]) & (moments.agree == moments.coverage[None, :])
    same &= moments.agree >= min(COPY, moments.n)
    return [(i, j) for i, j in np.argwhere(np.triu(same, 1)).tolist()]
