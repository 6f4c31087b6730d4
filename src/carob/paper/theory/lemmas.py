"""The lemmas of the paper's appendices, as functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats
from carob.errors import InputError
from carob.paper.theory.canonical import check_edge, signs
from carob.paper.theory.ising import Ising


@dataclass(frozen=True)
class EdgeEpsilon:
    """The lemma "quantifying per-edge misspecification", term by term; primes are the model without the edge."""

    epsilon: float  # E[l_i l_j] - E[l_i Y] E[l_j Y]
    # delta_i, delta_j: how much the edge changes E[l_i Y] and E[l_j Y]
    delta_i: float
    delta_j: float
    delta_ij: float  # how much it changes E[l_i l_j]
    # a_i, a_j: E'[l_i Y] and E'[l_j Y], without the edge
    a_i: float
    a_j: float


def edge_epsilon(theta_i: float, theta_j: float, theta_ij: float) -> EdgeEpsilon:
    """Misspecification of an edge between two sources without other edges, from canonical parameters.

    >>> round(edge_epsilon(0.3, 0.2, 0.1).epsilon, 6)
    0.086661
    """
    numbers = np.array([theta_i, theta_j, theta_ij], dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise InputError(f"canonical parameters must be finite, not {numbers.tolist()}.")
    s = signs(2)
    z = np.exp(s @ numbers[:2] + theta_ij * s[:, 0] * s[:, 1]).sum()
    z_without = np.exp(s @ numbers[:2]).sum()
    common = 2 / (z * z_without) * (np.exp(theta_ij) - np.exp(-theta_ij))
    delta_i = common * (np.exp(2 * theta_j) - np.exp(-2 * theta_j))
    delta_j = common * (np.exp(2 * theta_i) - np.exp(-2 * theta_i))
    delta_ij = common * sum(np.exp(2 * sign * theta) for theta in (theta_i, theta_j) for sign in (1, -1))
    a_i = 2 / z_without * np.exp(theta_i) * (np.exp(theta_j) + np.exp(-theta_j)) - 1
    a_j = 2 / z_without * np.exp(theta_j) * (np.exp(theta_i) + np.exp(-theta_i)) - 1
    epsilon = delta_ij - delta_i * a_j - delta_j * a_i - delta_i * delta_j
    return EdgeEpsilon(*(float(value) for value in (epsilon, delta_i, delta_j, delta_ij, a_i, a_j)))


def class_conditional_misspecification(truth: Ising, i: int, j: int) -> Floats:
    """Appendix B.1's delta_ij, the counterpart of epsilon for class-conditional triplets, shape (2, 2).

    ``delta[u, v] = sum_y P(y) (P(l_i = u | y) P(l_j = v | y) - P(l_i = u, l_j = v | y))``, u and v being -1 and +1.
    """
    check_edge((i, j), truth.m)
    right = truth.accuracies[[i, j]]
    together = truth.pair_moments[i, j]
    # P(s_i = u, s_j = v), u and v being wrong and right; given y the votes are y s.
    u = np.array([-1.0, 1.0])
    joint = (1 + np.add.outer(u * truth.a[i], u * truth.a[j]) + np.multiply.outer(u, u) * together) / 4
    apart = np.outer([1 - right[0], right[0]], [1 - right[1], right[1]])
    gap = apart - joint
    return truth.class_balance[1] * gap + truth.class_balance[0] * gap[::-1, ::-1]


def class_conditional_bias_bound(truth: Ising) -> float:
    """Appendix B.1's O(d delta / m): the sum over sources of the standing bias of class-conditional triplets, at most.

    Of E|x - a_i|, x being the limit of a random triplet; so of the mean of triplets too. With delta the largest entry
    of all delta_ij, the covariances over pi (1 - pi) are c_ij = a_i a_j + delta / (pi (1 - pi)) in an edge, which takes
    the place of epsilon. By the steps of the lemma "accuracy_bias" a triplet that holds an edge is off by
    delta / (2 pi (1 - pi) c_min^2 a_min^2) at most. A source in an edge has (m - 2) + (d - 1) of these among its
    (m - 1) (m - 2) / 2, any other source d: over all sources, 6 d / (m - 1).

    >>> truth = Ising.from_means([0.9, 0.95, 0.92, 0.9, 0.96], epsilons={(0, 1): 0.02}, class_balance=0.4)
    >>> round(class_conditional_bias_bound(truth), 3)
    0.06
    """
    if any(len(component) > 2 for component in truth.components):
        raise InputError("the bound is for sources with at most one edge each; this model has more.")
    a, pi = truth.a, truth.class_balance
    deltas = [np.abs(class_conditional_misspecification(truth, i, j)).max() for i, j in truth.theta_edges]
    delta = float(max(deltas, default=0.0))
    mu = pi[1] - pi[0]
    c = (truth.pair_moments - mu**2 * np.outer(a, a)) / (1 - mu**2)
    c_min = float(c[~np.eye(truth.m, dtype=bool)].min())
    epsilons = truth.epsilons.values()
    if truth.m < 3 or (a <= 0).any() or c_min <= 0 or any(epsilon < 0 for epsilon in epsilons):
        raise InputError("the bound is for three or more sources with positive accuracies and dependencies.")
    triplet = delta / (2 * pi[0] * pi[1] * c_min**2 * float(a.min()) ** 2)
    return float(6 * len(truth.theta_edges) / (truth.m - 1) * triplet)


@dataclass(frozen=True)
class BiasRange:
    """Between what the limit of a triplet estimate less the true accuracy must lie."""

    low: float
    high: float


def accuracy_bias_range(
    m: int, d: int, epsilon_min: float, epsilon_max: float, b_min: float, a_min: float, in_edge: bool
) -> BiasRange:
    """The lemma "accuracy_bias": range of the standing bias of a source, in an edge or in none."""
    if m < 3:
        raise InputError(f"triplets need three sources at least, not {m}.")
    pairs = (m - 1) * (m - 2)
    if in_edge:
        low = epsilon_min * b_min / (m - 1) - (d - 1) * epsilon_max / (pairs * b_min**2 * a_min**2)
        return BiasRange(low, epsilon_max / ((m - 1) * b_min * a_min))
    return BiasRange(-d * epsilon_max / (pairs * b_min**2 * a_min**2), -d * epsilon_min * b_min**2 / pairs)


def largest_bias(m: int, epsilon_max: float, b_min: float, a_min: float) -> float:
    """The same lemma's bound on the size of the bias of any source."""
    return epsilon_max / ((m - 1) * b_min**2 * a_min**2)


