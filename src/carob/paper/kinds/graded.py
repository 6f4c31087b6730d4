r"""Sources that give scores, beside sources that vote: for two classes, how far the mean of each is shifted.

Whatever numbers s sources give, ``cov(s_i, s_j) = pi (1 - pi) shift_i shift_j`` with ``shift_i = E(s_i | Y = 1) -
E(s_i | Y = 0)`` and pi = P(Y = 1), so that triplets need no threshold: b is the covariance over pi (1 - pi), and x is
the shift. The numbers are the grades of `Outputs`: ranks of scores, stated probabilities, votes as -1 and 1, 0 where
nothing is said. What a bin of a score means then follows from how it goes along with the grades of all other sources.
"""

from __future__ import annotations

import numpy as np

from carob._types import Bools, Floats, Ints
from carob.count.moments import Moments
from carob.count.statistics import TripleSums
from carob.errors import NotIdentifiedError
from carob.paper.kinds.conditional import ClassConditional
from carob.paper.kinds.kind import Features, Positions, dependent, weighted_median
from carob.posterior.score_shares import smoothed_log_shares
from carob.posterior.source_model import accuracy
from carob.votes import Outputs
from carob.votes.outputs import SILENT


class Graded(ClassConditional):
    """The mean of each source in either class, and from it what each of its scores means."""

    words = "the mean score of each source and class"

    def suits(self, moments: Moments) -> bool:
        """Some source gives scores."""
        return bool(moments.outputs.leaning)

    def refuses(self, K: int) -> str:
        """More than two classes."""
        if K == 2:
            return ""
        return f"triplets of scores are for two classes; there are {K}. Use the default (method='consensus')."

    def features(self, moments: Moments, pairs: Positions) -> Features:
        """One feature per source: its grade."""
        m = len(moments.sources)
        return Features(np.arange(m), np.full(m, -1, dtype=np.intp), ~dependent(m, pairs), None)

    def products(self, moments: Moments, features: Features, balance: Floats) -> Floats:
        """Covariances of grades over pi (1 - pi)."""
        return moments.grade_covariances / (balance[0] * balance[1])

    def tables(self, moments: Moments, features: Features, x: Floats, balance: Floats) -> Floats:
        """``P(u | 1) = P(u) + (1 - pi) D_u`` with D_u the median of ``cov(u, s_j) / (pi (1 - pi) x_j)`` over sources j.

        Bins of scores are smoothed along their scale.
        """
        outputs, n, m = moments.outputs, moments.n, len(moments.sources)
        first, second = balance
        p = moments.counts / n
        telling = np.where(np.diagonal(moments.grade_covariances) > 0, x, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            D = (moments.with_grades / n - np.outer(p, moments.grade_means)) / (first * second * telling)
            weight = telling**2 / np.diagonal(moments.grade_covariances)
        used = features.allowed[outputs.source] & (telling != 0)
        D = weighted_median(np.where(used, D, 0.0).T, np.where(used, weight, 0.0).T)
        table = np.zeros((m, 2, max(outputs.sizes)))
        floor = np.where(p > 0, 1 / n, 0.0)
        table[outputs.source, 0, outputs.spoken] = np.clip(p - second * D, floor, 1 - floor)
        table[outputs.source, 1, outputs.spoken] = np.clip(p + first * D, floor, 1 - floor)
        for i in np.flatnonzero(_scored(outputs)):
            bins = slice(SILENT + 1, outputs.sizes[i])
            of_class = table[i, :, bins] * balance[:, None]
            given = outputs.source == i
            leaning = (outputs.grades[given] + 1) / 2
            log_shares = smoothed_log_shares(n * of_class.T, leaning, balance)
            table[i, :, bins] = np.exp(log_shares.T) * p[given] / balance[:, None]
        left = np.maximum(1 - table.sum(axis=2), 1 / n)
        table[:, :, SILENT] = np.where((moments.coverage < n)[:, None], left, 0.0)
        return np.asarray(table / table.sum(axis=2, keepdims=True))

    def balance_triples(self, moments: Moments, pairs: Positions) -> None:
        """None that would tell; see `class_balance`."""
        return None

    def class_balance(
        self, moments: Moments, triples: TripleSums | None, sums: Ints | None, pairs: Positions
    ) -> Floats:
        """Not told: third moments of single bins are too noisy to tell it."""
        raise NotIdentifiedError(
            "triplets of scores do not tell the class balance. Give it (class_balance=; --class-balance) or some gold "
            "labels, or use the default (method='consensus')."
        )

    def accuracy(self, outputs: Outputs, tables: Floats, balance: Floats) -> Floats:
        """Of scores, with each bin read as the class that it speaks for most."""
        right = (tables[:, :, SILENT + 1 :] * balance[:, None]).max(axis=1).sum(axis=1)
        spoken = (1 - tables[:, :, SILENT]) @ balance
        return np.where(_scored(outputs), right / np.maximum(spoken, 1e-300), accuracy(tables, balance))


def _scored(outputs: Outputs) -> Bools:
    """Sources that give scores: those with outputs between the classes, shape (m,)."""
    return np.logical_or.reduceat(np.abs(outputs.grades) < 1, outputs.first)
