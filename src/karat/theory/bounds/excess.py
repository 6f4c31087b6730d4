r"""Theorems 2 to 4 and Proposition 1, as functions.

They hold for the excess error of the paper's form of the posterior, in which B_I is the sum of I(l_i; l_j | Y). The
normalised posterior does better by KL(P(l) || est(l)), so upper bounds hold for it too; the lower bounds do not.
The constants are valid and very loose: `karat.theory.asymptotics` has the exact limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt

import numpy as np

from karat.errors import InputError
from karat.theory.asymptotics import asymptotics
from karat.theory.ising import Ising
from karat.theory.lemmas import noise_factor


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
        Largest limit of a triplet estimate, the paper's a-bar max.
    b_min : float
        Smallest E[l_i l_j].
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
        """Summary of a model whose edges are disjoint and whose parameters are positive, as the theorems assume."""
        if isinstance(model, Summary):
            return model
        if any(len(component) > 2 for component in model.components):
            raise InputError("the paper's bounds are for sources with at most one edge each; this model has more.")
        epsilons = list(model.epsilons.values())
        off = model.pair_moments[~np.eye(model.m, dtype=bool)]
        if model.m < 3 or (model.a <= 0).any() or (off <= 0).any() or any(epsilon < 0 for epsilon in epsilons):
            raise InputError(
                "the paper's bounds are for three or more sources with positive accuracies and agreements."
            )
        return cls(
            model.m,
            len(epsilons),
            float(model.a.min()),
            float(model.a.max()),
            float(asymptotics(model, "mean").limit.max()),
            float(off.min()),
            min(epsilons, default=0.0),
            max(epsilons, default=0.0),
            model.inference_bias,
        )


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
    rest = 1 - (s.limit_max if limit_max is None else limit_max) ** 2
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
        if not value >= 1:
            raise InputError(f"{name} must be at least 1, not {value!r}.")


def labeled_bound(model: Ising | Summary, n_labeled: int) -> Bound:
    """Theorem 2: excess error with gold is at most m / (2 n) + B_I, to order 1/n."""
    check_n(n_labeled=n_labeled)
    s = Summary.of(model)
    return Bound({"sampling": s.m / (2 * n_labeled), "inference_bias": s.inference_bias})


def unlabeled_bound(model: Ising | Summary, n_unlabeled: int, recovered: int = 0) -> Bound:
    """Theorem 3: excess error of random triplets; with `recovered` edges known, the paper's partial recovery.

    Known pairs are kept out of triplets, so d / m becomes (d - d') / (m - 2 d').
    """
    check_n(n_unlabeled=n_unlabeled)
    s, c = Summary.of(model), constants(model)
    if not 0 <= recovered <= s.d or s.m <= 2 * recovered:
        raise InputError(
            f"recovered must be between 0 and {s.d} and less than half of {s.m} sources, not {recovered!r}."
        )
    rate = (s.d - recovered) / (s.m - 2 * recovered)
    epsilon = s.epsilon_max if rate else 0.0
    return Bound(
        {
            "standing_bias": epsilon * c.c1 * rate,
            "bias_and_noise": epsilon * c.c2 / sqrt(n_unlabeled),
            "bias_and_variance": epsilon * c.c3 * rate / n_unlabeled,
            "sampling": c.c4 * s.m / n_unlabeled,
            "inference_bias": s.inference_bias,
        }
    )


@dataclass(frozen=True)
class Correction:
    """Proposition 1: when the median removes the standing bias.

    Parameters
    ----------
    enough_sources : bool
        m > 5.
    few_dependencies : bool
        d < (m - 1) (m - 2) / 4.
    triplets : int
        Triplets of each source.
    consistent_in_edge, consistent_elsewhere : int
        How many of them are right in the limit, for a source in an edge and for one in none.
    n_0 : float
        Points from which on noise does not change the order of the triplets; 1 without edges.
    c_rho : float
        The excess error is at most c_rho m rho + B_I, with rho the largest mean square error of an accuracy.
    """

    enough_sources: bool
    few_dependencies: bool
    triplets: int
    consistent_in_edge: int
    consistent_elsewhere: int
    n_0: float
    c_rho: float

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


def corrected_bound(model: Ising | Summary, rho: float) -> Bound:
    """Proposition 1: excess error of the median, from the largest mean square error `rho` of an accuracy."""
    s, found = Summary.of(model), correction(model)
    if not found.holds:
        raise InputError(
            f"the median is not known to be consistent with m = {s.m} and d = {s.d}: m > 5 and d < (m - 1)(m - 2) / 4 "
            f"= {(s.m - 1) * (s.m - 2) / 4:g} are needed."
        )
    return Bound({"sampling": found.c_rho * s.m * rho, "inference_bias": s.inference_bias})


def lower_bound(model: Ising | Summary, weight: float = 1.0) -> Bound:
    """Theorem 4: the excess error that random triplets keep for ever; with weight alpha on them, the corollary.

    For the paper's form of the posterior. `weight` is that of the unlabeled estimate in a linear combination with gold.
    The proof's equality eq:lower_bound_est_err holds for the mean of triplets; random ones have more by Jensen's
    inequality, so that the bound holds for both: `karat.theory.estimation.estimation_error` has the exact limits.
    """
    check_weight(weight)
    s = Summary.of(model)
    top = (s.m - 2 * s.d) * s.d**2 * s.epsilon_min**2 * s.b_min**4
    standing = weight**2 * top / (2 * (s.m - 1) ** 2 * (s.m - 2) ** 2)
    return Bound({"standing_bias": standing, "inference_bias": s.inference_bias})


def check_weight(weight: float) -> None:
    """Refuse a weight outside [0, 1]."""
    if not 0 <= weight <= 1:
        raise InputError(f"a weight must be between 0 and 1, not {weight!r}.")
