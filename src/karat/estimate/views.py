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

from karat._types import Bools, Codes, Floats, Group, Ints, Places
from karat.errors import InputError, NotIdentifiedError, examples
from karat.estimate.tensor import clearness
from karat.moments import Moments
from karat.statistics import BLOCKS, FEWEST_BLOCKS, block_of
from karat.votes import Votes

Octets = npt.NDArray[np.uint8]

CLEAR = 4.0  # standard errors of the least correlation from which on single sources will do as views
TOLD = 2.0  # below this, two views do not tell all classes apart
FEWEST = 10  # clear triples of single sources, or half of all where sources are few; else pools are taken
TRIPLES = 100  # of single sources, drawn at random where there are more
SPLITS = 40  # into three pools, of those that tell all classes apart
TRIED = 120  # splits that are looked at to find them
MOST_VIEWS = 60  # single sources that serve as views: more would take memory
MOST_CLASSES = 40  # a triple has S^3 counts
_MEMORY = 1 << 28  # bytes that the counts of all blocks may take, as long as the blocks are not too few
_CHUNK = 1 << 17  # points that are counted at a time


@dataclass(frozen=True, eq=False)
class Views:
    """Pools of sources, and triples of them.

    Parameters
    ----------
    pools : tuple of tuples of int
        Sources of each, in the order that decides between equals.
    triples : array of int, shape (T, 3)
        Pools that are independent given the class, as far as is known.
    """

    pools: tuple[Group, ...]
    triples: Places

    @classmethod
    def single(cls, groups: Sequence[Group], clear: Bools, rng: np.random.Generator) -> Views:
        """Triples of single sources, no two of which are of one group of known pairs.

        Parameters
        ----------
        clear : array of bool, shape (m, m)
            Whether two sources tell all classes apart.
        """
        allowed = clear.copy()
        for group in groups:
            allowed[np.ix_(group, group)] = False
        most = np.argsort(-allowed.sum(axis=1), kind="stable")[:MOST_VIEWS]
        sources = np.sort(most[allowed[most].any(axis=1)])
        every = np.array(list(combinations(range(len(sources)), 3)), dtype=np.intp).reshape(-1, 3)
        one, two, three = sources[every].T
        every = every[allowed[one, two] & allowed[one, three] & allowed[two, three]]
        if len(every) > TRIPLES:
            every = every[np.sort(rng.choice(len(every), TRIPLES, replace=False))]
        return cls(tuple((i,) for i in sources.tolist()), every)

    @classmethod
    def pooled(cls, groups: Sequence[Group], favourite: Ints, splits: int, rng: np.random.Generator) -> Views:
        """Splits of all sources into three pools; known pairs stay together.

        Parameters
        ----------
        favourite : array of int, shape (m,)
            The class that each source votes for most often.
        """
        pools = [pool for _ in range(splits) for pool in _deal(groups, favourite, rng)]
        return cls(tuple(pools), np.arange(len(pools)).reshape(-1, 3))

    def of_triples(self, kept: Places) -> Views:
        """Some of the triples, and the views that these need."""
        used, places = np.unique(self.triples[kept], return_inverse=True)
        return Views(tuple(self.pools[v] for v in used), places.reshape(-1, 3))

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

    Raises
    ------
    NotIdentifiedError
        Where no triple of views tells all classes apart.
    """
    K, number = len(votes.classes), len(groups)
    if K > MOST_CLASSES:
        raise InputError(f"tensors are for at most {MOST_CLASSES} classes; there are {K}. Use method='consensus'.")
    clear = pair_clearness(moments)
    views = Views.single(groups, clear >= CLEAR, rng)
    if len(views.triples) >= min(FEWEST, comb(number, 3) / 2):
        return ViewCounts.of(votes, views)
    if number >= 6:
        views = Views.pooled(groups, moments.single.argmax(axis=1), TRIED, rng)
        n, triples = count_triples(votes, views)
        tables = triples.sum(axis=0) / n.sum()
        least = np.min([clearness(tables.sum(axis=axis), K, len(votes)) for axis in (1, 2, 3)], axis=0)
        told = np.flatnonzero(least >= TOLD)[:SPLITS]
        if len(told):
            return ViewCounts.of(votes, views.of_triples(told))
    views = Views.single(groups, clear >= TOLD, rng)
    if not len(views.triples):
        raise NotIdentifiedError(_merged(moments, groups), estimate=clear)
    return ViewCounts.of(votes, views)


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
    return found


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
    """What views and sources say, in blocks of points.

    Parameters
    ----------
    views : Views
    n : array of int64, shape (B,)
        Points of each block.
    triples : array of int64, shape (B, T, S, S, S)
        On how many points the views of each triple say what; S outputs, "nothing said" the first.
    with_sources : array of int64, shape (B, V, m, S, S)
        The same for a view and a source.
    """

    views: Views
    n: Ints
    triples: Ints
    with_sources: Ints

    @classmethod
    def of(cls, votes: Votes, views: Views, first_row: int = 0) -> ViewCounts:
        """Count votes of which the first is a certain row of all data, of which these may be a part."""
        n, triples = count_triples(votes, views, first_row)
        m, S, V, B = len(votes.sources), len(votes.classes) + 1, len(views.pools), len(n)
        rows = np.stack(np.broadcast_arrays(np.arange(V)[:, None] + m, np.arange(m)), axis=2).reshape(V * m, 2)
        pairs = _count(votes, views, rows, B, first_row)
        return cls(views, n, triples, pairs.reshape(B, V, m, S, S))

    def __add__(self, other: ViewCounts) -> ViewCounts:
        if not isinstance(other, ViewCounts):
            return NotImplemented
        return ViewCounts(
            self.views, self.n + other.n, self.triples + other.triples, self.with_sources + other.with_sources
        )

    def weighted(self, weights: Ints | None = None) -> tuple[int, Floats, Floats]:
        """Number of points, and shares of triples and of pairs, where blocks count as often as their weights say."""
        B = len(self.n)
        weights = np.ones(B, dtype=np.int64) if weights is None else weights
        n = int(weights @ self.n)
        triples, pairs = (
            (weights @ counts.reshape(B, -1)).reshape(counts.shape[1:]) / max(n, 1)
            for counts in (self.triples, self.with_sources)
        )
        return n, triples, pairs


def count_triples(votes: Votes, views: Views, first_row: int = 0) -> tuple[Ints, Ints]:
    """Points of each block, shape (B,), and what the views of each triple say on them, shape (B, T, S, S, S)."""
    m, S, T, V = len(votes.sources), len(votes.classes) + 1, len(views.triples), len(views.pools)
    B = int(np.clip(_MEMORY // (8 * (T * S**3 + V * m * S**2)), FEWEST_BLOCKS, BLOCKS))
    n = np.bincount(block_of(np.arange(len(votes)) + first_row, B), minlength=B)
    return n, _count(votes, views, views.triples + m, B, first_row).reshape(B, T, S, S, S)


def _count(votes: Votes, views: Views, rows: Places, B: int, first_row: int) -> Ints:
    """On how many points some of the sources, or of the views after them, say what; shape (B, len(rows), S^w)."""
    from karat._kernels.threads import in_threads, spans  # loads numba
    from karat._kernels.views import add_joint

    m, S = len(votes.sources), len(votes.classes) + 1
    counts = np.zeros((len(rows), B, S ** rows.shape[1]), dtype=np.int64)
    chunk = int(np.clip((1 << 26) // (m + len(views.pools)), 1 << 12, _CHUNK))
    parts = spans(len(rows), 64)
    for low in range(0, len(votes), chunk):
        high = min(low + chunk, len(votes))
        block = block_of(np.arange(low, high) + first_row, B).astype(np.uint8)
        said, place = _said(votes.storage.columns(low, high), views.pools, S - 1)

        def work(part: int, said: Codes = said, place: Places = place, block: Octets = block) -> None:
            for r in range(*parts[part]):
                add_joint(said, block, S, place[rows[r]], counts[r])

        in_threads(work, len(parts))
    return np.ascontiguousarray(np.moveaxis(counts, 1, 0))


def _said(columns: Codes, pools: Sequence[Group], K: int) -> tuple[Codes, Places]:
    """Outputs of all sources and, after them, of pools of several; and where those of each source and pool are."""
    from karat._kernels.threads import in_threads  # loads numba

    m, n = columns.shape
    several = [v for v, pool in enumerate(pools) if len(pool) > 1]
    said = np.empty((m + len(several), n), dtype=np.int8)
    np.add(columns, 1, out=said[:m])
    row = np.concatenate([np.arange(m), [pool[0] for pool in pools]]).astype(np.int64)
    row[m + np.array(several, dtype=np.intp)] = m + np.arange(len(several))
    if several:
        from karat._kernels.pools import pool_votes

        columns = np.ascontiguousarray(columns)

        def work(place: int) -> None:
            pool = np.array(pools[several[place]], dtype=np.int64)
            pool_votes(columns, pool, np.empty((K, n), np.uint16), np.empty(n, np.uint16), said[m + place])

        in_threads(work, len(several))
    return said, row
