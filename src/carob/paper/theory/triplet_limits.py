r"""One triplet at a time: where it goes as n grows, and how noisy it is, from pair moments alone.

Two kinds of triplets are one formula. With w_i = l_i - mu a_i and c_ij = E[w_i w_j], a triplet is

    x = sqrt(c_ij c_ik / (c_jk (1 - mu^2))).

Symmetric triplets have mu = 0, so that c is E[l_i l_j]; class-conditional ones have mu = E[Y], so that c is the
covariance of the votes and x the difference D_i of the two class-conditional probabilities. In the paper's model both
are E[l_i Y] where the sources are independent. Since w_i^2 = 1 - m_i^2 - 2 m_i w_i with m_i = mu a_i, the noise of the
three moments of a triplet needs no more than the first three moments of its sources.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Bools, Floats, Places
from carob.errors import InputError
from carob.paper.theory.canonical import Edge, check_edge, signs
from carob.paper.theory.ising import Ising


@dataclass(frozen=True, eq=False)
class TripletLimits:
    """The T triplets of a source."""

    # first, second: shape (T,): the other two sources, j < k
    first: Places
    second: Places
    limit: Floats  # shape (T,): where the estimate goes
    # shape (3, 3, T): n times the covariance of the relative errors of the moments (i, j), (i, k) and (j, k)
    noise: Floats

    @property
    def variance(self) -> Floats:
        """Variance of the estimate, times n, to first order: x is a product of powers 1/2, 1/2 and -1/2."""
        power = np.array([0.5, 0.5, -0.5])
        return self.limit**2 * np.einsum("p,pqt,q->t", power, self.noise, power)

    @property
    def drift(self) -> Floats:
        """Mean error of a symmetric estimate, times n, to second order.

        sqrt((1 + e) (1 + f) / (1 + g)) has the second-order terms (3 g^2 - e^2 - f^2) / 8 + (e f - e g - f g) / 4.
        """
        (ee, ef, eg), (_, ff, fg), (_, _, gg) = self.noise
        return self.limit * ((3 * gg - ee - ff) / 8 + (ef - eg - fg) / 4)


def allowed_pairs(truth: Ising, known_pairs: tuple[Edge, ...] = ()) -> Bools:
    """Which pairs of sources triplets may hold, shape (m, m): all but the known ones. Refused where none is left."""
    allowed = ~np.eye(truth.m, dtype=bool)
    for pair in known_pairs:
        i, j = check_edge(pair, truth.m)
        allowed[i, j] = allowed[j, i] = False
    if truth.m < 3:
        raise InputError(f"triplets need three sources at least; there are {truth.m}.")
    number = triplet_counts(allowed)
    if (number == 0).any():
        raise InputError(f"source {int(np.argmin(number))} has no triplet without a known pair.")
    return allowed


def triplet_counts(allowed: Bools) -> Floats:
    """How many triplets each source has, shape (m,)."""
    chosen = allowed.astype(np.float64)
    return 0.5 * ((chosen @ chosen) * chosen).sum(axis=1)


def moments_about(truth: Ising, centre: float = 0.0) -> Floats:
    """E[(l_i - centre a_i) (l_j - centre a_j)], shape (m, m), refused unless all are positive."""
    c = truth.pair_moments - centre**2 * np.outer(truth.a, truth.a)
    if (c <= 0).any():
        raise InputError("asymptotics of triplets need sources that all agree more often than not.")
    return c


def mean_limits(truth: Ising, centre: float = 0.0, allowed: Bools | None = None) -> Floats:
    """Mean over its triplets of where each goes, shape (m,): the paper's a-bar.

    >>> truth = Ising.from_means([0.7, 0.6, 0.8, 0.65], agreements={(0, 1): 0.64})
    >>> mean_limits(truth).round(3)
    array([0.632, 0.316, 0.507, 0.253])
    """
    if allowed is None:
        allowed = allowed_pairs(truth)
    root = np.sqrt(moments_about(truth, centre))
    # sum over j, k of root_ij root_ik / root_jk: a quadratic form per source.
    total = ((root * allowed) @ (allowed / root) * (root * allowed)).sum(axis=1) / 2
    return np.asarray(total / triplet_counts(allowed) / np.sqrt(1 - centre**2))


def triplet_limits(
    truth: Ising, i: int, centre: float = 0.0, allowed: Bools | None = None, noise: bool = True
) -> TripletLimits:
    """Limits of all triplets of source i, and, unless it is not wanted, the noise of their moments."""
    if allowed is None:
        allowed = allowed_pairs(truth)
    c, a, b = moments_about(truth, centre), truth.a, truth.pair_moments
    others = np.flatnonzero(allowed[i])
    first, second = (others[place] for place in np.triu_indices(len(others), 1))
    keep = allowed[first, second]
    j, k = first[keep], second[keep]
    ij, ik, jk = c[i, j], c[i, k], c[j, k]
    limit = np.sqrt(ij * ik / jk / (1 - centre**2))
    if not noise:
        return TripletLimits(j, k, limit, np.empty((3, 3, 0)))
    m_i, m_j, m_k = centre * a[i], centre * a[j], centre * a[k]
    # E[w_i w_j w_k], where E[l_i l_j l_k] = E[Y] E[s_i s_j s_k].
    third = (
        centre * _third_moments(truth, i)[j, k] - m_i * b[j, k] - m_j * b[i, k] - m_k * b[i, j] + 2 * m_i * m_j * m_k
    )
    found = np.empty((3, 3, len(j)))
    for place, (c_pq, m_p, m_q) in enumerate(((ij, m_i, m_j), (ik, m_i, m_k), (jk, m_j, m_k))):
        found[place, place] = ((1 - m_p**2) * (1 - m_q**2) + 4 * m_p * m_q * c_pq) / c_pq**2 - 1
    # Two moments share a source p: E[w_p^2 w_q w_r] = (1 - m_p^2) c_qr - 2 m_p E[w_i w_j w_k].
    shared = (((0, 1), m_i, jk, ij, ik), ((0, 2), m_j, ik, ij, jk), ((1, 2), m_k, ij, ik, jk))
    for (x, y), m_p, rest, left, right in shared:
        found[x, y] = found[y, x] = ((1 - m_p**2) * rest - 2 * m_p * third) / (left * right) - 1
    return TripletLimits(j, k, limit, found)


def _third_moments(truth: Ising, i: int) -> Floats:
    """E[s_i s_j s_k] of source i with all others, shape (m, m): sources of different components are independent."""
    a, b = truth.a, truth.pair_moments
    place = next(c for c, component in enumerate(truth.components) if i in component)
    component = list(truth.components[place])
    result = a[i] * b
    result[component] = np.outer(b[i, component], a)
    result[:, component] = result[component].T
    s = signs(len(component))
    with_i = s * (s[:, component.index(i)] * truth.component_probabilities[place])[:, None]
    result[np.ix_(component, component)] = s.T @ with_i
    return result
