r"""Theorems 2 to 4 and Proposition 1, as functions.

They hold for the excess error of the paper's form of the posterior, in which B_I is the sum of I(l_i; l_j | Y). The
normalised posterior does better by KL(P(l) || est(l)), so upper bounds hold for it too; the lower bounds do not.
The constants are valid and very loose: `carob.paper.theory.asymptotics` has the exact limits.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import comb, sqrt

import numpy as np

from carob.errors import InputError, a_number, a_whole_number, of_kind
from carob.paper.theory.ising import Ising
from carob.paper.theory.lemmas import noise_factor


@dataclass(frozen=True)
class Summary:
    """The numbers of a model that the bounds depend on.

    Parameters
    ----------
    m, d : int
        Sources, and edges between them.
    a_min, a_max : float
        Smallest and largest E[l_i Y].
    limit_max : float
        Largest limit of a triplet: the paper's a-bar max, read as a maximum over i, j and k. Read as one over sources
        of the mean limit it would not do for Theorem 3, since a random triplet stays with its own limit.
    b_min : float
        Smallest E[l_i l_j]. The paper's is the smallest of the estimates too, which are not known before the sample.
    epsilon_min, epsilon_max : float
        Smallest and largest misspecification of an edge; 0 without edges.
    inference_bias : float
        B_I.
    """

    m: int
    d: int
    a_min: float
    a_max: float
    limit_max: float
    b_min: float
    epsilon_min: float
    epsilon_max: float
    inference_bias: float

    @classmethod
    def of(cls, model: Ising | Summary) -> Summary:
        """Summary of a model with disjoint edges and positive canonical parameters, as all theorems assume.

        Then every limit of a triplet is below 1: for an edge (i, j), a_j - a_i b_ij is the covariance of s_i and
        s_i s_j, which theta_j > 0 couples. Needs pair moments only, so that there may be any number of sources.
        """
        if isinstance(model, Summary):
            return model
        of_kind("model", model, Ising)
        if any(len(component) > 2 for component in model.components):
            raise InputError("the paper's bounds are for sources with at most one edge each; this model has more.")
        epsilons = list(model.epsilons.values())
        off = model.pair_moments[~np.eye(model.m, dtype=bool)]
        if model.m < 3 or (model.a <= 0).any() or (off <= 0).any() or any(epsilon < 0 for epsilon in epsilons):
            raise InputError(
                "the paper's bounds are for three or more sources with positive accuracies and agreements."
            )
        if (model.theta < 0).any():
            i = int(np.argmin(model.theta))
            raise InputError(
                f"the paper's bounds are for canonical parameters that are positive; theta of source {i} is "
                f"{model.theta[i]:.3g}: it is right more often than not only because it follows another source."
            )
        return cls(
            model.m,
            len(epsilons),
            float(model.a.min()),
            float(model.a.max()),
            _largest_limit(model),
            float(off.min()),
            min(epsilons, default=0.0),
            max(epsilons, default=0.0),
            model.inference_bias,
        )


def _largest_limit(model: Ising) -> float:
    """The largest limit of a triplet: a_i of independent sources, and sqrt(b_ij a_i / a_j) with the edge (i, j).

    An edge between the other two makes it smaller.
    """
    a, b = model.a, model.pair_moments
    with_edge = [b[i, j] * max(a[i] / a[j], a[j] / a[i]) for i, j in model.theta_edges]
    return max(float(a.max()), sqrt(max(with_edge, default=0.0)))


@dataclass(frozen=True)
class Bound:
    """A bound as the sum of its named terms, in nats."""

    terms: dict[str, float]

    @property
    def total(self) -> float:
        """The bound."""
        return sum(self.terms.values())


@dataclass(frozen=True)
class Constants:
    """The constants of Theorem 3, and c5 of the combined estimator's bound."""

    c1: float
    c2: float
    c3: float
    c4: float
    c5: float


