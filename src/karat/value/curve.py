"""Learning curves: the risk (expected log loss) of an estimator against how much it learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from karat._types import Floats

FORM_ERROR = 0.002  # error of a curve's form, added to the noise of its points


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
    form_from : float
        From here on the curve has its form, a constant plus c/n and higher powers of 1/n; below, it is drawn straight
        from point to point against log n.
    terms : int
        Powers of 1/n in that form, with the constant.
    """

    n: Floats
    risk: Floats
    error: Floats
    form_from: float = 20.0
    terms: int = 4

    @classmethod
    def of_draws(
        cls, sizes: Sequence[int], risks: Sequence[npt.ArrayLike], form_from: float = 20.0, terms: int = 4
    ) -> Curve:
        """From the risks of several draws at each size."""
        drawn = [np.asarray(found, dtype=np.float64) for found in risks]
        mean = np.array([found.mean() for found in drawn])
        error = np.array([found.std(ddof=1) / np.sqrt(len(found)) for found in drawn])
        return cls(np.asarray(sizes, dtype=np.float64), mean, error, form_from, terms)

    def falling(self) -> Curve:
        """The curve without what goes up: where it does by noise, neighbours are pooled."""
        blocks: list[list[float]] = []  # mean, weight, points
        for risk, error in zip(self.risk, self.error, strict=True):
            blocks.append([float(risk), 1 / (float(error) + FORM_ERROR) ** 2, 1])
            while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
                (a, u, k), (b, v, m) = blocks[-2:]
                blocks[-2:] = [[(a * u + b * v) / (u + v), u + v, k + m]]
        return replace(self, risk=np.repeat([b[0] for b in blocks], [int(b[2]) for b in blocks]))

    def at(self, n: npt.ArrayLike) -> Floats:
        """The curve at any n, by its form fitted to its points."""
        return self.weights(n) @ self.risk

    def weights(self, n: npt.ArrayLike) -> Floats:
        """How much every point of the curve counts at each n, shape (..., g)."""
        wanted = np.asarray(n, dtype=np.float64)
        places = np.interp(np.log(wanted), np.log(self.n), np.arange(len(self.n)))
        straight = np.maximum(0, 1 - np.abs(places[..., None] - np.arange(len(self.n))))
        fit = self.n >= self.form_from
        trust = np.where(fit, 1 / (self.error + FORM_ERROR), 0)
        power = np.arange(min(self.terms, int(fit.sum())))
        fitting = np.linalg.pinv((self.form_from / self.n)[:, None] ** power * trust[:, None]) * trust
        formed = (self.form_from / wanted)[..., None] ** power @ fitting
        return np.where((wanted >= self.form_from)[..., None], formed, straight)
