"""The paper's synthetic distribution."""

from __future__ import annotations

from typing import Literal

import numpy as np

from carob.errors import InputError
from carob.paper.theory.canonical import agreement_range
from carob.paper.theory.ising import Ising

# The paper's table of ten accuracies: the first ten draws of NumPy's legacy generator, uniform in [.55, .75].
PAPER_ACCURACIES: tuple[float, ...] = tuple(np.random.RandomState(123).uniform(0.55, 0.75, 10).tolist())


def paper_model(d: int, strength: float = 0.1, scale: Literal["agreement", "epsilon"] = "agreement") -> Ising:
    """Ten sources of which the first d pairs (0, 1), (2, 3), ... depend on each other; balanced classes.

    Parameters
    ----------
    d : int
        From 0 to 5.
    strength : float
        How much an edge adds.
    scale : {"agreement", "epsilon"}
        Add it to the probability of agreement, as the paper's figures do, or to E[l_i l_j], as its text says. An
        agreement above the feasible range is cut to just below it.

    Examples
    --------
    >>> round(paper_model(0).conditional_entropy, 6), round(paper_model(5).conditional_entropy, 6)
    (0.317616, 0.361215)
    """
    if d not in range(6):
        raise InputError(f"d must be between 0 and 5, not {d!r}.")
    p = np.array(PAPER_ACCURACIES)
    agreements = {}
    for i in range(0, 2 * d, 2):
        independent = p[i] * p[i + 1] + (1 - p[i]) * (1 - p[i + 1])
        wanted = independent + (strength if scale == "agreement" else strength / 2)
        agreements[i, i + 1] = min(wanted, agreement_range(p[i], p[i + 1])[1] - 1e-9)
    return Ising.from_means(p, agreements)
