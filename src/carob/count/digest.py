"""A digest of votes: all that the default fit needs to know of them, however many they are.

One pass over the votes makes it, part by part: counts that add up, the rows that are learned from, and the points with
gold. A row is learned from where a hash of its number is small enough, and how small that must be follows from how many
votes there are in all; as more are counted, rows that were kept are let go, so that what is left is the same whatever
the parts and whoever put them together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from carob._kernels.counting import row_hashes as fill_hashes
from carob._types import ABSTAIN, Bools, Hashes, Label, Places, cached_property
from carob.count.aside import TellNothing, set_aside_before
from carob.count.statistics import Statistics
from carob.errors import InputError
from carob.votes import Gold, GoldPoints, Votes
from carob.votes.counts import VoteCounts
from carob.votes.messages import Message
from carob.votes.storage import Sparse

MOST_VOTES = 300_000  # that sources are learned from; more of them change the third digit only
MOST_EACH = 500  # votes of each source, on average, where that is more: many sources need more points


def row_hashes(row: Places) -> Hashes:
    """What decides whether points are learned from, by their row numbers: `block_of` with 2^16 blocks, and quicker."""
    hashes = np.empty(len(row), dtype=np.uint16)
    fill_hashes(np.ascontiguousarray(row, dtype=np.int64), hashes)
    return hashes


def learned_from(hashes: Hashes, number: int, sources: int) -> Bools:
    """Which points are learned from: of data with so many votes and sources, enough of them."""
    most = max(MOST_VOTES, MOST_EACH * sources)
    limit = math.ceil(most / max(number, 1) * (1 << 16))
    return np.full(len(hashes), True) if limit >= 1 << 16 else np.asarray(hashes < np.uint16(limit))


@dataclass(frozen=True, eq=False)
class Digest:
    """What a fit needs to know of votes; ``a + b`` is that of both parts of the data.

    Parameters
    ----------
    counts : VoteCounts
        Of all points and sources, those that were set aside among them.
    kept : Votes
        Of the sources that are left, on the points that are learned from and on those with gold, without keys.
    rows : array of int, shape (kept points,)
        Their row numbers in the whole data, increasing.
    statistics : Statistics or None
        Pair counts of all points, where they were asked for.
    hashes : array of int, shape (kept points,), or None
        What decides whether a row is learned from: a hash of its number, in the data that it was first read from.

    Examples
    --------
    >>> votes = Votes.from_array(np.random.default_rng(0).integers(0, 2, (50_000, 20)))
    >>> digest = Digest.of(votes)
    >>> len(digest), len(digest.kept)
    (50000, 15109)
    >>> Digest.of(votes.take(slice(0, 30_000))) + Digest.of(votes.take(slice(30_000, None)), first_row=30_000) == digest
    True
    """

    counts: VoteCounts
    kept: Votes
    rows: Places
    statistics: Statistics | None = None
    hashes: Hashes | None = None

    @classmethod
    def of(
        cls,
        votes: Votes,
        gold: Gold | None = None,
        first_row: int = 0,
        telling: Bools | None = None,
        pairs: bool = False,
        besides: int = 0,
    ) -> Digest:
        """Of votes, or of a part of them.

        Parameters
        ----------
        gold : Gold, optional
            Of these points.
        first_row : int
            Row number of the first point in the whole data.
        telling : array of bool, shape (m,), optional
            Sources that tell something, all where not given: others are set aside.
        pairs : bool
            Count pairs of outputs, too.
        besides : int
            Votes of the same sources in other parts, as far as they are counted: fewer rows are kept at once.
        """
        votes = replace(votes, keys=None, gold=gold, by=None, key_name=None)
        counts = votes.count(first_row, telling)
        if telling is not None and not telling.all():
            votes = votes.select(name for name, tells in zip(votes.sources, telling, strict=True) if tells)
        statistics = Statistics.of(votes, first_row=first_row) if pairs else None
        rows = np.arange(len(votes), dtype=np.intp) + first_row
        return cls(counts, votes, rows, statistics)._trimmed(besides)

    def _trimmed(self, besides: int = 0) -> Digest:
        """The same without rows that are not learned from, where there are so many votes besides."""
        kept = learned_from(self._hashes, self.number + besides, len(self.sources))
        if self.kept.gold is not None:
            kept |= self.kept.gold.known
        if kept.all():
            return self
        hashes = None if self.hashes is None else self.hashes[kept]
        return replace(self, kept=self.kept.take(np.flatnonzero(kept)), rows=self.rows[kept], hashes=hashes)

    @property
    def sampled(self) -> Bools:
        """Rows that are kept as a fair sample of all points, not for their gold alone; shape (kept points,)."""
        return learned_from(self._hashes, self.number, len(self.sources))

    @property
    def number(self) -> int:
        """How many votes the sources that are left have cast."""
        return int(self.told.number.sum())

    @property
    def _hashes(self) -> Hashes:
        return row_hashes(self.rows) if self.hashes is None else self.hashes

    @property
    def sample(self) -> Votes:
        """The votes on a fair sample of all points."""
        return self.kept.take(np.flatnonzero(self.sampled))

    def __len__(self) -> int:
        return self.counts.n

    def __repr__(self) -> str:
        return f"Digest({self.counts.n:,} points, {len(self.rows):,} of them kept; {self.kept!r})"

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources."""
        return self.kept.sources

    @property
    def classes(self) -> tuple[Label, ...]:
        """Names of the classes."""
        return self.kept.classes

    @cached_property
    def told(self) -> VoteCounts:
        """Counts of the sources that are left."""
        return self.counts.select(self.sources)

    @cached_property
    def points(self) -> GoldPoints | None:
        """The points with gold, by their places among those that are kept; None where there is none."""
        gold = self.kept.gold
        if gold is None or not gold.known.any():
            return None
        places = np.flatnonzero(gold.known)
        weights = gold.weights_among(len(self))[places]
        return GoldPoints(self.kept.take(places), gold.values[places], places, weights)

    def select(self, sources: Sequence[str]) -> Digest:
        """The same with some of the sources left, of those that are."""
        statistics = None if self.statistics is None else self.statistics.select(sources)
        return replace(self, kept=self.kept.select(sources), statistics=statistics)._trimmed()

    @property
    def telling(self) -> Bools:
        """Sources that tell something, and those that have never voted and may come to; shape (all sources,)."""
        dull = {*self.nothing.constant, *(copy for copy, _ in self.nothing.copies)}
        return np.array([name not in dull for name in self.counts.sources], dtype=bool)

    def with_silent(self, sources: Sequence[str]) -> Digest:
        """The same with these sources left; those that were not left have never voted."""
        place = {name: i for i, name in enumerate(self.sources)}
        columns = self.kept.storage.columns(0, len(self.rows))
        nothing = np.full(len(self.rows), ABSTAIN, dtype=np.int8)
        if all(name in place for name in sources):
            return self.select(sources)
        cells = np.stack([columns[place[name]] if name in place else nothing for name in sources]).T
        return replace(self, kept=replace(self.kept, cells=cells, sources=tuple(sources)), statistics=None)

    def after(self, n: int) -> Digest:
        """The same where these points come after n others; rows that are learned from stay so."""
        return replace(self, rows=self.rows + n, hashes=self._hashes)

    def held_densely(self) -> Digest:
        """The same with every cell held of the votes that are kept."""
        return replace(self, kept=replace(self.kept, cells=np.ascontiguousarray(self.kept.values)))

    def reading(self, messages: tuple[Message, ...]) -> Digest:
        """The same with what was dropped and guessed when the votes were read."""
        return replace(self, kept=replace(self.kept, messages=messages))

    @property
    def nothing(self) -> TellNothing:
        """Which sources are left, and why the others are not."""
        return set_aside_before(self.counts, self.sources)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was dropped, a message for each reason; first those of when the votes were read."""
        return (*self.kept.messages, *self.nothing.messages)

    def __add__(self, other: Digest) -> Digest:
        if not isinstance(other, Digest):
            return NotImplemented
        return merged([self, other])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digest) and (
            self.counts == other.counts
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.kept.values, other.kept.values)
            and _same_gold(self.kept.gold, other.kept.gold)
            and self.statistics == other.statistics
        )

    __hash__ = None  # type: ignore[assignment]


def merged(parts: Iterable[Digest]) -> Digest:
    """One digest from those of all parts of the data, in any order."""
    found = list(parts)
    if not found:
        raise InputError("there are no points: the votes have zero rows.")
    first, *others = found
    if not others:
        return first
    counts, statistics = first.counts, first.statistics
    for other in others:
        counts = counts + other.counts
        both = statistics is not None and other.statistics is not None
        statistics = statistics + other.statistics if both else None  # type: ignore[operator]
    rows = np.concatenate([part.rows for part in found])
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    if (rows[1:] == rows[:-1]).any():
        raise InputError("two parts of the data have the same row numbers; number the rows of all parts through.")
    kept = _joined([part.kept for part in found], order)
    hashes = None
    if any(part.hashes is not None for part in found):
        hashes = np.concatenate([part._hashes for part in found])[order]
    return Digest(counts, kept, rows, statistics, hashes)._trimmed()


def _joined(parts: list[Votes], order: Places) -> Votes:
    """Votes of several parts as one, in this order of their points."""
    first = parts[0]
    storages = [part.storage for part in parts]
    gold = [part.gold for part in parts]
    joined = None
    if any(one is not None for one in gold):
        values = np.concatenate([_gold_values(part) for part in parts])
        chances = None
        if any(one is not None and one.chances is not None for one in gold):
            chances = np.concatenate([_chances(part) for part in parts])
        joined = Gold(values, first.classes, chances=chances).take(order)
    if all(isinstance(storage, Sparse) for storage in storages):
        sparse = [storage for storage in storages if isinstance(storage, Sparse)]
        number = np.concatenate([np.diff(storage.start) for storage in sparse])
        start = np.concatenate([[0], np.cumsum(number)]).astype(np.int64)
        source, value = (np.concatenate([getattr(s, name) for s in sparse]) for name in ("source", "value"))
        return replace(first, cells=Sparse(start, source, value, sparse[0].m).take(order), gold=joined)
    cells = np.concatenate([part.values for part in parts])[order]
    return replace(first, cells=cells, gold=joined)


def _gold_values(votes: Votes) -> np.ndarray:
    return np.full(len(votes), -1, dtype=np.int8) if votes.gold is None else votes.gold.values


def _chances(votes: Votes) -> np.ndarray:
    gold = votes.gold
    return np.full(len(votes), np.nan) if gold is None or gold.chances is None else gold.chances


def _same_gold(one: Gold | None, other: Gold | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one.values, other.values) and (
        one.chances is other.chances
        or (one.chances is not None and other.chances is not None and np.array_equal(one.chances, other.chances, True))
    )
