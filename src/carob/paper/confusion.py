r"""How every source votes in every class, from triples of views: a confusion matrix per source, without gold.

Each triple of views has parts (`carob.paper.tensor`): how its views vote in each class, and how common the classes
are. Any other source i then follows from what it says together with one of these views, since
``P(x_i, a) = sum_y p_y P(x_i | y) A_ay`` is linear in ``p_y P(x_i | y)``: least squares, with outputs of the view
weighted by one over their shares. Every triple thus gives three estimates of every source; the median of each entry
over them all withstands triples in which two views, or a view and the source, depend on each other.

A table has many entries, and few votes tell each of them little. So it is drawn towards that of a source which has the
same accuracy in all classes and errs in every way alike: by ``noise / (noise + t^2)``, where t^2 is how far the tables
of all sources are from that beyond their noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from carob._types import Bools, Floats, Places
from carob.paper.aggregate import over_subsets
from carob.paper.kinds.symmetric import symmetric_tables
from carob.paper.settings import Aggregate
from carob.paper.tensor import on_simplex, parts
from carob.posterior.source_model import accuracy
from carob.votes.outputs import SILENT


def assignment(score: Floats) -> Places:
    """The column of every row, all different, with the largest sum of scores; shape (K,).

    Shortest augmenting paths (the Hungarian method): rows are placed one after another, and a path of exchanges that
    costs least makes room for each. Prices of rows and columns keep all costs beyond them at zero or above.

    `score`, shape (K, K).

    >>> assignment(np.array([[9.0, 8.0], [8.0, 1.0]]))
    array([1, 0])
    """
    best = score.argmax(axis=1)
    K = len(score)
    if len(set(best.tolist())) == K:  # everybody has what suits best
        return best
    cost = score.max() - score
    row_price, column_price = np.zeros(K + 1), np.zeros(K + 1)
    row_of = np.full(K + 1, -1)  # the row that each column has; column K is where a row waits that has none
    for row in range(K):
        row_of[K], column = row, K
        least, before = np.full(K, np.inf), np.full(K, K)
        done = np.zeros(K + 1, dtype=bool)
        while row_of[column] >= 0:
            done[column] = True
            i = row_of[column]
            beyond = cost[i] - row_price[i] - column_price[:K]
            closer = ~done[:K] & (beyond < least)
            least[closer], before[closer] = beyond[closer], column
            reached = np.where(done[:K], np.inf, least)
            column = int(reached.argmin())
            step = reached[column]
            row_price[row_of[done]] += step
            column_price[done] -= step
            least[~done[:K]] -= step
        while column != K:
            previous = before[column]
            row_of[column] = row_of[previous]
            column = int(previous)
    found = np.empty(K, dtype=np.intp)
    found[row_of[:K]] = np.arange(K)
    return found


LEFT_OVER = 0.15  # of the noise that a single view adds, what the median over all views still has


@dataclass(frozen=True, eq=False)
class Solved:
    """Solved triples of views."""

    by_view: Floats  # shape (V, S, m, S): shares of what each view and each source say
    places: Places  # shape (T, 3): the views of each triple
    apart: Bools  # shape (V, m): whether a view and a source may be taken to be independent given the class
    # shape (T, 3, K, S): what shares of a view's outputs are multiplied by to become probabilities of a source's
    # outputs given the part
    solution: Floats
    weights: Floats  # shape (T, K): probability of each part

    @classmethod
    def of(cls, n: float, triples: Floats, pairs: Floats, places: Places, apart: Bools) -> Solved:
        """Solve all triples.

        `n`: number of points. `triples`, shape (T, S, S, S): shares of what the views of each triple say. `pairs`,
        shape (V, m, S, S): shares of what each view and each source say.
        """
        found = parts(triples, triples.shape[1] - 1, n)
        share = pairs[:, 0].sum(axis=2)  # of the outputs of each view
        scaled = found.views / (share + 1 / n)[places][..., None]
        inverse = np.linalg.pinv(np.swapaxes(found.views, 2, 3) @ scaled, rcond=1e-6, hermitian=True)
        solution = np.swapaxes(scaled @ inverse, 2, 3)  # from P(a) to p_y
        size = solution @ share[places][..., None]  # p_y, as each view has it
        solution /= np.where(np.abs(size) < 1e-9, 1e-9, size)
        return cls(np.ascontiguousarray(np.swapaxes(pairs, 1, 2)), places, apart, solution, found.weights)

    def named(self) -> Solved:
        """The same with parts in the order of the classes: votes are for their own class more than by chance.

        The correlation of "the part is c" and "source i votes k", added up over sources, is the score of c for k.
        """
        votes = output_shares(self.by_view)[:, SILENT + 1 :]
        unit = np.sqrt(np.maximum(votes * (1 - votes), 1e-12))
        seen = np.einsum("vaik,ik,vi->vak", self.by_view[..., SILENT + 1 :], 1 / unit, self.apart, optimize=True)
        by_chance = np.einsum("ik,vi->vk", votes / unit, self.apart)[self.places].sum(axis=1)
        score = self._scores(seen) - by_chance[..., None]
        p = self.weights[:, None, :]
        return self._ordered(score * np.sqrt(p / np.maximum(1 - p, 1e-12)))

    def like(self, reference: Floats) -> Solved:
        """The same with parts in the order in which they are most like a reference, shape (m, K, S)."""
        seen = np.einsum("vaiu,iku,vi->vak", self.by_view, reference, self.apart, optimize=True)
        return self._ordered(self._scores(seen))

    def _scores(self, seen: Floats) -> Floats:
        """What sums over sources of shares, shape (V, S, K), come to for every part, shape (T, K, parts)."""
        return (self.solution @ seen[self.places]).sum(axis=1).swapaxes(1, 2)

    def _ordered(self, score: Floats) -> Solved:
        """With the part of every class by the best assignment; `score` has shape (T, classes, parts)."""
        order = np.stack([assignment(one) for one in score])
        solution = np.take_along_axis(self.solution, order[:, None, :, None], axis=2)
        return replace(self, solution=solution, weights=np.take_along_axis(self.weights, order, axis=1))

    def tables(self, aggregate: Aggregate, rng: np.random.Generator | None = None) -> Floats:
        """One table for every source from those of all triples, shape (m, K, S)."""
        _, S, m, _ = self.by_view.shape
        K = self.solution.shape[2]
        found = np.full((m, K, S), 1 / S)
        for i in range(m):
            told = self.apart[self.places, i]
            if told.any():
                estimates = self.solution[told] @ self.by_view[self.places[told], :, i]
                found[i] = over_subsets(np.moveaxis(np.clip(estimates, 0, 1), 0, -1).copy(), aggregate, rng=rng)
        return found

    def balance(self, aggregate: Aggregate, rng: np.random.Generator | None = None) -> Floats:
        """One class balance from those of all triples, shape (K,)."""
        found: Floats = over_subsets(self.weights.T.copy(), aggregate, rng=rng)
        return found / found.sum()

    def noise(self, n: float, balance: Floats) -> Floats:
        """Variance of the table of every source as one view has it, over the shares of outputs, shape (m,).

        An estimate is a mean over points of 1[x_i = u] times a number that the output of the view stands for. The
        median over views; infinite where no view tells of a source.
        """
        inverse = _inverse(output_shares(self.by_view))
        squares = np.einsum("tvya,y->tva", self.solution**2, balance)  # the mean is small beside it
        sizes = np.einsum("vaiu,iu->via", self.by_view, inverse, optimize=True)
        every = (sizes[self.places] @ squares[..., None])[..., 0] / n
        found = np.full(len(inverse), np.inf)
        for i in range(len(found)):
            told = self.apart[self.places, i]
            if told.any():
                found[i] = np.median(every[..., i][told])
        return found


@dataclass(frozen=True, eq=False)
class Confusion:
    """How sources vote."""

    tables: Floats  # shape (m, K, S): probability of every output given the class
    class_balance: Floats  # shape (K,)
    # shape (m, K, S): the tables before they were drawn to anything, by which other points find the order of
    # their parts
    reference: Floats
    noise: Floats  # shape (m,): how noisy these were


def confusion(
    n: float,
    triples: Floats,
    pairs: Floats,
    places: Places,
    apart: Bools,
    aggregate: Aggregate = "median",
    class_balance: Floats | None = None,
    rng: np.random.Generator | None = None,
    before: Confusion | None = None,
) -> Confusion:
    """Tables of all sources, from shares of what triples of views, and views and sources, say.

    `n`, `triples`, `pairs`, `places`, `apart`: as in `Solved`. `class_balance`, shape (K,): estimated where not given.
    `before`: what gives the order of the classes, and says how noisy tables are; where not given, the sources are taken
    to be right more often than by chance over all.
    """
    solved = Solved.of(n, triples, pairs, places, apart)
    if before is None:
        solved = solved.named()
    solved = solved.like(solved.tables("median") if before is None else before.reference)
    reference = solved.tables(aggregate, rng)
    balance = solved.balance(aggregate, rng) if class_balance is None else class_balance
    balance = np.maximum(balance, 1 / n)
    balance /= balance.sum()
    noise = solved.noise(n, balance) if before is None else before.noise
    shares = output_shares(solved.by_view)
    tables = drawn_to_symmetric(on_simplex(reference), balance, shares, noise, n)
    tables = np.where(shares[:, None] > 0, np.maximum(tables, 1 / n), 0)
    return Confusion(tables / tables.sum(axis=2, keepdims=True), balance, reference, noise)


def drawn_to_symmetric(tables: Floats, balance: Floats, shares: Floats, noise: Floats, n: float) -> Floats:
    """Tables, shape (m, K, S), drawn towards those of sources with one accuracy each, by how noisy they are.

    `shares`, shape (m, S): of the outputs of every source. `noise`, shape (m,): of tables from a single view, as
    `Solved.noise` has it.
    """
    votes = np.maximum(1 - shares[:, SILENT], 1 / n)
    right = np.clip(accuracy(tables, balance), 1 / n, 1 - 1 / n)
    simple = np.where(shares[:, None] > 0, symmetric_tables(right, votes, len(balance)), 1e-9)
    simple /= simple.sum(axis=2, keepdims=True)
    inverse = _inverse(shares)
    # As noisy as if the classes were known, and what is left over of the noise of a view; for a vote, since distance
    # and noise that is known from other sources both grow with the votes of a source.
    known = np.einsum("iyu,iu->i", tables * (1 - tables), inverse) / n
    told = np.isfinite(noise)
    variance = np.where(told, known + LEFT_OVER * np.maximum(noise - known, 0), 1) / votes
    variance = np.maximum(variance, 1e-300)
    distance = np.einsum("iyu,y,iu->i", (tables - simple) ** 2, balance, inverse) / votes
    beyond = max(0.0, float(((distance - variance) / variance)[told].sum() / (1 / variance)[told].sum()))
    kept = np.where(told, beyond / (beyond + variance), 0)[:, None, None]
    return kept * tables + (1 - kept) * simple


def output_shares(by_view: Floats) -> Floats:
    """Share of every output of every source, shape (m, S)."""
    found: Floats = by_view[0].sum(axis=0)
    return found


def _inverse(shares: Floats) -> Floats:
    return np.where(shares > 0, 1 / np.maximum(shares, 1e-300), 0)
