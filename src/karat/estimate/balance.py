r"""How common each class is, without gold.

Two classes: for three 0/1 features that are independent given the class,

    E[(f - Ef)(g - Eg)(h - Eh)] = pi (1 - pi) (1 - 2 pi) D_f D_g D_h,

with pi = P(Y = 1); over the root of the three covariances that is s = (1 - 2 pi) / sqrt(pi (1 - pi)), whatever
the D. So 1 - 2 pi = s / sqrt(s^2 + 4). The median of s over triplets is taken, as for accuracies.

One accuracy per source, any number of classes: P(vote u) = b_i P(Y = u) + (1 - b_i) / K among the votes of source i,
which is linear in the class balance; least squares over the sources solves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from karat.errors import NotIdentifiedError
from karat.estimate.aggregate import aggregate_triplets
from karat.estimate.checks import Pairs, check_shape, check_sources, pair_positions, resolve_symmetric
from karat.estimate.triplets import Problem, covariances
from karat.moments import Moments
from karat.source_model import Floats
from karat.votes import Votes

_TRIPLETS = 400  # the strongest are enough, and third moments of all would be many
_SMALLEST = 0.01  # no class is taken to be much rarer than this


def class_balance(votes: Votes, known_pairs: Pairs = ()) -> Floats:
    """Estimate the share of each class from votes alone, shape (K,).

    Raises
    ------
    NotIdentifiedError
        Where no triplet of sources is usable.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(100_000) < 0.3
    >>> votes = Votes.from_array(np.where(rng.random((6, 100_000)) < 0.75, y, ~y).T.astype(np.int8))
    >>> class_balance(votes).round(2)
    array([0.7, 0.3])
    """
    if not isinstance(votes, Votes):
        raise TypeError(f"class_balance takes Votes, not {type(votes).__name__}.")
    check_shape(len(votes), len(votes.sources))
    moments = Moments.of(votes)
    pairs = pair_positions(known_pairs, votes.sources)
    check_sources(moments, pairs)
    if resolve_symmetric(None, moments):
        return balance_from_shares(moments, pairs)
    third = ThirdMoments.of(moments, pairs)
    patterns = votes.patterns
    return third.balance(moments, third.sums(patterns.values, patterns.counts[None, :])[0])


@dataclass(frozen=True, eq=False)
class ThirdMoments:
    """The features and triplets that the class balance of two classes is estimated from.

    Parameters
    ----------
    source, vote : arrays of int, shape (F,)
        Feature f is ``1[vote of source[f] = vote[f]]``, turned to -1 where that vote is for class 0.
    triplets : array of int, shape (T, 3)
        Features of three sources that may be independent; the strongest of them.
    """

    source: npt.NDArray[np.intp]
    vote: npt.NDArray[np.intp]
    triplets: npt.NDArray[np.intp]

    @classmethod
    def of(cls, moments: Moments, known: list[tuple[int, int]]) -> ThirdMoments:
        """Choose the strongest triplets of features of different sources that are not known to be dependent."""
        problem = Problem.of(moments, np.array([0.5, 0.5]), False, known)
        strength = np.where(problem.allowed, np.abs(problem.b), 0)
        # Among many features, the strongest ones have triplets enough.
        strongest = np.argsort(-strength.sum(axis=0), kind="stable")[:40]
        found = np.array(list(combinations(np.sort(strongest), 3)), dtype=np.intp).reshape(-1, 3)
        f, g, h = found.T
        size = strength[f, g] * strength[f, h] * strength[g, h]
        order = np.argsort(-size, kind="stable")[: min(_TRIPLETS, int((size > 0).sum()))]
        return cls(problem.source, problem.vote, found[order])

    def sums(self, patterns: npt.NDArray[np.int8], weights: npt.NDArray[np.int64]) -> Floats:
        """Sums of the products of three features over points given as patterns, shape (R, T).

        Parameters
        ----------
        patterns : array of int8, shape (p, m)
        weights : array of int, shape (R, p)
            How often each pattern occurs, for R sets of points.
        """
        turn = np.where(self.vote == 1, 1, -1).astype(np.int8)
        f, g, h = self.triplets.T
        result = np.zeros((len(weights), len(f)))
        for low in range(0, len(patterns), 16384):
            rows = slice(low, low + 16384)
            features = (patterns[rows][:, self.source] == self.vote) * turn
            result += weights[:, rows].astype(float) @ (features[:, f] * features[:, g] * features[:, h]).astype(float)
        return result

    def balance(self, moments: Moments, sums: Floats) -> Floats:
        """Class balance from the moments of some points and the sums of the same points."""
        n = moments.n
        turn = np.where(self.vote == 1, 1, -1)
        mean = turn * moments.single[self.source, self.vote] / n
        cov = covariances(moments, self.source, self.vote)
        f, g, h = self.triplets.T
        third = sums / n - mean[f] * cov[g, h] - mean[g] * cov[f, h] - mean[h] * cov[f, g] - mean[f] * mean[g] * mean[h]
        product = cov[f, g] * cov[f, h] * cov[g, h]
        usable = product > 0
        if not usable.any():
            raise NotIdentifiedError(
                "the class balance cannot be estimated: no three sources agree in a way that fits any balance. "
                "Give it (class_balance=; --class-balance) or some gold labels."
            )
        s = np.median(third[usable] / np.sqrt(product[usable]))
        second = np.clip((1 - s / np.sqrt(s**2 + 4)) / 2, _SMALLEST, 1 - _SMALLEST)
        return np.array([1 - second, second])


def balance_from_shares(moments: Moments, known: list[tuple[int, int]]) -> Floats:
    """Class balance of the symmetric model, from the shares of votes and the accuracies of the sources."""
    K = len(moments.classes)
    problem = Problem.of(moments, np.full(K, 1 / K), True, known)
    b, _ = aggregate_triplets(problem.b, problem.allowed, limit=problem.limit)
    usable = np.isfinite(b)
    if not usable.any():
        raise NotIdentifiedError(
            f"the class balance cannot be estimated: no triplet of sources is usable{problem.one_sided_hint()}. Give "
            "it (class_balance=; --class-balance) or some gold labels."
        )
    b, n = b[usable], moments.coverage[usable]
    shares = moments.single[usable] / n[:, None]
    found = ((n * b)[:, None] * (shares - (1 - b)[:, None] / K)).sum(axis=0) / (n * b**2).sum()
    found = np.maximum(found, _SMALLEST / K)
    return found / found.sum()