def constants(model: Ising | Summary, limit_max: float | None = None) -> Constants:
    """c1 to c4 of Theorem 3; c5 by the same steps for the combined estimator, where the paper leaves it open.

    Parameters
    ----------
    limit_max : float, optional
        In place of the model's largest limit.
    """
    s = Summary.of(model)
    limit = s.limit_max if limit_max is None else a_number("limit_max", limit_max)
    if not limit < 1:
        raise InputError(f"the constants of Theorem 3 need triplets that tend to less than 1, not to {limit:.4g}.")
    rest = 1 - limit**2
    b2, a2, noise = s.b_min**2, s.a_min**2, noise_factor(s.b_min)
    return Constants(
        c1=2 / (b2 * a2) * (1 + 1 / (rest * b2 * a2)),
        c2=sqrt(3 * noise) / (rest * b2 * a2),
        c3=3 * noise / (rest**2 * b2 * a2),
        c4=3 * noise / (8 * rest),
        c5=4 / (rest**2 * b2 * a2),
    )


def check_n(**numbers: float) -> None:
    """Refuse numbers of points below one."""
    for name, value in numbers.items():
        if not a_number(name, value) >= 1:
            raise InputError(f"{name} must be at least 1, not {value!r}.")


def labeled_bound(model: Ising | Summary, n_labeled: int) -> Bound:
    """Theorem 2: excess error with gold is at most m / (2 n) + B_I, to order 1/n."""
    check_n(n_labeled=n_labeled)
    s = Summary.of(model)
    return Bound({"sampling": s.m / (2 * n_labeled), "inference_bias": s.inference_bias})


def estimation_bias(model: Ising | Summary, n_unlabeled: int, recovered: int = 0) -> Bound:
    """B_est of Theorem 3, what dependencies add to the estimation error of random triplets at most.

    eps (c1 d / m + c2 / sqrt(n) + c3 d / (m n)). Known pairs are kept out of triplets (the paper's partial recovery),
    so that with `recovered` edges known d / m becomes (d - d') / (m - 2 d'); with all of them known nothing is left.

    >>> truth = Ising.from_means([0.95, 0.97, 0.96, 0.98, 0.97, 0.96], epsilons={(0, 1): 0.01, (2, 3): 0.01})
    >>> [round(estimation_bias(truth, 10_000, recovered).total, 3) for recovered in (0, 1, 2)]
    [0.338, 0.255, 0.0]
    """
    check_n(n_unlabeled=n_unlabeled)
    s = Summary.of(model)
    if not 0 <= a_whole_number("recovered", recovered) <= s.d:
        raise InputError(f"recovered must be between 0 and {s.d}, not {recovered!r}.")
    # Of a source in a known pair, triplets of the others without the other known pairs.
    if recovered and comb(s.m - 2, 2) < recovered:
        raise InputError(
            f"with {recovered} known pairs of {s.m} sources no triplet is left for a source in one of them."
        )
    if recovered == s.d:
        return Bound(dict.fromkeys(("standing_bias", "bias_and_noise", "bias_and_variance"), 0.0))
    c, rate = constants(s), (s.d - recovered) / (s.m - 2 * recovered)
    return Bound(
        {
            "standing_bias": s.epsilon_max * c.c1 * rate,
            "bias_and_noise": s.epsilon_max * c.c2 / sqrt(n_unlabeled),
            "bias_and_variance": s.epsilon_max * c.c3 * rate / n_unlabeled,
        }
    )


def unlabeled_bound(model: Ising | Summary, n_unlabeled: int, recovered: int = 0) -> Bound:
    """Theorem 3: excess error of random triplets; with `recovered` edges known, as in `estimation_bias`.

    The proof takes the noise of a random triplet about the mean limit to vanish with n, which is so without
    dependencies only (see `carob.paper.theory.estimation`). The theorem holds all the same: about each triplet's own
    limit, the sum over sources of the mean of ``|abar_jk - a|`` is at most 3 eps d / ((m - 1) b^2 a^2), each of these
    at most eps / (2 b^2 a^2), and a divergence at most the square over 1 - abar_jk^2. All constants have room for that
    where a-bar max is a maximum over triplets.
    """
    s = Summary.of(model)
    bias = estimation_bias(s, n_unlabeled, recovered)
    return Bound(bias.terms | {"sampling": constants(s).c4 * s.m / n_unlabeled, "inference_bias": s.inference_bias})


