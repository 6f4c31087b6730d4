r"""Counts of the votes in blocks of points: all that a fit needs to know of the votes.

Every point belongs to one of a few dozen blocks, by a hash of its row number, and all counts are kept for each block.
Counts of several parts of the data add up, so that batches, threads and engines change no bit; points drawn anew, or a
part of them, are a weighted sum of blocks, which is where intervals and halved samples come from, without reading the
votes again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from carob._kernels.threads import in_threads
from carob._types import Codes, Floats, Group, Ints, Places, cached_property
from carob.count.moments import Moments, PairCounter
from carob.errors import InputError
from carob.votes import Outputs, Votes
from carob.votes.counts import block_of
from carob.votes.outputs import joint_output
from carob.votes.storage import Sparse

BLOCKS = 32  # of points, where there is memory for them
FEWEST_BLOCKS = 10
_CHUNK = 1 << 17  # points that are sorted into their blocks at a time


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """How often the sources of a group give each joint output, and what the others say then."""

    group: Group  # sources that are taken as one
    joint: Ints  # shape (B, J): points of each block with each joint output, as `joint_output` numbers them
    with_others: Ints  # shape (B, J, F): the same together with every output of every source, in the order of `Outputs`


@dataclass(frozen=True, eq=False)
class TripleSums:
    """Sums over points of products of three features, which are -1, 0 or 1."""

    feature: Places  # shape (f,): outputs, by their place in `Outputs`
    sign: Ints  # shape (f,): what each counts for where it is given: -1 or 1
    triples: Places  # shape (T, 3): places in `feature`
    sums: Ints  # shape (B, T)


@dataclass(frozen=True, eq=False)
class Statistics:
    """What was counted.

    >>> votes = Votes.from_array(np.random.default_rng(0).integers(0, 2, (1000, 4)))
    >>> statistics = Statistics.of(votes)
    >>> len(statistics.blocks), statistics.moments == Moments.of(votes)
    (32, True)
    >>> parts = Statistics.of(votes.take(slice(0, 300))) + Statistics.of(votes.take(slice(300, None)), first_row=300)
    >>> parts == statistics
    True
    """

    blocks: tuple[Moments, ...]  # of the points of each block
    groups: tuple[GroupCounts, ...] = ()  # one for every group of sources that are known to depend on each other
    triples: TripleSums | None = None  # what the class balance is estimated from, where that takes third moments

    @classmethod
    def of(cls, votes: Votes, groups: Sequence[Group] = (), first_row: int = 0) -> Statistics:
        """Count votes, in one pass.

        `groups`: sources whose joint outputs are counted. `first_row`: row number of the first point in the whole data,
        of which the votes may be a part.
        """
        number = number_of_blocks(votes.outputs)
        counter = PairCounter(votes.outputs)
        sizes, pairs = _block_pairs(votes, counter, number, first_row)
        blocks = tuple(counter.moments(votes, int(n), found) for n, found in zip(sizes, pairs, strict=True))
        return cls(blocks, tuple(_group_counts(votes, group, number, first_row) for group in groups))

    @cached_property
    def moments(self) -> Moments:
        """Of all points."""
        return reduce(add, self.blocks)

    @property
    def n(self) -> int:
        """Number of points."""
        return self.moments.n

    def __add__(self, other: Statistics) -> Statistics:
        if not isinstance(other, Statistics):
            return NotImplemented
        if [found.group for found in self.groups] != [found.group for found in other.groups]:
            raise InputError("only statistics that count the same groups of sources can be added.")
        if (self.triples is None) != (other.triples is None):
            raise InputError("only statistics that sum the same triples of features can be added.")
        return Statistics(
            tuple(a + b for a, b in zip(self.blocks, other.blocks, strict=True)),
            tuple(
                replace(a, joint=a.joint + b.joint, with_others=a.with_others + b.with_others)
                for a, b in zip(self.groups, other.groups, strict=True)
            ),
            None
            if self.triples is None or other.triples is None
            else replace(self.triples, sums=self.triples.sums + other.triples.sums),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statistics) and (
            self.blocks == other.blocks
            and [found.group for found in self.groups] == [found.group for found in other.groups]
            and all(
                np.array_equal(a.joint, b.joint) and np.array_equal(a.with_others, b.with_others)
                for a, b in zip(self.groups, other.groups, strict=True)
            )
            and (self.triples is None) == (other.triples is None)
            and (self.triples is None or other.triples is None or np.array_equal(self.triples.sums, other.triples.sums))
        )

    __hash__ = None  # type: ignore[assignment]

    def with_triples(
        self, votes: Votes, feature: Places, sign: Ints, triples: Places, first_row: int = 0
    ) -> Statistics:
        """The same with sums of products of three features, counted in a second pass."""
        sums = _triple_sums(votes, feature, sign, triples, len(self.blocks), first_row)
        return replace(self, triples=TripleSums(feature, sign, triples, sums))

    def select(self, sources: Sequence[str]) -> Statistics:
        """Of some of the sources, without groups and triples."""
        return Statistics(tuple(block.select(sources) for block in self.blocks))

    def weighted(self, weights: Ints) -> tuple[Moments, Ints | None]:
        """Moments, and sums of triples, of points of which each block counts as often as its weight says."""
        blocks = self.blocks
        whole = replace(
            blocks[0],
            n=int(weights @ [block.n for block in blocks]),
            counts=sum(w * block.counts for w, block in zip(weights, blocks, strict=True) if w),
            pairs=sum(w * block.pairs for w, block in zip(weights, blocks, strict=True) if w),
        )
        return whole, None if self.triples is None else weights @ self.triples.sums


def number_of_blocks(outputs: Outputs) -> int:
    """How many blocks are kept: fewer where sources are many, for the memory that their counts take."""
    # The pair counts of all blocks take 256 MB, unless that leaves too few blocks.
    return int(np.clip((1 << 28) // (8 * len(outputs.source) ** 2), FEWEST_BLOCKS, BLOCKS))


def _chunks(votes: Votes, number: int, first_row: int) -> Iterator[tuple[int, int, Places]]:
    """Parts of the points: first, last, and the block of each."""
    for low in range(0, len(votes), _CHUNK):
        high = min(low + _CHUNK, len(votes))
        yield low, high, block_of(np.arange(low, high) + first_row, number)


def _block_pairs(votes: Votes, counter: PairCounter, number: int, first_row: int) -> tuple[Ints, Ints]:
    """Number of points of each block, shape (B,), and their pair counts, shape (B, F, F)."""
    F = len(votes.outputs.source)
    sizes, pairs = np.zeros(number, dtype=np.int64), np.zeros((number, F, F), dtype=np.int64)
    for low, high, block in _chunks(votes, number, first_row):
        size = np.bincount(block, minlength=number)
        sizes += size
        order = np.argsort(block.astype(np.uint8), kind="stable")  # of small numbers, a counting sort
        edges = np.concatenate([[0], np.cumsum(size)])
        for of_block, found in zip(pairs, _sorted_pairs(votes, counter, low, high, order, edges), strict=True):
            of_block += found
    return sizes, pairs


def _sorted_pairs(votes: Votes, counter: PairCounter, low: int, high: int, order: Places, edges: Ints) -> list[Ints]:
    """Pair counts of points low..high once they are sorted into their blocks, each of which ends at an edge."""
    storage, number = votes.storage, len(edges) - 1
    if isinstance(storage, Sparse):
        return in_threads(lambda b: counter.of_entries(storage, low + order[edges[b] : edges[b + 1]]), number)
    given = storage.columns(low, high)
    columns = np.stack(in_threads(lambda i: given[i].take(order), len(given)))
    return in_threads(lambda b: counter.of_columns(columns, edges[b], edges[b + 1]), number)


def _group_counts(votes: Votes, group: Group, number: int, first_row: int) -> GroupCounts:
    outputs = votes.outputs
    sizes = [outputs.sizes[i] for i in group]
    J = outputs.number(group)
    joint = np.zeros(number * J, dtype=np.int64)
    parts = [np.zeros((number * J, size), dtype=np.int64) for size in outputs.sizes]
    for low, high, block in _chunks(votes, number, first_row):
        given = votes.storage.columns(low, high).astype(np.int64) + 1
        place = block * J + joint_output([given[i] for i in group], sizes)
        joint += np.bincount(place, minlength=number * J)
        for source, part in enumerate(parts):
            found = np.bincount(place * part.shape[1] + given[source], minlength=part.size)
            part += found.reshape(part.shape)
    with_others = np.concatenate([part[:, 1:] for part in parts], axis=1)
    return GroupCounts(group, joint.reshape(number, J), with_others.reshape(number, J, -1))


def _triple_sums(votes: Votes, feature: Places, sign: Ints, triples: Places, number: int, first_row: int) -> Ints:
    outputs = votes.outputs
    source, value = outputs.source[feature], (outputs.spoken[feature] - 1).astype(np.int8)
    wanted, place = np.unique(source, return_inverse=True)
    f, g, h = triples.T
    sums = np.zeros((number, len(triples)))
    for low, high, block in _chunks(votes, number, first_row):
        columns: Codes = votes.storage.columns(low, high, wanted)
        for start in range(0, high - low, 16384):
            part = slice(start, start + 16384)
            given = (columns[place, part] == value[:, None]) * sign[:, None].astype(np.int8)
            products = (given[f] * given[g] * given[h]).astype(np.float64)
            of_block: Floats = (block[part] == np.arange(number)[:, None]).astype(np.float64)
            sums += of_block @ products.T  # integers below 2^53: exact, whatever the order
    return np.rint(sums).astype(np.int64)
