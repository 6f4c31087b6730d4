"""The votes that sources are learned from, as a list of who said what where, and the two sums that learning takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._kernels import threads
from carob._kernels.counting import add_weights
from carob._types import Codes, Floats, Group, Ints, Places, cached_property
from carob.posterior.naive_bayes import table_sums
from carob.votes import Votes
from carob.votes.outputs import SILENT, joint_output
from carob.votes.storage import Sparse

_FEW_CELLS = 1 << 20  # that are counted before threads would have started


@dataclass(frozen=True, eq=False)
class TrainingVotes:
    """Votes of m sources on n points, for K classes; V is the largest number of things that a source may say."""

    votes: Votes
    groups: tuple[Group, ...]  # sources whose votes on a point count as one, their mean; each source is in one group

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.votes)

    @property
    def m(self) -> int:
        """Number of sources."""
        return len(self.votes.sources)

    @property
    def K(self) -> int:  # noqa: N802
        """Number of classes."""
        return len(self.votes.classes)

    @cached_property
    def entries(self) -> tuple[Places, Places, Places]:
        """Point, source and output of every vote."""
        storage = self.votes.storage
        if isinstance(storage, Sparse):
            point, source, value = storage.entries(0, self.n)
            return point.astype(np.intp), source.astype(np.intp), value.astype(np.intp)
        columns = storage.columns(0, self.n)
        source_of, point_of = np.nonzero(columns >= 0)
        return point_of, source_of, columns[source_of, point_of].astype(np.intp)

    @cached_property
    def counts_for(self) -> Floats:
        """How far each output of each source is a vote for each class, shape (m, V, K): a score may lean to several."""
        K, V = self.K, max(self.votes.outputs.sizes) - 1
        found = np.zeros((self.m, V, K))
        found[:, :K] = np.eye(K)
        for i, scale in zip(np.flatnonzero(self.votes.scored), self.votes.scales.values(), strict=True):
            leaning = scale.leaning
            found[i] = 0
            found[i, : len(leaning)] = np.stack([1 - leaning, leaning], axis=1) if K == 2 else 1 / K
        return found

    @cached_property
    def group_votes(self) -> Places:
        """Which of the votes of groups of sources, one group on one point, each vote is part of."""
        point, source, _ = self.entries
        return group_votes(point, source, self.groups, self.m)

    @cached_property
    def parts(self) -> Floats:
        """What every vote counts for: sources of a group that speak on a point share one vote."""
        return np.asarray(1 / np.bincount(self.group_votes)[self.group_votes])

    @cached_property
    def cast(self) -> Floats:
        """How often each source says each thing, shape (m, V)."""
        _, source, output = self.entries
        V = self.counts_for.shape[1]
        return np.bincount(source * V + output, minlength=self.m * V).reshape(self.m, V).astype(np.float64)

    @cached_property
    def tally(self) -> Floats:
        """Votes for each class on each point, shape (n, K)."""
        return self.sums(self.counts_for)

    @cached_property
    def voted(self) -> Places:
        """The points on which somebody votes."""
        return np.flatnonzero(self.votes.number > 0)

    def sums(self, tables: Floats, silence: Floats | None = None) -> Floats:
        """Sum over the sources of what they say of each point, shape (n, C); `silence` of those that say nothing.

        `tables`, shape (m, V, C). `silence`, shape (m, C).
        """
        return sums_of(self.votes, self.groups, tables, silence)

    def counts(self, guess: Floats) -> Floats:
        """How much of each class there is where each source says each thing, shape (m, V, K).

        Whatever the number of threads, points are added in the same order.
        """
        storage, V = self.votes.storage, self.counts_for.shape[1]
        weights = np.ascontiguousarray(guess.T)
        if isinstance(storage, Sparse):
            point, source, output = self.entries
            place = source * V + output
            of_class = [np.bincount(place, w[point], minlength=self.m * V).reshape(self.m, V) for w in weights]
            return np.stack(of_class, axis=2)
        columns = storage.columns(0, self.n)
        counts = np.zeros((self.m, V + 1, len(weights)))
        parts = threads.spans(self.m, threads.THREADS if self.m * self.n > _FEW_CELLS else 1, 4)
        threads.in_threads(
            lambda k: add_weights(columns[slice(*parts[k])], weights, counts[slice(*parts[k])]), len(parts)
        )
        return counts[:, SILENT + 1 :]

    def per_source(self, of_votes: Floats) -> Floats:
        """Sums over the votes of each source, shape (m,)."""
        return np.asarray(np.bincount(self.entries[1], of_votes, minlength=self.m), dtype=np.float64)

    def take(self, places: Places) -> TrainingVotes:
        """Some of the points."""
        return TrainingVotes(self.votes.take(places), self.groups)


def sums_of(votes: Votes, groups: tuple[Group, ...], tables: Floats, silence: Floats | None = None) -> Floats:
    """As `TrainingVotes.sums`, of any votes of the same sources."""
    if isinstance(votes.storage, Sparse):
        return _sparse_sums(votes.storage, len(votes), groups, tables, silence)
    whole = np.zeros((len(tables), tables.shape[1] + 1, tables.shape[2]))
    whole[:, SILENT + 1 :] = tables
    if silence is not None:
        whole[:, SILENT] = silence
    alone = [whole[i, :size].T for i, size in enumerate(votes.outputs.sizes)]
    together = [
        alone[group[0]] if len(group) == 1 else _mean_table([alone[i] for i in group], silence is not None)
        for group in groups
    ]
    return table_sums(votes, groups, together)


def _sparse_sums(storage: Sparse, n: int, groups: tuple[Group, ...], tables: Floats, silence: Floats | None) -> Floats:
    """The same vote by vote; sources of a group share one vote, those that say nothing too where silence tells."""
    point, source, value = (found.astype(np.intp) for found in storage.entries(0, n))
    m, V, C = tables.shape
    part: Floats | float = 1.0
    if len(groups) < m:
        if silence is None:
            shared = group_votes(point, source, groups, m)
            part = 1 / np.bincount(shared)[shared]
        else:
            share = np.empty(m)
            for group in groups:
                share[list(group)] = 1 / len(group)
            silence, tables = silence * share[:, None], tables * share[:, None, None]
    said = tables.reshape(m * V, C)
    if silence is not None:
        said = said - np.repeat(silence, V, axis=0)
    place = source * V + value
    sums = [np.bincount(point, said[:, c][place] * part, minlength=n) for c in range(C)]
    return np.stack(sums, axis=1) + (0 if silence is None else silence.sum(axis=0))


def group_votes(point: Places, source: Places, groups: tuple[Group, ...], m: int) -> Places:
    """Which of the votes of groups of sources, one group on one point, each vote is part of."""
    if len(groups) == m:
        return np.arange(len(point))
    group_of = np.empty(m, dtype=np.intp)
    for place, group in enumerate(groups):
        group_of[list(group)] = place
    return np.unique(point * len(groups) + group_of[source], return_inverse=True)[1]


def _mean_table(tables: list[Floats], silence_tells: bool) -> Floats:
    """Of sources that count as one: the mean over those of them that tell something, for every joint output."""
    sizes = [table.shape[1] for table in tables]
    outputs: Ints = np.indices(sizes).reshape(len(tables), -1)
    total = np.sum([table[:, output] for table, output in zip(tables, outputs, strict=True)], axis=0)
    order = joint_output(list(outputs), sizes)
    telling = len(tables) if silence_tells else np.maximum((outputs != SILENT).sum(axis=0), 1)
    result = np.empty((len(tables[0]), len(order)))
    result[:, order] = total / telling
    return result


def known_classes(truth: Codes, p: Floats) -> Floats:
    """Probabilities with the classes that are known put in."""
    rows = np.flatnonzero(truth >= 0)
    found = p.copy()
    found[rows] = np.eye(p.shape[1])[truth[rows]]
    return found
