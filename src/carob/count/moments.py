"""Counts of outputs and of pairs of outputs: what the method of moments needs to know of the votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from carob._kernels import threads
from carob._kernels.counting import add_entry_pairs, pair_counts
from carob._types import ABSTAIN, Codes, Floats, Ints, Label, Places, cached_property
from carob.errors import InputError, of_kind
from carob.votes import Outputs, Votes
from carob.votes.storage import Sparse

MOST_OUTPUTS = 5_000  # of all sources together, pairs of which are counted: 200 MB, a few times
_TILE = 256  # rows that are turned over at a time


@dataclass(frozen=True, eq=False)
class Moments:
    """Exact counts over n points; ``a + b`` are the moments of both data sets together.

    Parameters
    ----------
    n : int
        Number of points.
    counts : array of int64, shape (F,)
        On how many points a source gives an output, for all outputs but "nothing said", in the order of `Outputs`.
    pairs : array of int64, shape (F, F)
        On how many points two of these outputs are given together.
    sources, classes : tuple
        Names.
    outputs : Outputs
        What each source may say.

    Examples
    --------
    >>> votes = Votes.from_array([[0, 0, 1], [1, 1, 1], [1, 0, 1], [0, 1, 0]])
    >>> moments = Moments.of(votes)
    >>> moments.single[:, 1].tolist()
    [2, 2, 3]
    >>> moments == Moments.of(votes.take(slice(0, 1))) + Moments.of(votes.take(slice(1, 4)))
    True
    """

    n: int
    counts: Ints
    pairs: Ints
    sources: tuple[str, ...]
    classes: tuple[Label, ...]
    outputs: Outputs

    @classmethod
    def of(cls, votes: Votes) -> Moments:
        """Count the votes."""
        of_kind("votes", votes, Votes)
        n, counter = len(votes), PairCounter(votes.outputs)
        if isinstance(votes.storage, Sparse):
            return counter.moments(votes, n, counter.of_entries(votes.storage, np.arange(n)))
        parts = threads.spans(n, threads.THREADS, 64) or [(0, 0)]
        columns = votes.storage.columns(0, n)
        upper, *others = threads.in_threads(lambda part: counter.counted(columns, *parts[part]), len(parts))
        for other in others:
            upper += other
        return counter.moments(votes, n, counter.followed(upper, n))

    def select(self, sources: Sequence[str]) -> Moments:
        """Of some of the sources, in the order given."""
        places = [self.sources.index(name) for name in sources]
        kept = np.concatenate([np.flatnonzero(self.outputs.source == place) for place in places])
        leaning = tuple(np.array(self.outputs.leaning)[kept].tolist()) if self.outputs.leaning else ()
        outputs = Outputs(tuple(self.outputs.sizes[place] for place in places), leaning)
        return replace(
            self,
            counts=self.counts[kept],
            pairs=self.pairs[np.ix_(kept, kept)],
            sources=tuple(sources),
            outputs=outputs,
        )

    @classmethod
    def of_patterns(cls, values: Codes, counts: Ints, sources: tuple[str, ...], classes: tuple[Label, ...]) -> Moments:
        """Moments of points given as distinct rows, shape (p, m), and how often each occurs, shape (p,)."""
        outputs = Outputs.of_votes(len(sources), len(classes))
        features = one_hot(values, outputs)
        # Sums of integers below 2^53 are exact in float64, whatever the order of the sum.
        pairs = np.rint(features.T @ (features * counts[:, None])).astype(np.int64)
        return cls(int(counts.sum()), np.diagonal(pairs).copy(), pairs, sources, classes, outputs)

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if (self.sources, self.classes) != (other.sources, other.classes):
            raise InputError("only moments of the same sources (in the same order) and classes can be added.")
        return self._with(self.n + other.n, self.counts + other.counts, self.pairs + other.pairs)

    def without(self, part: Moments) -> Moments:
        """Moments of all points but those of `part`, which must be among them."""
        return self._with(self.n - part.n, self.counts - part.counts, self.pairs - part.pairs)

    def _with(self, n: int, counts: Ints, pairs: Ints) -> Moments:
        return Moments(n, counts, pairs, self.sources, self.classes, self.outputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and (
            (self.n, self.sources, self.classes) == (other.n, other.sources, other.classes)
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.pairs, other.pairs)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Moments({self.n:,} points, {len(self.sources):,} sources, {len(self.classes)} classes)"

    @property
    def single(self) -> Ints:
        """``single[i, u]``: on how many points source i votes u, shape (m, K)."""
        return self.counts.reshape(len(self.sources), len(self.classes))

    @property
    def pair(self) -> Ints:
        """``pair[i, u, j, v]``: on how many points source i votes u and source j votes v, shape (m, K, m, K)."""
        return self.pairs.reshape(len(self.sources), len(self.classes), len(self.sources), len(self.classes))

    @cached_property
    def coverage(self) -> Ints:
        """On how many points each source says something, shape (m,)."""
        return np.add.reduceat(self.counts, self.outputs.first)

    @cached_property
    def together(self) -> Ints:
        """On how many points both sources say something, shape (m, m)."""
        first = self.outputs.first
        return np.add.reduceat(np.add.reduceat(self.pairs, first, axis=0), first, axis=1)

    @cached_property
    def agree(self) -> Ints:
        """On how many points both sources say the same, shape (m, m)."""
        sizes, first = np.array(self.outputs.sizes), self.outputs.first
        result = np.zeros((len(sizes), len(sizes)), dtype=np.int64)
        for output in range(sizes.max(initial=1) - 1):
            who = np.flatnonzero(sizes > output + 1)
            result[np.ix_(who, who)] += self.pairs[np.ix_(first[who] + output, first[who] + output)]
        return result

    @cached_property
    def grade_means(self) -> Floats:
        """Mean grade of each source of two classes, 0 where it says nothing, shape (m,)."""
        return np.add.reduceat(self.counts * self.outputs.grades, self.outputs.first) / self.n

    @cached_property
    def grade_covariances(self) -> Floats:
        """Covariances of the grades of sources of two classes, shape (m, m); see `Outputs.grades`."""
        products = np.add.reduceat(self.with_grades * self.outputs.grades[:, None], self.outputs.first, axis=0)
        return products / self.n - np.outer(self.grade_means, self.grade_means)

    @cached_property
    def with_grades(self) -> Floats:
        """Sum of the grades of each source over the points on which an output is given, shape (F, m)."""
        return np.add.reduceat(self.pairs * self.outputs.grades, self.outputs.first, axis=1)


class PairCounter:
    """Counts the pairs of outputs of some points, a part of them at a time.

    The first output that a source can say is not counted but follows: count(i = 1, x) is count(x) less the counts of
    all other outputs of i together with x. "Nothing said" is counted in its place: most data has little of that, and
    what never occurs costs nothing.
    """

    def __init__(self, outputs: Outputs) -> None:
        if len(outputs.source) > MOST_OUTPUTS:
            raise InputError(
                f"{len(outputs):,} sources have {len(outputs.source):,} outputs together, and pairs of more than "
                f"{MOST_OUTPUTS:,} take too much memory. Learn by the default (method='consensus'; --method "
                "consensus), or bring fewer sources or classes."
            )
        self.outputs = outputs
        self._value = (outputs.spoken - 1).astype(np.int8)
        self._value[outputs.first] = ABSTAIN

    def of_columns(self, columns: Codes, low: int, high: int) -> Ints:
        """Counts of points low..high of columns, to be added up and handed to `moments`."""
        return self.followed(self.counted(columns, low, high), high - low)

    def of_entries(self, storage: Sparse, points: Places) -> Ints:
        """The same of some points that are held sparsely."""
        counts = np.zeros((len(self._value), len(self._value)), dtype=np.int64)
        feature = self.outputs.first[storage.source].astype(np.int64) + storage.value
        add_entry_pairs(storage.start, feature, points.astype(np.int64), counts)
        return mirrored(counts)

    def counted(self, columns: Codes, low: int, high: int) -> Ints:
        """What is counted of points low..high of columns, to be added up before all else follows: an upper triangle."""
        return pair_counts(columns, self.outputs.source, self._value, low, high)

    def followed(self, upper: Ints, n: int) -> Ints:
        """Counts of all pairs of outputs of n points, from what was counted of them, in its place."""
        first = self.outputs.first
        pairs = mirrored(upper)
        counted = np.diagonal(pairs).copy()
        counts = counted.copy()
        counts[first] = n - np.add.reduceat(counted, first)
        # Where "nothing said" was counted, the first output goes: first the rows, then the columns.
        pairs[first] = counted - np.add.reduceat(pairs, first, axis=0)
        pairs[:, first] = counts[:, None] - np.add.reduceat(pairs, first, axis=1)
        return pairs

    def moments(self, votes: Votes, n: int, pairs: Ints) -> Moments:
        """Moments of n points of the votes whose pairs were counted."""
        return Moments(n, np.diagonal(pairs).copy(), pairs, votes.sources, votes.classes, self.outputs)


def mirrored(upper: Ints) -> Ints:
    """An upper triangle with the lower one filled in, in its place: by tiles, as what is turned over has to stay near.

    >>> mirrored(np.array([[1, 2], [0, 3]]))
    array([[1, 2],
           [2, 3]])
    """
    for low in range(0, len(upper), _TILE):
        here, beyond = slice(low, low + _TILE), slice(low + _TILE, None)
        upper[here, here] += np.triu(upper[here, here], 1).T
        upper[beyond, here] = upper[here, beyond].T
    return upper


def one_hot(values: Codes, outputs: Outputs) -> Floats:
    """0/1 features "source i gives output u" for all outputs but "nothing said", shape (rows, F).

    >>> one_hot(np.array([[0, -1], [1, 1]], dtype=np.int8), Outputs.of_votes(2, 2))
    array([[1., 0., 0., 0.],
           [0., 1., 0., 1.]])
    """
    return (values[:, outputs.source] == (outputs.spoken - 1).astype(np.int8)).astype(np.float64)