@dataclass(frozen=True)
class SamplingError:
    """Bounds on the mean and the mean square of an estimate less its limit."""

    mean: float
    mean_square: float


def sampling_error(b_min: float, n: int, triplet_variance: float = 0.0) -> SamplingError:
    """The lemma "estimation error of accuracies via triplet method".

    Parameters
    ----------
    triplet_variance : float
        Variance of the limits of a source's triplets, `Asymptotics.triplet_variance`. The paper leaves it out of the
        mean square, which is right without dependencies only: a random triplet stays away from the mean limit.

    Examples
    --------
    >>> sampling_error(0.5, 1000).mean_square
    0.054
    """
    if not 0 < b_min < 1 or n < 1:
        raise InputError(f"b_min must be strictly between 0 and 1 and n positive, not {b_min!r} and {n!r}.")
    square = 3 / (4 * n) * noise_factor(b_min)
    return SamplingError(float(np.sqrt(square)), square + triplet_variance)


def noise_factor(b_min: float) -> float:
    """(1 - b^2) / b^2 (1 / b^4 + 2 / b^2), which all of the paper's variance bounds share."""
    return (1 - b_min**2) / b_min**2 * (1 / b_min**4 + 2 / b_min**2)


def kl_expansion(a: Floats, limit: Floats, mean_error: Floats, mean_square: Floats) -> Floats:
    """The lemma "KL estimation": E KL(P(l_i | Y) || est(l_i | Y)) to order 1/n, for each source.

    Parameters
    ----------
    a : array
        True accuracies E[l_i Y].
    limit : array
        Limits of the estimates, the paper's a-bar.
    mean_error : array
        E[estimate - limit].
    mean_square : array
        E[(estimate - limit)^2]. Of random triplets under dependence it does not vanish with n, and then nor does the
        remainder (lemma:taylor is for d = 0): `carob.paper.theory.estimation` expands about each triplet's own limit.
    """
    right, wrong = (1 + a) / 2, (1 - a) / 2
    for_right = np.log1p((a - limit) / (1 + limit)) - mean_error / (1 + limit) + mean_square / (2 * (1 + limit) ** 2)
    for_wrong = np.log1p((limit - a) / (1 - limit)) + mean_error / (1 - limit) + mean_square / (2 * (1 - limit) ** 2)
    return right * for_right + wrong * for_wrong


def combined_kl_expansion(
    a: Floats,
    limit: Floats,
    weight: float,
    mean_error: Floats,
    unlabeled_mean_square: Floats,
    labeled_mean_square: Floats,
) -> Floats:
    """The same for ``weight unlabeled + (1 - weight) labeled``, with gold's estimate unbiased and independent.

    The combination tends to ``weight limit + (1 - weight) a``, the paper's a-bar C.
    """
    mixed = weight * limit + (1 - weight) * a
    square = weight**2 * unlabeled_mean_square + (1 - weight) ** 2 * labeled_mean_square
    return kl_expansion(a, mixed, weight * mean_error, square)
