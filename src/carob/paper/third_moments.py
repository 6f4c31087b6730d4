r"""Class balance of two classes from third moments.

For three 0/1 features that are independent given the class,

    E[(f - Ef)(g - Eg)(h - Eh)] = pi (1 - pi) (1 - 2 pi) D_f D_g D_h,

with pi = P(Y = 1); over the root of the three covariances that is s = (1 - 2 pi) / sqrt(pi (1 - pi)), whatever the D.
So 1 - 2 pi = s / sqrt(s^2 + 4). The median of s over triples of features is taken, as for accuracies.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from carob._types import Floats, Ints, Places
from carob.count.moments import Moments
from carob.count.statistics import TripleSums
from carob.errors import NotIdentifiedError

TRIPLES = 400  # the strongest are enough, and third moments of all would be many


def strongest_triples(strength: Floats) -> Places:
    """Triples of features with the largest products, shape (T, 3).

    `strength`, shape (f, f): size of the covariance of every pair that may be used, 0 elsewhere.
    """
    strongest = np.argsort(-strength.sum(axis=0), kind="stable")[:40]  # among which triples are looked for
    found = np.array(list(combinations(np.sort(strongest), 3)), dtype=np.intp).reshape(-1, 3)
    f, g, h = found.T
    size = strength[f, g] * strength[f, h] * strength[g, h]
    return found[np.argsort(-size, kind="stable")[: min(TRIPLES, int((size > 0).sum()))]]


def signed_covariances(moments: Moments, feature: Places, sign: Ints) -> Floats:
    """Covariances of outputs that count -1 or 1 where they are given, shape (f, f)."""
    n = moments.n
    p = moments.counts[feature] / n
    pairs = moments.pairs[np.ix_(feature, feature)]
    return (pairs / n - np.outer(p, p)) * np.outer(sign, sign)


def balance_from_triples(moments: Moments, triples: TripleSums, sums: Ints) -> Floats:
    """Class balance from the moments of some points and the sums over the same points."""
    n = moments.n
    mean = triples.sign * moments.counts[triples.feature] / n
    cov = signed_covariances(moments, triples.feature, triples.sign)
    f, g, h = triples.triples.T
    third = sums / n - mean[f] * cov[g, h] - mean[g] * cov[f, h] - mean[h] * cov[f, g] - mean[f] * mean[g] * mean[h]
    product = cov[f, g] * cov[f, h] * cov[g, h]
    usable = product > 0
    if not usable.any():
        raise NotIdentifiedError(
            "the class balance cannot be estimated: no three sources agree in a way that fits any balance. "
            "Give it (class_balance=; --class-balance) or some gold labels."
        )
    s = np.median(third[usable] / np.sqrt(product[usable]))
    second = np.clip((1 - s / np.sqrt(s**2 + 4)) / 2, 1 / n, 1 - 1 / n)  # a point at least is of either class
    return np.array([1 - second, second])
