r"""How many gold labels do as well as unlabeled points: f and V of the paper.

With R_L(n) the risk of the labeled estimator of n gold labels and R_U(n_U) that of the unlabeled one,

    f(n_U) = min {n : R_L(n) <= R_U(n_U)},    V(n_U) = n_U / f(n_U).

Approximations of V from the paper's bounds are in `carob.paper.bounds`: `value_ratio_well_specified` and others.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from carob._types import Floats
from carob.errors import InputError, a_number, one_of

SMALLEST = 5  # gold labels; f is not looked for below
Convention = Literal["interpolated", "definition", "figures"]


def equivalent_labels(
    n_labeled: npt.ArrayLike, labeled_risk: npt.ArrayLike, risk: float, convention: Convention = "interpolated"
) -> float:
    """f: the number of gold labels that do as well as something of this risk.

    Parameters
    ----------
    n_labeled : array, shape (g,)
        Numbers of gold labels, increasing.
    labeled_risk : array, shape (g,)
        R_L at each; made non-increasing in n before it is inverted, as in the paper.
    risk : float
        What is to be matched, such as R_U(n_U).
    convention : {"interpolated", "definition", "figures"}
        Between two grid points R_L is taken to be linear in 1/n; or f is the first grid point that does as well; or, as
        in the paper's figures, the grid point before that one.

    Returns
    -------
    float
        ``inf`` where no number of gold labels does as well, NaN where a risk is not known, and the smallest n of the
        grid where already that does as well: f is then at most that.

    Examples
    --------
    >>> n, risk = [10, 20, 40], [0.8, 0.6, 0.5]
    >>> [equivalent_labels(n, risk, 0.55, how) for how in ("definition", "figures")]
    [40.0, 20.0]
    >>> round(equivalent_labels(n, risk, 0.55), 2), equivalent_labels(n, risk, 0.4)
    (26.67, inf)
    """
    one_of("convention", convention, get_args(Convention))
    try:
        n, curve = np.asarray(n_labeled, dtype=np.float64), np.asarray(labeled_risk, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError("a learning curve is two arrays of numbers: n_labeled and labeled_risk.") from None
    risk = a_number("risk", risk)
    if n.shape != curve.shape or n.ndim != 1 or len(n) == 0 or not (np.diff(n) > 0).all() or n[0] <= 0:
        raise InputError("a learning curve is a risk for each of some increasing numbers of gold labels.")
    if np.isnan(risk) or np.isnan(curve).any():
        return float("nan")
    curve = np.minimum.accumulate(curve)
    if curve[-1] > risk:
        return float("inf")
    first = int(np.argmax(curve <= risk))
    if first == 0 or convention == "definition":
        return float(n[first])
    if convention == "figures":
        return float(n[first - 1])
    before, after = curve[first - 1], curve[first]
    share = (before - risk) / (before - after)
    return float(1 / (1 / n[first - 1] + share * (1 / n[first] - 1 / n[first - 1])))


def data_value_ratio(n_unlabeled: float, labels: Floats | float) -> Floats | float:
    """V: how many unlabeled points do as well as one gold label; 0 where no number of labels does as well.

    >>> data_value_ratio(40_000, 42)
    952.3809523809524
    """
    if not isinstance(labels, np.ndarray):
        labels = a_number("labels", labels)
    points = a_number("n_unlabeled", n_unlabeled)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats | float = np.divide(points, labels)
    return found if isinstance(labels, np.ndarray) else float(found)
