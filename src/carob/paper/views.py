"""Views of the class: single sources, or pools of them, three at a time, and counts of what they say.

A pool says what most of its sources vote for; of classes with equally many votes, what the first of them in a random
order does. Sources that vote alike are dealt to different pools, so that each of three pools hears of every class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from carob._kernels.counting import add_joint, pool_votes
from carob._kernels.threads import in_threads, spans
from carob._types import Bools, Codes, Floats, Group, Ints, Places, cached_property
from carob.count.moments import Moments
from carob.count.statistics import BLOCKS, FEWEST_BLOCKS
from carob.errors import InputError, NotIdentifiedError, examples
from carob.paper.tensor import clearness
from carob.votes import Votes
from carob.votes.counts import block_of

Octets = npt.NDArray[np.uint8]

CLEAR = 4.0  # standard errors of the least correlation from which on single sources will do as views
TOLD = 2.0  # below this, two views do not tell all classes apart
FEWEST = 10  # clear triples of single sources, or half of all where sources are few; else pools are taken
TRIPLES = 60  # of single sources, drawn at random where there are more
SPLITS = 40  # into three pools, or half as many where votes are many
ROUNDS = 3  # of as many splits, until half as many tell all classes apart
MOST_CLASSES = 40  # a triple has S^3 counts
_CHUNK = 1 << 17  # points that are counted at a time


@dataclass(frozen=True, eq=False)
class Views:
    """Pools of sources, and triples of them."""

    pools: tuple[Group, ...]  # sources of each, in the order that decides between equals
    triples: Places  # shape (T, 3): pools that are independent given the class, as far as is known

    @classmethod
    def single(cls, groups: Sequence[Group], clear: Floats, enough: float, rng: np.random.Generator) -> Views:
        """Triples of single sources, no two of which are of one group of known pairs; the clearest pair comes first.

        `clear`, shape (m, m): how clearly two sources tell all classes apart. `enough`: how clearly all pairs of a
        triple must.
        """
        allowed = clear >= enough
        for group in groups:
            allowed[np.ix_(group, group)] = False
        most = np.argsort(-allowed.sum(axis=1), kind="stable")[:60]  # more would take memory
        sources = np.sort(most[allowed[most].any(axis=1)])
        every = np.array(list(combinations(range(len(sources)), 3)), dtype=np.intp).reshape(-1, 3)
        one, two, three = sources[every].T
        every = every[allowed[one, two] & allowed[one, three] & allowed[two, three]]
        if len(every) > TRIPLES:
            every = every[np.sort(rng.choice(len(every), TRIPLES, replace=False))]
        one, two, three = sources[every].T
        last = np.argmax([clear[two, three], clear[one, three], clear[one, two]], axis=0)
        turned = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])[last]
        used, places = np.unique(np.take_along_axis(every, turned, axis=1), return_inverse=True)
        return cls(tuple((i,) for i in sources[used].tolist()), places.reshape(-1, 3))

    @classmethod
    def pooled(cls, groups: Sequence[Group], favourite: Ints, splits: int, rng: np.random.Generator) -> Views:
        """Splits of all sources into three pools; known pairs stay together.

        `favourite`, shape (m,): the class that each source votes for most often.
        """
        pools = [pool for _ in range(splits) for pool in _deal(groups, favourite, rng)]
        return cls(tuple(pools), np.arange(len(pools)).reshape(-1, 3))

    def apart(self, groups: Sequence[Group]) -> Bools:
        """Whether a view and a source have nothing to do with each other, by what is known; shape (V, m)."""
        found = np.ones((len(self.pools), sum(map(len, groups))), dtype=bool)
        for view, pool in enumerate(self.pools):
            for group in groups:
                if set(group) & set(pool):
                    found[view, list(group)] = False
        return found


def choose_views(votes: Votes, moments: Moments, groups: Sequence[Group], rng: np.random.Generator) -> ViewCounts:
    """Views that tell all classes apart, and what they say.

    Single sources, where enough of them do; then a dependency spoils only triples that hold it. Otherwise pools.
    Refused where no triple of views tells all classes apart.
    """
    K, number = len(votes.classes), len(groups)
    if K > MOST_CLASSES:
        raise InputError(f"tensors are for at most {MOST_CLASSES} classes; there are {K}. Use method='consensus'.")
    if number < 3:
        raise NotIdentifiedError(
            "three views need three sources that may be independent, and the known pairs tie all of them into "
            f"{number} groups. Name fewer pairs, or bring more sources."
        )
    clear = pair_clearness(moments)
    views = Views.single(groups, clear, CLEAR, rng)
    if len(views.triples) >= min(FEWEST, comb(number, 3) / 2):
        return ViewCounts.of(votes, views)
    if number >= 6:
        pools = _told_pools(votes, moments, groups, rng)
        if len(pools.views.triples):
            return pools
    views = Views.single(groups, clear, TOLD, rng)
    if not len(views.triples):
        raise NotIdentifiedError(_merged(moments, groups), estimate=clear)
    return ViewCounts.of(votes, views)


def _told_pools(votes: Votes, moments: Moments, groups: Sequence[Group], rng: np.random.Generator) -> ViewCounts:
    """Splits into pools that tell all classes apart, and what the pools say."""
    K, n, m = len(votes.classes), len(votes), len(votes.sources)
    # All splits look at 2^27 votes, unless that leaves too few splits.
    splits = int(np.clip((1 << 27) // (n * m), SPLITS // 2, SPLITS))
    found: ViewCounts | None = None
    for _ in range(ROUNDS):
        drawn = ViewCounts.of(votes, Views.pooled(groups, moments.single.argmax(axis=1), splits, rng))
        tables = drawn.triples.sum(axis=0) / n
        least = np.min([clearness(tables.sum(axis=axis), K, n) for axis in (1, 2, 3)], axis=0)
        told = drawn.of_triples(np.flatnonzero(least >= TOLD))
        found = told if found is None else found.beside(told)
        if 2 * len(found.views.triples) >= splits:
            break
    if found is None:
        raise ValueError("there is at least one round")
    return found


def _merged(moments: Moments, groups: Sequence[Group]) -> str:
    """Why no triple of views tells all classes apart: who votes for too little, or which classes look the same."""
    K, classes = len(moments.classes), moments.classes
    voters = sum(((moments.single[list(group)] > 0).any(axis=0) for group in groups), np.zeros(K, dtype=np.int64))
    few = [classes[y] for y in np.flatnonzero(voters < 3)]
    if len(few) > 1:
        reason = (
            f"three views must each hear of every class but one, and fewer than three sources ever vote for "
            f"{examples(few)}, which are merged in effect"
        )
    else:
        pairs = [f"{classes[k]!r} and {classes[y]!r}" for k, y in _alike(moments)]
        reason = (
            f"votes for {', '.join(pairs[:3])} go along with the same votes of others, so that they are one in effect"
        )
    return (
        f"no triple of sources, or of pools of them, tells all {K} classes apart: {reason}. Merge such classes "
        "(mapping=; --map), bring more sources or points, or use method='consensus'."
    )


def _alike(moments: Moments) -> list[tuple[int, int]]:
    """Pairs of classes whose votes go along with the same votes of other sources but for noise, the closest first."""
    K = len(moments.classes)
    beside = moments.pair.sum(axis=(0, 2)) - np.einsum("iuiv->uv", moments.pair)
    shares = beside / np.maximum(beside.sum(axis=1, keepdims=True), 1)
    votes = np.maximum(moments.single.sum(axis=0), 1)
    found = []
    for k, y in combinations(range(K), 2):
        mean = np.maximum((shares[k] + shares[y]) / 2, 1e-12)
        apart = float(((shares[k] - shares[y]) ** 2 / mean).sum())
        found.append((apart / ((K - 1) * (1 / votes[k] + 1 / votes[y])), k, y))
    found.sort()
    return [(k, y) for place, (size, k, y) in enumerate(found) if place == 0 or size < 3]


def pair_clearness(moments: Moments) -> Floats:
    """How clearly two sources tell the classes apart, as `clearness` has it, shape (m, m); 0 for a source alone."""
    m, K, n = len(moments.sources), len(moments.classes), moments.n
    found = np.zeros((m, m))
    for i in range(m):  # a row at a time: all tables at once may be many
        tables = np.zeros((m, K + 1, K + 1))
        tables[:, 1:, 1:] = np.moveaxis(moments.pair[i], 1, 0)
        tables[:, 1:, 0] = moments.single[i] - tables.sum(axis=2)[:, 1:]
        tables[:, 0, 1:] = moments.single - tables.sum(axis=1)[:, 1:]
        tables[:, 0, 0] = n - tables.sum(axis=(1, 2))
        found[i] = clearness(tables / n, K, n)
    np.fill_diagonal(found, 0)
    return (found + found.T) / 2  # which differ in their last bits


def _deal(groups: Sequence[Group], favourite: Ints, rng: np.random.Generator) -> list[Group]:
    """Three pools of as many groups each, or one more; those that favour a class go to one pool after another."""
    pools: list[list[Group]] = [[], [], []]
    order = rng.permutation(len(groups))
    by_class = order[np.argsort([favourite[groups[unit][0]] for unit in order], kind="stable")]
    for turn, unit in enumerate(by_class.tolist()):
        pools[turn % 3].append(groups[unit])
    shuffled = [[pool[place] for place in rng.permutation(len(pool)).tolist()] for pool in pools]
    return [tuple(i for group in pool for i in group) for pool in shuffled]


@dataclass(frozen=True, eq=False)
class ViewCounts:
    """What views and sources say, in blocks of points."""

    views: Views
    n: Ints  # shape (B,): points of each block
    # shape (B, T, S, S, S): on how many points the views of each triple say what; S outputs, "nothing said" the
    # first
    triples: Ints
    with_sources: Ints  # shape (B, V, m, S, S): the same for a view and a source

    @classmethod
    def of(cls, votes: Votes, views: Views, first_row: int = 0) -> ViewCounts:
        """Count, in one pass, votes of which the first is a certain row of all data, of which these may be a part."""
        m, S, T, V = len(votes.sources), len(votes.classes) + 1, len(views.triples), len(views.pools)
        # The counts of all blocks take 256 MB, unless that leaves too few blocks.
        B = int(np.clip((1 << 28) // (8 * (T * S**3 + V * m * S**2)), FEWEST_BLOCKS, BLOCKS))
        n = np.bincount(block_of(np.arange(len(votes)) + first_row, B), minlength=B)
        pairs = np.stack(np.broadcast_arrays(np.arange(V)[:, None] + m, np.arange(m)), axis=2).reshape(V * m, 2)
        triples, with_sources = _count(votes, views, (views.triples + m, pairs), B, first_row)
        return cls(views, n, triples.reshape(B, T, S, S, S), with_sources.reshape(B, V, m, S, S))

    def of_triples(self, kept: Places) -> ViewCounts:
        """Some of the triples, and the views that these need."""
        used, places = np.unique(self.views.triples[kept], return_inverse=True)
        views = Views(tuple(self.views.pools[v] for v in used), places.reshape(-1, 3))
        return ViewCounts(views, self.n, self.triples[:, kept], self.with_sources[:, used])

    def beside(self, other: ViewCounts) -> ViewCounts:
        """These views and others of the same points."""
        views = Views(
            self.views.pools + other.views.pools,
            np.concatenate([self.views.triples, other.views.triples + len(self.views.pools)]),
        )
        triples = np.concatenate([self.triples, other.triples], axis=1)
        return ViewCounts(views, self.n, triples, np.concatenate([self.with_sources, other.with_sources], axis=1))

    def __add__(self, other: ViewCounts) -> ViewCounts:
        if not isinstance(other, ViewCounts):
            return NotImplemented
        return ViewCounts(
            self.views, self.n + other.n, self.triples + other.triples, self.with_sources + other.with_sources
        )

    def weighted(self, weights: Ints | None = None) -> tuple[int, Floats, Floats]:
        """Number of points, and shares of triples and of pairs, where blocks count as often as their weights say."""
        weights = np.ones(len(self.n), dtype=np.int64) if weights is None else weights
        n = int(weights @ self.n)
        # Whole numbers below 2^53 are exact as floats, which are faster to add up.
        triples, pairs = (weights.astype(np.float64) @ counts / max(n, 1) for counts in self._flat)
        return n, triples.reshape(self.triples.shape[1:]), pairs.reshape(self.with_sources.shape[1:])

    @cached_property
    def _flat(self) -> tuple[Floats, Floats]:
        B = len(self.n)
        return self.triples.reshape(B, -1).astype(np.float64), self.with_sources.reshape(B, -1).astype(np.float64)


def _count(votes: Votes, views: Views, rows: tuple[Places, ...], B: int, first_row: int) -> list[Ints]:
    """On how many points some of the sources, or of the views after them, say what.

    Of every array of rows, shape (r, w), counts of shape (B, r, S^w).
    """
    m, S = len(votes.sources), len(votes.classes) + 1
    counts = [np.zeros((len(some), B, S ** some.shape[1]), dtype=np.int64) for some in rows]
    parts = [(some, total, span) for some, total in zip(rows, counts, strict=True) for span in spans(len(some), 32)]
    chunk = int(np.clip((1 << 26) // (m + len(views.pools)), 1 << 12, _CHUNK))
    for low in range(0, len(votes), chunk):
        high = min(low + chunk, len(votes))
        block = block_of(np.arange(low, high) + first_row, B).astype(np.uint8)
        said, place = _said(votes.storage.columns(low, high), views.pools, S - 1)

        def work(part: int, said: Codes = said, place: Places = place, block: Octets = block) -> None:
            some, total, span = parts[part]
            for r in range(*span):
                add_joint(said, block, S, place[some[r]], total[r])

        in_threads(work, len(parts))
    return [np.ascontiguousarray(np.moveaxis(total, 1, 0)) for total in counts]


def _said(columns: Codes, pools: Sequence[Group], K: int) -> tuple[Codes, Places]:
    """Outputs of all sources and, after them, of pools of several; and where those of each source and pool are."""
    m, n = columns.shape
    several = [v for v, pool in enumerate(pools) if len(pool) > 1]
    said = np.empty((m + len(several), n), dtype=np.int8)
    np.add(columns, 1, out=said[:m])
    row = np.concatenate([np.arange(m), [pool[0] for pool in pools]]).astype(np.int64)
    row[m + np.array(several, dtype=np.intp)] = m + np.arange(len(several))
    if several:
        columns = np.ascontiguousarray(columns)

        def work(place: int) -> None:
            pool = np.array(pools[several[place]], dtype=np.int64)
            pool_votes(columns, pool, K, said[m + place])

        in_threads(work, len(several))
    return said, row
