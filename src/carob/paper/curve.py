"""Learning curves: the risk (expected log loss) of an estimator against how much it learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from carob._types import Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """Risk against the number of points.

    Parameters
    ----------
    n : array, shape (g,)
    risk : array, shape (g,)
        Mean over draws.
    error : array, shape (g,)
        Standard error of that mean.
    """

    n: Floats
    risk: Floats
    error: Floats

    @classmethod
    def of_draws(cls, sizes: Sequence[int], risks: Sequence[npt.ArrayLike]) -> Curve:
        """From the risks of several draws at each size."""
        drawn = [np.asarray(found, dtype=np.float64) for found in risks]
        mean = np.array([found.mean() for found in drawn])
        error = np.array([found.std(ddof=1) / np.sqrt(len(found)) for found in drawn])
        return cls(np.asarray(sizes, dtype=np.float64), mean, error)
