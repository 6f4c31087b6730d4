r"""How every source votes in every class, from triples of views: a confusion matrix per source, without gold.

Each triple of views has parts (`karat.estimate.tensor`): how its views vote in each class, and how common the classes
are. Any other source i then follows from what it says together with one of these views, since
``P(x_i, a) = sum_y p_y P(x_i | y) A_ay`` is linear in ``p_y P(x_i | y)``: least squares, with outputs of the view
weighted by one over their shares. Every triple thus gives three estimates of every source; the median of each entry
over them all withstands triples in which two views, or a view and the source, depend on each other.

A table has many entries, and few votes tell each of them little. So it is drawn towards that of a source which has the
same accuracy in all classes and errs in every way alike: by ``noise / (noise + t^2)``, where t^2 is how far the tables
of all sources are from that beyond their noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat._types import Bools, Floats, Places
from karat.estimate.aggregate import Aggregate, over_subsets
from karat.estimate.assignment import assignment
from karat.estimate.kinds.symmetric import symmetric_tables
from karat.estimate.tensor import on_simplex, parts
from karat.source_model import accuracy
from karat.votes.outputs import SILENT

LEFT_OVER = 0.15  # of the noise that a single view adds, what the median over all views still has


@dataclass(frozen=True, eq=False)
class Estimates:
    """What each triple of views says of every source.

    Parameters
    ----------
    tables : array, shape (T, 3, m, S, K)
        Probability of every output given the part, from each view of each triple; NaN where the view has to do with
        the source.
    weights : array, shape (T, K)
        Probability of each part.
    noise : array, shape (T, 3, m)
        Variance of these tables, added up as in `distance`.
    """

    tables: Floats
    weights: Floats
    noise: Floats

    @classmethod
    def of(cls, triples: Floats, pairs: Floats, places: Places, apart: Bools, n: float) -> Estimates:
        """Solve all triples.

        Parameters
        ----------
        triples : array, shape (T, S, S, S)
            Shares of what the views of each triple say.
        pairs : array, shape (V, m, S, S)
            Shares of what each view and each source say.
        places : array of int, shape (T, 3)
            The views of each triple.
        apart : array of bool, shape (V, m)
            Whether a view and a source may be taken to be independent given the class.
        n : float
            Number of points.
        """
        T, S = triples.shape[:2]
        V, m = apart.shape
        K = S - 1
        found = parts(triples, K, n)
        share = pairs[:, 0].sum(axis=2)  # of the outputs of each view
        scaled = found.views / (share + 1 / n)[places][..., None]
        inverse = np.linalg.pinv(np.swapaxes(found.views, 2, 3) @ scaled, rcond=1e-6, hermitian=True)
        solution = np.swapaxes(scaled @ inverse, 2, 3)  # shape (T, 3, K, S): from P(a) to p_y
        by_view = np.swapaxes(pairs, 1, 2).reshape(V, S, m * S)[places]
        size = (solution @ share[places][..., None])[..., 0]  # p_y, as each view has it
        size = np.where(np.abs(size) < 1e-9, 1e-9, size)
        tables = (solution @ by_view).reshape(T, 3, K, m, S) / size[..., None, None]
        # An estimate is a mean over points of 1[x_i = u] times a number that the output of the view stands for.
        square = (solution**2 @ by_view).reshape(T, 3, K, m, S) / size[..., None, None] ** 2
        variance = np.maximum(square - tables**2, 0) / n
        noise = np.einsum("tvyiu,ty,iu->tvi", variance, found.weights, _inverse(output_shares(pairs)), optimize=True)
        allowed = apart[places]
        tables = np.where(allowed[:, :, None, :, None], np.clip(tables, 0, 1), np.nan)
        return cls(np.moveaxis(tables, 2, 4), found.weights, np.where(allowed, noise, np.nan))

    def named(self, shares: Floats) -> Estimates:
        """The same with parts in the order of the classes: votes are for their own class more than by chance.

        The correlation of "the part is c" and "source i votes k", added up over sources, is the score of c for k.

        Parameters
        ----------
        shares : array, shape (m, S)
            Of the outputs of each source.
        """
        votes = shares[:, SILENT + 1 :, None]
        unit = np.sqrt(np.maximum(votes * (1 - votes), 1e-12))
        beyond = np.nansum((self.tables[:, :, :, SILENT + 1 :] - votes) / unit, axis=(1, 2))  # (T, classes, parts)
        p = self.weights[:, None, :]
        return self._ordered(beyond * np.sqrt(p / np.maximum(1 - p, 1e-12)))

    def like(self, reference: Floats) -> Estimates:
        """The same with parts in the order in which they are most like a reference, shape (m, S, K)."""
        T, _, m, S, K = self.tables.shape
        flat = np.nan_to_num(self.tables).sum(axis=1).reshape(T, m * S, K)
        return self._ordered(reference.reshape(m * S, K).T @ flat)

    def _ordered(self, score: Floats) -> Estimates:
        """With the part of every class by the best assignment; `score` has shape (T, classes, parts)."""
        order = np.stack([assignment(one) for one in score])
        tables = np.take_along_axis(self.tables, order[:, None, None, None, :], axis=4)
        return Estimates(tables, np.take_along_axis(self.weights, order, axis=1), self.noise)

    def tables_of_all(self, aggregate: Aggregate, rng: np.random.Generator | None = None) -> Floats:
        """One table for every source from those of all triples, shape (m, S, K)."""
        T, _, m, S, K = self.tables.shape
        by_source = self.tables.transpose(2, 3, 4, 0, 1).reshape(m, S, K, 3 * T)
        found = np.full((m, S, K), 1 / S)
        for i, estimates in enumerate(by_source):
            told = estimates[..., ~np.isnan(estimates[0, 0])]
            if told.shape[-1]:
                found[i] = over_subsets(told, aggregate, rng=rng)
        return found

    def balance(self, aggregate: Aggregate, rng: np.random.Generator | None = None) -> Floats:
        """One class balance from those of all triples, shape (K,)."""
        found: Floats = over_subsets(self.weights.T.copy(), aggregate, rng=rng)
        return found / found.sum()


@dataclass(frozen=True, eq=False)
class Confusion:
    """How sources vote.

    Parameters
    ----------
    tables : array, shape (m, K, S)
        Probability of every output given the class.
    class_balance : array, shape (K,)
    reference : array, shape (m, S, K)
        The tables before they were drawn to anything, by which other points find the order of their parts.
    """

    tables: Floats
    class_balance: Floats
    reference: Floats


def confusion(
    n: float,
    triples: Floats,
    pairs: Floats,
    places: Places,
    apart: Bools,
    aggregate: Aggregate = "median",
    class_balance: Floats | None = None,
    rng: np.random.Generator | None = None,
    reference: Floats | None = None,
) -> Confusion:
    """Tables of all sources, from shares of what triples of views, and views and sources, say.

    Parameters
    ----------
    n, triples, pairs, places, apart
        As in `Estimates.of`.
    class_balance : array, shape (K,), optional
        Estimated where not given.
    reference : array, shape (m, S, K), optional
        Tables that give the order of the classes; where not given, the sources are taken to be right more often than
        by chance over all.
    """
    shares = output_shares(pairs)
    found = Estimates.of(triples, pairs, places, apart, n)
    if reference is None:
        found = found.named(shares)
        reference = found.tables_of_all("median")
    found = found.like(reference)
    tables = found.tables_of_all(aggregate, rng)
    balance = found.balance(aggregate, rng) if class_balance is None else class_balance
    balance = np.maximum(balance, 1 / n)
    balance /= balance.sum()
    drawn = drawn_to_symmetric(on_simplex(np.swapaxes(tables, 1, 2)), balance, shares, found.noise, n)
    floored = np.where(shares[:, None] > 0, np.maximum(drawn, 1 / n), 0)
    return Confusion(floored / floored.sum(axis=2, keepdims=True), balance, tables)


def drawn_to_symmetric(tables: Floats, balance: Floats, shares: Floats, noise: Floats, n: float) -> Floats:
    """Tables, shape (m, K, S), drawn towards those of sources with one accuracy each, by how noisy they are."""
    K = len(balance)
    votes = np.maximum(1 - shares[:, SILENT], 1 / n)
    right = np.clip(accuracy(tables, balance), 1 / n, 1 - 1 / n)
    simple = np.where(shares[:, None] > 0, symmetric_tables(right, votes, K), 1e-9)
    simple /= simple.sum(axis=2, keepdims=True)
    inverse = _inverse(shares)
    # As noisy as if the classes were known, and what is left over of the noise of a view. Both grow with the number of
    # votes of a source as does what it tells: per vote, sources can be compared.
    known = np.einsum("iyu,iu->i", tables * (1 - tables), inverse) / n
    told = ~np.isnan(noise).all(axis=(0, 1))
    of_view = np.full(len(tables), np.inf)
    of_view[told] = np.nanmedian(noise[:, :, told], axis=(0, 1))
    variance = np.maximum(known + LEFT_OVER * np.maximum(of_view - known, 0), 1e-300) / votes
    apart = np.einsum("iyu,y,iu->i", (tables - simple) ** 2, balance, inverse) / votes
    beyond = max(0.0, float(((apart - variance) / variance)[told].sum() / (1 / variance)[told].sum()))
    kept = np.where(told, beyond / (beyond + np.where(told, variance, 1)), 0)[:, None, None]
    return kept * tables + (1 - kept) * simple


def output_shares(pairs: Floats) -> Floats:
    """Share of every output of every source, shape (m, S)."""
    return pairs[0].sum(axis=1)


def _inverse(shares: Floats) -> Floats:
    return np.where(shares > 0, 1 / np.maximum(shares, 1e-300), 0)
