"""Bounds of the linear combination ``alpha unlabeled + (1 - alpha) labeled``, and the weight that minimises each.

Also the data value ratio in closed form, from these bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from carob._types import Floats
from carob.errors import InputError, a_number, of_kind
from carob.paper.theory.bounds.excess import (
    Bound,
    Summary,
    check_n,
    check_weight,
    checked_correction,
    constants,
    lower_bound,
)
from carob.paper.theory.canonical import LARGEST, signs
from carob.paper.theory.estimation import estimation_error
from carob.paper.theory.ising import Ising


@dataclass(frozen=True)
class CombinedBound:
    """Estimation error of a combination, at most, as a polynomial in the weight alpha on the unlabeled estimate.

    Parameters
    ----------
    terms : dict
        Named polynomials: coefficients from the constant on.
    """

    terms: dict[str, tuple[float, ...]]

    def at(self, weight: float) -> Bound:
        """The bound with this weight."""
        check_weight(weight)
        return Bound({name: float(np.polyval(part[::-1], weight)) for name, part in self.terms.items()})

    @property
    def best_weight(self) -> float:
        """The weight in [0, 1] that makes the bound smallest."""
        whole = np.zeros(4)
        for part in self.terms.values():
            whole[: len(part)] += part
        roots = np.roots(np.polyder(whole[::-1]))
        inside = [float(root.real) for root in roots if abs(root.imag) < 1e-12 and 0 < root.real < 1]
        return min([0.0, 1.0, *inside], key=lambda weight: float(np.polyval(whole[::-1], weight)))

    @property
    def best(self) -> Bound:
        """The bound with the best weight."""
        return self.at(self.best_weight)


def _labeled(s: Summary, n_labeled: int) -> tuple[float, ...]:
    """(1 - alpha)^2 m / (2 n_L)."""
    size = s.m / (2 * n_labeled)
    return (size, -2 * size, size)


def well_specified_combination(model: Ising | Summary, n_unlabeled: int, n_labeled: int) -> CombinedBound:
    """Without dependencies: alpha^2 c4 m / n_U + (1 - alpha)^2 m / (2 n_L)."""
    check_n(n_unlabeled=n_unlabeled, n_labeled=n_labeled)
    s = _well_specified(model)
    return CombinedBound(
        {
            "unlabeled": (0.0, 0.0, constants(s).c4 * s.m / n_unlabeled),
            "labeled": _labeled(s, n_labeled),
            "inference_bias": (s.inference_bias,),
        }
    )


def misspecified_combination(model: Ising | Summary, n_unlabeled: int, n_labeled: int) -> CombinedBound:
    """With dependencies and no correction: a cubic in alpha.

    The paper's primed constants are those of Theorem 3 with the limit replaced by the combination's, which lies between
    the limit and the truth; so the larger of the two takes the place of a-bar max.
    """
    check_n(n_unlabeled=n_unlabeled, n_labeled=n_labeled)
    s = Summary.of(model)
    c = constants(s, max(s.limit_max, s.a_max))
    e, rate = s.epsilon_max, s.d / s.m
    both = e * c.c5 * rate / n_labeled  # alpha (1 - alpha)^2
    return CombinedBound(
        {
            "standing_bias": (0.0, e * c.c1 * rate),
            "bias_and_noise": (0.0, 0.0, e * c.c2 / sqrt(n_unlabeled)),
            "bias_and_variance": (0.0, 0.0, 0.0, e * c.c3 * rate / n_unlabeled),
            "bias_and_labels": (0.0, both, -2 * both, both),
            "unlabeled": (0.0, 0.0, c.c4 * s.m / n_unlabeled),
            "labeled": _labeled(s, n_labeled),
            "inference_bias": (s.inference_bias,),
        }
    )


def corrected_combination(
    model: Ising | Summary, rho: float, n_labeled: int, n_unlabeled: int | None = None
) -> CombinedBound:
    """With the median: alpha^2 c_rho m rho + (1 - alpha)^2 m / (2 n_L), under Proposition 1's conditions.

    Parameters
    ----------
    n_unlabeled : int, optional
        The points behind `rho`, as in `corrected_bound`.
    """
    check_n(n_labeled=n_labeled)
    s = Summary.of(model)
    return CombinedBound(
        {
            "unlabeled": (0.0, 0.0, checked_correction(s, n_unlabeled).c_rho * s.m * a_number("rho", rho)),
            "labeled": _labeled(s, n_labeled),
            "inference_bias": (s.inference_bias,),
        }
    )


def value_ratio_well_specified(model: Ising | Summary) -> float:
    """Section 5.1: without dependencies a gold label is worth 2 c4 unlabeled points, however many there are."""
    return 2 * constants(_well_specified(model)).c4


def _well_specified(model: Ising | Summary) -> Summary:
    """The model's summary, refused where it has edges."""
    s = Summary.of(model)
    if s.d:
        raise InputError(f"this bound is for sources without dependencies; the model has {s.d}.")
    return s


