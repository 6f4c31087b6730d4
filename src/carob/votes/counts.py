"""Counts of what sources say that add up: parts of the data can be counted apart, in any order, by anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from carob._kernels import threads
from carob._kernels.counting import LEFT_OUT, SCORES, VOTES, add_summary, add_tally
from carob._types import Bools, Codes, Floats, Group, Ints, Label, Places
from carob.errors import InputError
from carob.votes.outputs import SILENT
from carob.votes.storage import Dense, Sparse

_BLOCK = 1 << 18  # points at a time where votes are held sparsely


@dataclass(frozen=True, eq=False)
class VoteCounts:
    """What every source says, and on how many points.

    >>> from carob.votes import Votes
    >>> votes = Votes.from_array([[0, 0, 1], [1, 1, 1], [1, -1, -1]], abstain=-1)
    >>> votes.counts.by_class.tolist(), votes.counts.shared.tolist(), votes.counts.contradicted.tolist()
    ([[1, 2], [1, 1], [0, 2]], [2, 2, 2], [1, 1, 1])
    >>> first, rest = votes.take(slice(0, 1)), votes.take(slice(1, 3))
    >>> first.counts + rest.count(first_row=1) == votes.counts
    True
    """

    n: int  # number of points
    sources: tuple[str, ...]
    classes: tuple[Label, ...]
    scored: Bools  # shape (m,): sources that give scores rather than votes
    # shape (m, 3, V + 1): on how many points a source gives an output, "nothing said" first: of points with one
    # vote or none, with several that are the same, and with votes that differ
    cast: Ints
    # shape (m,): a fingerprint of all that a source says: two that differ anywhere have, but for one chance in
    # 2^57, two
    prints: npt.NDArray[np.uint64]
    uncovered: int  # points on which no source says anything

    @property
    def number(self) -> Ints:
        """How many votes each source has, shape (m,)."""
        return np.asarray(self.cast[:, :, SILENT + 1 :].sum(axis=(1, 2)))

    @property
    def outputs(self) -> Ints:
        """How often each source gives each output, "nothing said" first, shape (m, V + 1)."""
        return np.asarray(self.cast.sum(axis=1))

    @property
    def by_class(self) -> Ints:
        """How many votes each source has for each class, shape (m, K); scores are no votes."""
        found = self.outputs[:, SILENT + 1 : SILENT + 1 + len(self.classes)]
        return np.where(self.scored[:, None], 0, found)

    @property
    def shared(self) -> Ints:
        """How many points each source votes on together with another, shape (m,)."""
        return np.asarray(self.cast[:, 1:, SILENT + 1 :].sum(axis=(1, 2)))

    @property
    def contradicted(self) -> Ints:
        """How many points each source votes on together with another that votes differently, shape (m,)."""
        return np.asarray(self.cast[:, 2, SILENT + 1 :].sum(axis=1))

    def __add__(self, other: VoteCounts) -> VoteCounts:
        if not isinstance(other, VoteCounts):
            return NotImplemented
        if (self.sources, self.classes) != (other.sources, other.classes) or self.cast.shape != other.cast.shape:
            raise InputError("only counts of the same sources and classes can be added.")
        return replace(
            self,
            n=self.n + other.n,
            cast=self.cast + other.cast,
            prints=self.prints + other.prints,
            uncovered=self.uncovered + other.uncovered,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VoteCounts) and (
            (self.n, self.sources, self.classes, self.uncovered)
            == (other.n, other.sources, other.classes, other.uncovered)
            and np.array_equal(self.scored, other.scored)
            and np.array_equal(self.cast, other.cast)
            and np.array_equal(self.prints, other.prints)
        )

    __hash__ = None  # type: ignore[assignment]

    def select(self, sources: Sequence[str]) -> VoteCounts:
        """Of some of the sources; kinds of points stay as they were."""
        if tuple(sources) == self.sources:
            return self
        places = [self.sources.index(name) for name in sources]
        return replace(
            self, sources=tuple(sources), scored=self.scored[places], cast=self.cast[places], prints=self.prints[places]
        )


def count_votes(
    storage: Dense | Sparse,
    sources: tuple[str, ...],
    classes: tuple[Label, ...],
    scored: Bools,
    outputs: int,
    telling: Bools | None = None,
    first_row: int = 0,
) -> VoteCounts:
    """Count what sources say.

    `outputs`: the largest number of outputs of a source, "nothing said" among them. `telling`, shape (m,): sources that
    make up the kind of a point; all where not given. `first_row`: row number of the first point in the whole data, of
    which the votes may be a part.
    """
    asked = np.ones(len(sources), dtype=bool) if telling is None else telling
    count = _sparse if isinstance(storage, Sparse) else _dense
    cast, prints, uncovered = count(storage, len(classes), scored, outputs, asked, first_row)  # type: ignore[arg-type]
    return VoteCounts(storage.shape[0], sources, classes, scored, cast, prints, uncovered)


def _dense(
    storage: Dense, K: int, scored: Bools, outputs: int, telling: Bools, first_row: int
) -> tuple[Ints, npt.NDArray[np.uint64], int]:
    n, m = storage.shape
    columns = storage.columns(0, n)
    role = np.where(telling, np.where(scored, SCORES, VOTES), LEFT_OUT).astype(np.uint8)
    parts = threads.spans(n, threads.THREADS)

    def add(part: int) -> tuple[Ints, npt.NDArray[np.uint64], int]:
        cast, prints = np.zeros((m, 3, outputs), dtype=np.int64), np.zeros(m, dtype=np.uint64)
        none = np.zeros(1, dtype=np.int64)
        add_summary(columns, *parts[part], first_row, role, cast, prints, none)
        return cast, prints, int(none[0])

    found = threads.in_threads(add, len(parts))
    return (
        np.sum([cast for cast, _, _ in found], axis=0),
        np.sum([prints for _, prints, _ in found], axis=0, dtype=np.uint64),
        sum(none for _, _, none in found),
    )


def _sparse(
    storage: Sparse, K: int, scored: Bools, outputs: int, telling: Bools, first_row: int
) -> tuple[Ints, npt.NDArray[np.uint64], int]:
    n, m = storage.shape
    cast, prints, uncovered = np.zeros((m, 3, outputs), dtype=np.int64), np.zeros(m, dtype=np.uint64), 0
    for low in range(0, n, _BLOCK):
        high = min(low + _BLOCK, n)
        point, source, value = storage.entries(low, high)
        counted = tally(storage, K, scored | ~telling, low, high, ())
        kind = (counted.sum(axis=1) >= 2).astype(np.int64) + ((counted > 0).sum(axis=1) >= 2)
        place = (source.astype(np.int64) * 3 + kind[point]) * outputs + value + 1
        cast += np.bincount(place, minlength=cast.size).reshape(cast.shape)
        np.add.at(prints, source, mixed(np.arange(low, high) + first_row)[point] * (value + 1).astype(np.uint64))
        uncovered += high - low - len(np.unique(point[telling[source]]))
        cast[:, :, SILENT] += np.bincount(kind, minlength=3)
    # A source says nothing on all points of a kind but those on which it does.
    cast[:, :, SILENT] -= cast[:, :, SILENT + 1 :].sum(axis=2)
    return cast, prints, uncovered


def tally(storage: Dense | Sparse, K: int, scored: Bools, low: int, high: int, once: Sequence[Group]) -> Ints:
    """How many votes the points low..high have for each class, shape (points, K).

    `scored`, shape (m,): sources that give scores, and no votes. `once`: groups of sources whose votes for a class
    count as one.
    """
    if isinstance(storage, Sparse):
        point, source, value = storage.entries(low, high)
        if scored.any():
            point, value = point[~scored[source]], value[~scored[source]]
        counts = np.bincount(point * K + value, minlength=(high - low) * K).reshape(high - low, K)
    elif scored.any():
        counts = _votes_for(storage.columns(low, high, np.flatnonzero(~scored)), K)
    else:
        counts = _dense_tally(storage, K, low, high)
    for group in once:
        voters: Places = np.array([i for i in group if not scored[i]], dtype=np.intp)
        counts -= np.maximum(_votes_for(storage.columns(low, high, voters), K) - 1, 0)
    return counts


def score_parts(storage: Dense | Sparse, K: int, leaning: Mapping[int, Floats], low: int, high: int) -> Floats:
    """What scores add to the votes of the points low..high for each class, shape (points, K).

    `leaning`: how far each bin of each source with scores speaks for the second of two classes.
    """
    counts = np.zeros((high - low, K))
    for i, lean in leaning.items():
        part = np.stack([1 - lean, lean], axis=1) if K == 2 else np.full((len(lean), K), 1 / K)
        given = storage.columns(low, high, np.array([i]))[0]
        counts += np.concatenate([part, np.zeros((1, K))])[given]  # the last row is that of -1, nothing said
    return counts


def _dense_tally(storage: Dense, K: int, low: int, high: int) -> Ints:
    counts = np.zeros((high - low, K), dtype=np.int64)
    columns = storage.columns(0, storage.shape[0])
    parts = threads.spans(high - low, threads.THREADS)

    def add(part: int) -> None:
        first, last = parts[part]
        add_tally(columns, low + first, low + last, counts[first:last])

    threads.in_threads(add, len(parts))
    return counts


def _votes_for(columns: Codes, K: int) -> Ints:
    """How many of the columns vote for each class on each point, shape (points, K)."""
    return np.stack([(columns == y).sum(axis=0) for y in range(K)], axis=1)


def mixed(row: Places) -> npt.NDArray[np.uint64]:
    """The finalizer of the generator splitmix64: every bit of the row number changes every bit of the result."""
    x = (row.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def block_of(row: Places, blocks: int) -> Places:
    """The block of each row: a hash of its number, since neighbours in a file are often alike.

    >>> block_of(np.arange(6), 32).tolist()
    [28, 13, 0, 31, 3, 10]
    """
    return (((mixed(row) >> np.uint64(32)) * np.uint64(blocks)) >> np.uint64(32)).astype(np.intp)