@dataclass(frozen=True)
class Correction:
    """Proposition 1: when the median removes the standing bias."""

    enough_sources: bool  # m > 5
    few_dependencies: bool  # d < (m - 1) (m - 2) / 4
    triplets: int  # triplets of each source
    # consistent_in_edge, consistent_elsewhere: how many of them are right in the limit, for a source in an edge
    # and for one in none
    consistent_in_edge: int
    consistent_elsewhere: int
    n_0: float  # points from which on noise does not change the order of the triplets; 1 without edges
    c_rho: float  # the excess error is at most c_rho m rho + B_I, with rho the largest mean square error of an accuracy

    @property
    def holds(self) -> bool:
        """Whether the median is consistent."""
        return self.enough_sources and self.few_dependencies


def correction(model: Ising | Summary) -> Correction:
    """Proposition 1's conditions and constants.

    The text counts C(m-1, 2) - m - d - 3 consistent triplets, a slip of sign: m - 2 triplets hold the source's own edge
    and d - 1 another, which leaves C(m-1, 2) - (m - 2) - (d - 1). n_0 is where the sampling-error lemma brings the
    expected noise of a triplet to half of the smallest standing bias, epsilon_min b_min^2 / 2.
    """
    s = Summary.of(model)
    triplets = comb(s.m - 1, 2)
    n_0 = 12 * noise_factor(s.b_min) / (s.epsilon_min**2 * s.b_min**4) if s.epsilon_min > 0 else 1.0
    return Correction(
        s.m > 5,
        s.d < (s.m - 1) * (s.m - 2) / 4,
        triplets,
        triplets - (s.m - 2) - (s.d - 1) if s.d else triplets,
        triplets - s.d,
        n_0,
        1 / (2 * (1 - s.a_max**2)),
    )


def corrected_bound(model: Ising | Summary, rho: float, n_unlabeled: int | None = None) -> Bound:
    """Proposition 1: excess error of the median, from the largest mean square error `rho` of an accuracy.

    Parameters
    ----------
    n_unlabeled : int, optional
        The points behind `rho`. Warns where there are fewer than n_0, from which on the bound is proven.
    """
    s = Summary.of(model)
    found = checked_correction(s, n_unlabeled)
    return Bound({"sampling": found.c_rho * s.m * a_number("rho", rho), "inference_bias": s.inference_bias})


def checked_correction(s: Summary, n_unlabeled: int | None) -> Correction:
    """Proposition 1, refused where its conditions on m and d fail; warns below n_0 points."""
    found = correction(s)
    if not found.holds:
        raise InputError(
            f"the median is not known to be consistent with m = {s.m} and d = {s.d}: m > 5 and d < (m - 1)(m - 2) / 4 "
            f"= {(s.m - 1) * (s.m - 2) / 4:g} are needed."
        )
    if n_unlabeled is not None:
        check_n(n_unlabeled=n_unlabeled)
        if n_unlabeled < found.n_0:
            warnings.warn(
                f"Proposition 1 is proven from n_0 = {found.n_0:,.0f} points on; with {n_unlabeled:,} noise may still "
                "bring wrong triplets to the middle.",
                UserWarning,
                stacklevel=3,
            )
    return found


def lower_bound(model: Ising | Summary, weight: float = 1.0) -> Bound:
    """Theorem 4: the excess error that random triplets keep for ever; with weight alpha on them, the corollary.

    For the paper's form of the posterior. `weight` is that of the unlabeled estimate in a linear combination with gold.
    The proof's equality eq:lower_bound_est_err holds for the mean of triplets; random ones have more by Jensen's
    inequality, so that the bound holds for both: `carob.paper.theory.estimation.estimation_error` has the exact limits.
    """
    check_weight(weight)
    s = Summary.of(model)
    top = (s.m - 2 * s.d) * s.d**2 * s.epsilon_min**2 * s.b_min**4
    standing = weight**2 * top / (2 * (s.m - 1) ** 2 * (s.m - 2) ** 2)
    return Bound({"standing_bias": standing, "inference_bias": s.inference_bias})


def check_weight(weight: float) -> None:
    """Refuse a weight outside [0, 1]."""
    if not 0 <= a_number("weight", weight) <= 1:
        raise InputError(f"a weight must be between 0 and 1, not {weight!r}.")