def value_ratio_misspecified(model: Ising | Summary, n_unlabeled: int) -> float:
    """Section 5.1: 2 eps (c1 d n / m^2 + c2 sqrt(n) / m + c3 d / m^2) + 2 c4.

    From m / (2 n_L) = B_est + c4 m / n_U. The text has c1 d n / m: a slip, the other terms keep their factor 1 / m.
    """
    check_n(n_unlabeled=n_unlabeled)
    s, c = Summary.of(model), constants(model)
    standing = c.c1 * s.d * n_unlabeled / s.m**2 + c.c2 * sqrt(n_unlabeled) / s.m + c.c3 * s.d / s.m**2
    return 2 * s.epsilon_max * standing + 2 * c.c4


def value_ratio_corrected(model: Ising | Summary, n_unlabeled: int, rho: float) -> float:
    """Section 5.1: 2 n c_rho rho, with rho the largest mean square error of the median at n points.

    Under Proposition 1's conditions; warns where there are fewer than its n_0 points.
    """
    check_n(n_unlabeled=n_unlabeled)
    return 2 * n_unlabeled * checked_correction(Summary.of(model), n_unlabeled).c_rho * a_number("rho", rho)


def value_ratio_exact(model: Ising, n_unlabeled: int, learner: Literal["median", "mean", "random"] = "random") -> float:
    """The ratio with the exact estimation error of triplets, to order 1/n, in place of a bound.

    >>> truth = Ising.from_means([0.7, 0.8, 0.75, 0.65])
    >>> round(value_ratio_exact(truth, 1_000), 2), round(value_ratio_exact(truth, 1_000, "mean"), 2)
    (5.51, 3.34)
    """
    of_kind("model", model, Ising)
    check_n(n_unlabeled=n_unlabeled)
    return float(2 * n_unlabeled / model.m * estimation_error(model, learner, n_unlabeled).sum())


def value_ratio_lower(model: Ising, n_unlabeled: int) -> float:
    """What no uncorrected triplets can beat: the ratio from the lower bounds, as appendix B.3 sketches it.

    With dependencies, Theorem 4's standing bias alone. Noise cannot be added to it: the bound of Cramer and Rao is for
    unbiased estimates from independent sources, and triplets under edges are neither (bias can buy a smaller variance).

    Without dependencies, the noise that every estimate from votes has by that bound, to order 1/n, in place of the
    lower bound that the paper cites without stating it. At few points an estimate that is cut to the
    range of accuracies can do better of a source so weak, or so good, that the noise reaches the ends of that range:
    sources count whose standard error by the bound is at most a third of the way to 0 and to 1. With more than 20
    sources the information in votes is not listed, and that with gold, which is more, takes its place. Gold's
    m / (2 n_L) is exact.
    """
    check_n(n_unlabeled=n_unlabeled)
    s = Summary.of(model)
    if s.d:
        return 2 * n_unlabeled / s.m * lower_bound(s).terms["standing_bias"]
    of_kind("model", model, Ising)
    gold = 1 - model.a**2
    variance = np.diagonal(np.linalg.inv(vote_information(model))) if s.m <= LARGEST else gold
    # With two standard errors to the ends of the range, one of 4,000 simulated cases is below the bound; with 3 none.
    sure = np.sqrt(variance / n_unlabeled) <= np.minimum(model.a, 1 - model.a) / 3
    return float((sure * variance / gold).sum() / s.m)


def vote_information(model: Ising) -> Floats:
    """Fisher information about the accuracies E[l_i Y] in the votes on one point, without its class, shape (m, m).

    Of sources that are independent given the class, with the class balance known.
    """
    of_kind("model", model, Ising)
    if model.m > LARGEST:
        raise InputError(f"the information is enumerated, for at most {LARGEST} sources; there are {model.m}.")
    votes, a = signs(model.m), model.a
    against, for_it = (1 - votes * a) / 2, (1 + votes * a) / 2  # P(l_i | Y = -1) and P(l_i | Y = +1)
    joint = np.stack([against.prod(axis=1), for_it.prod(axis=1)], axis=1) * model.class_balance
    p = joint.sum(axis=1)
    # d log P(l | y) / d a_i = y l_i / (1 + y l_i a_i)
    score = (joint[:, 1:] * (votes / for_it) - joint[:, :1] * (votes / against)) / (2 * p[:, None])
    return score.T @ (score * p[:, None])
