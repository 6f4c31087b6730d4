"""`Votes`: what every other room works on."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from carob._types import ABSTAIN, AnyArray, Bools, Codes, Floats, Group, Ints, Label, cached_property
from carob.errors import InputError, examples
from carob.votes.coding import Coding
from carob.votes.columns import Column, gold_column
from carob.votes.counts import VoteCounts, count_votes, score_parts, tally
from carob.votes.gold import Gold
from carob.votes.messages import Message
from carob.votes.outputs import Outputs
from carob.votes.scales import Scale, running_against
from carob.votes.storage import CELLS_PER_VOTE, Dense, Patterns, Sparse


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes of m sources on n points.

    Parameters
    ----------
    cells : array of int8, shape (n, m), or storage
        Class index 0..K-1, or -1 where a source does not vote.
    sources : tuple of str
        Names of the sources.
    coding : Coding
        How classes and abstains were written where the votes came from.
    keys : array, shape (n,), or None
        Identifiers of the points.
    gold : Gold or None
        Gold that came with the votes. `LabelModel.fit` uses gold only where it is handed over.
    messages : tuple of Message
        What of the table was dropped when it was read, and what was guessed.
    key_name : str or None
        The column that the keys come from.
    by : array of str, shape (n,), or None
        The group that each point is in, where rates of groups are asked for.

    Examples
    --------
    >>> votes = Votes.from_array([[0, 1, 1], [1, 1, 0]], sources=["a", "b", "c"])
    >>> votes
    Votes(2 points, 3 sources, classes 0, 1)
    """

    cells: Codes | Dense | Sparse
    sources: tuple[str, ...]
    coding: Coding
    keys: AnyArray | None = field(default=None, repr=False)
    gold: Gold | None = field(default=None, repr=False)
    messages: tuple[Message, ...] = ()
    key_name: str | None = None
    by: AnyArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        repeated = sorted(name for name, count in Counter(self.sources).items() if count > 1)
        if repeated:
            raise InputError(f"source names must differ; {examples(repeated)} occur more than once. Rename them.")
        if isinstance(self.cells, Dense | Sparse):
            return
        values = np.asfortranarray(self.cells)
        object.__setattr__(self, "cells", Dense(values))
        if values.ndim != 2 or values.dtype != np.int8 or values.shape[1] != len(self.sources):
            raise InputError(
                f"Votes holds int8 of shape (points, {len(self.sources)}), not {values.dtype} of shape {values.shape}; "
                "Votes.from_array takes anything."
            )
        most = np.array(self.outputs.sizes, dtype=np.int64) - 1
        if values.size and (values.min() < ABSTAIN or (values.max(axis=0) >= most).any()):
            raise InputError(
                "Votes holds class indices, or -1 for an abstain; Votes.from_array takes classes as they are."
            )

    @classmethod
    def from_array(cls, array: Any, sources: Sequence[str] | None = None, **options: Any) -> Votes:
        """Votes from an array, nested lists or a sparse matrix; see `carob.read.to_votes.votes_from_array`."""
        return _reading("votes_from_array")(array, sources, **options)

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> Votes:
        """Votes from a data frame of any library that speaks Arrow; the options are those of `carob.read_votes`."""
        return _reading("read_votes")(frame, **options)

    @classmethod
    def from_long(cls, frame: Any, *, options: Any = None, **named: Any) -> Votes:
        """Votes from a frame with a row per vote (task, worker, label); the options are those of `carob.read_votes`."""
        stated = _reading("ReadOptions")() if options is None else options
        return _reading("read_votes")(frame, options=replace(stated, layout="long"), **named)

    def compact(self) -> Votes:
        """The same, held sparsely where sources are many and most say nothing: a crowd's votes as a whole array."""
        n, m = self.storage.shape
        if isinstance(self.storage, Sparse) or m < 100:  # sources; fewer are quickly gone through, whoever is silent
            return self
        spoken = self.storage.values >= 0
        if np.count_nonzero(spoken) * CELLS_PER_VOTE >= n * m:
            return self
        point, source = np.nonzero(spoken)
        values = self.storage.values[point, source]
        return replace(self, cells=Sparse.of_entries(n, m, point.astype(np.int64), source.astype(np.int64), values))

    def __len__(self) -> int:
        return self.storage.shape[0]

    def __repr__(self) -> str:
        names = ", ".join(str(label) for label in self.classes[:5]) + (", ..." if len(self.classes) > 5 else "")
        return f"Votes({len(self):,} points, {len(self.sources):,} sources, classes {names})"

    @property
    def storage(self) -> Dense | Sparse:
        """How the votes are held."""
        if not isinstance(self.cells, Dense | Sparse):
            raise TypeError("votes are wrapped when they are made")
        return self.cells

    @cached_property
    def values(self) -> Codes:
        """Class index of every vote, -1 where a source does not vote, shape (n, m): all cells, however few votes."""
        storage = self.storage
        return storage.values if isinstance(storage, Dense) else storage.columns(0, len(self)).T

    @property
    def classes(self) -> tuple[Label, ...]:
        """Names of the classes."""
        return self.coding.classes

    @cached_property
    def outputs(self) -> Outputs:
        """What each source may say."""
        sizes = tuple(self.scales[name].size if name in self.scales else len(self.classes) for name in self.sources)
        leaning = np.concatenate(self._leaning) if self.scales else ()
        return Outputs(tuple(size + 1 for size in sizes), tuple(leaning))

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """The sources that give scores rather than votes, in their order, and how their numbers become outputs."""
        known = dict(self.coding.scales)
        return {name: known[name] for name in self.sources if name in known}

    @cached_property
    def scored(self) -> Bools:
        """True for sources that give scores rather than votes, shape (m,)."""
        return np.array([name in self.scales for name in self.sources], dtype=bool)

    def code_gold(self, labels: Any, chances: Any = None) -> Gold:
        """Gold labels, written as the votes are, for the points of these votes.

        Unknown labels are empty, None, NaN, -1 where -1 is no class, or what the votes write for an abstain. `chances`
        says how likely points were to be picked, as `carob.pick` tells; None or NaN where they were chosen at random.
        """
        if isinstance(labels, Gold):
            gold = labels
        else:
            column = labels if isinstance(labels, Column) else gold_column(labels, float("nan"))
            unknown = {*self.coding.abstain, "", ABSTAIN} - set(self.classes)
            self._check_common(column, unknown)
            gold = Gold(replace(self.coding, abstain=tuple(unknown)).codes(column), self.classes)
        if len(gold) != len(self):
            raise InputError(
                f"gold has {len(gold):,} labels for {len(self):,} points; give one per point, empty where unknown."
            )
        if gold.classes != self.classes:
            raise InputError(f"gold has classes {gold.classes} and the votes have {self.classes}.")
        return gold if chances is None else replace(gold, chances=np.asarray(chances, dtype=np.float64))

    def _check_common(self, gold: Column, unknown: Container[Any]) -> None:
        """Refuse gold none of whose classes any source votes for: a column that is no source gave the classes."""
        labels = [label for label in gold.levels if self.coding.spelling.read(label) not in unknown]
        folded = {str(label).casefold() for label in self.classes}
        if not labels or any(str(self.coding.spelling.read(label)).casefold() in folded for label in labels):
            return
        voting = [name for name, scored in zip(self.sources, self.scored, strict=True) if not scored]
        raise InputError(
            f"{gold.where} holds {examples(labels)}, and no source votes for any of these: {examples(voting)} "
            f"{'votes' if len(voting) == 1 else 'vote'} for {examples(self.classes)}. Leave out what is no source "
            "(drop=; --drop), or read values as others (mapping=; --map)."
        )

    @property
    def own_gold(self) -> Gold:
        """The gold that came with the votes."""
        if self.gold is None:
            raise InputError("no gold came with the votes.")
        return self.gold

    def take(self, rows: AnyArray | slice) -> Votes:
        """The votes on some of the points, with their keys and gold."""
        return replace(
            self,
            cells=self.storage.take(rows),
            keys=None if self.keys is None else self.keys[rows],
            gold=None if self.gold is None else self.gold.take(rows),
            by=None if self.by is None else self.by[rows],
        )

    def select(self, sources: Iterable[str]) -> Votes:
        """The votes of some of the sources, in the order given."""
        wanted = tuple(sources)
        if wanted == self.sources:
            return self
        place = {name: i for i, name in enumerate(self.sources)}
        missing = [name for name in wanted if name not in place]
        if missing:
            raise InputError(f"no source {examples(missing)}; the sources are {examples(self.sources)}.")
        return replace(self, cells=self.storage.select([place[name] for name in wanted]), sources=wanted)

    @cached_property
    def number(self) -> Ints:
        """How many sources vote on each point, shape (n,)."""
        if isinstance(self.storage, Sparse):
            return np.diff(self.storage.start)
        if self.scored.any():
            return np.asarray((self.values >= 0).sum(axis=1), dtype=np.int64)
        return self.tally().sum(axis=1)

    @cached_property
    def counts(self) -> VoteCounts:
        """What every source says, and on how many points."""
        return self.count()

    def count(self, first_row: int = 0, telling: Bools | None = None) -> VoteCounts:
        """The same of votes that are a part of the data; see `carob.votes.counts.count_votes`."""
        return count_votes(
            self.storage, self.sources, self.classes, self.scored, max(self.outputs.sizes), telling, first_row
        )

    def tally(self, low: int = 0, high: int | None = None, once: Sequence[Group] = ()) -> Ints:
        """How many votes the points low..high have for each class, shape (points, K); scores are no votes.

        Parameters
        ----------
        once : sequence of tuples of int
            Groups of sources whose votes for a class count as one.
        """
        high = len(self) if high is None else min(high, len(self))
        return tally(self.storage, len(self.classes), self.scored, low, high, once)

    def leanings(self, low: int = 0, high: int | None = None, once: Sequence[Group] = ()) -> Floats:
        """As `tally`, with a part of a vote for either of two classes by every score.

        With more classes a number does not say which it is for, and every class gets the same part. Sources of a group
        in `once` of which one gives scores are not counted as one.
        """
        leaning = {i: self.scales[self.sources[i]].leaning for i in np.flatnonzero(self.scored).tolist()}
        high = len(self) if high is None else min(high, len(self))
        return self.tally(low, high, once) + score_parts(self.storage, len(self.classes), leaning, low, high)

    def directed(self) -> Votes:
        """The same with scores turned that run against the other sources."""
        if len(self.classes) != 2 or not self.scored.any():
            return self
        against = {self.sources[i] for i in running_against(self.storage, self._leaning)}
        turned = tuple((name, s.turn() if name in against else s) for name, s in self.coding.scales)
        return replace(self, coding=replace(self.coding, scales=turned))

    @property
    def _leaning(self) -> list[Floats]:
        """How far each output of each source speaks for the second of two classes."""
        scales, vote = self.scales, np.linspace(0, 1, len(self.classes))
        return [scales[name].leaning if name in scales else vote for name in self.sources]

    def as_voted(self, reads_as: Sequence[Codes]) -> Votes:
        """The votes that scores come to, from the class that each bin of each source with scores is read as."""
        if not self.scored.any():
            return self
        classes_of = iter(reads_as)
        columns = self.storage.columns(0, len(self)).copy()
        for i in np.flatnonzero(self.scored):
            columns[i] = np.append(next(classes_of), ABSTAIN).astype(np.int8)[columns[i]]
        return replace(self, cells=columns.T, coding=replace(self.coding, scales=()))

    def distinct(self) -> Votes:
        """The distinct rows as votes, in the order of `patterns`."""
        return Votes(self.patterns.values, self.sources, self.coding)

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rows with their counts."""
        return Patterns.of(self.values, self.outputs.sizes)


def _reading(name: str) -> Any:
    # Reading stands above votes, and is loaded by its name.
    return getattr(importlib.import_module("carob.read"), name)
