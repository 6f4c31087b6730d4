"""A learning curve under the judge's view, corrected by what gold shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from karat._types import Floats
from karat.value.curve import Curve
from karat.value.jackknife import Estimate
from karat.value.judge import Judge


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """An estimator's risk against the number of gold labels.

    Parameters
    ----------
    curve : Curve
        Under the judge's view.
    points : tuple of Estimate
        The same, with what they are without each block of gold.
    corrections : dict of Estimate
        What gold adds, by the numbers of labels for which that was measured; straight lines against log n between.
    """

    curve: Curve
    points: tuple[Estimate, ...]
    corrections: dict[int, Estimate]

    @classmethod
    def of(cls, judge: Judge, curve: Curve, on_rows: Sequence[Floats], on_gold: Mapping[int, Floats]) -> LearningCurve:
        """From losses of an estimator.

        Parameters
        ----------
        curve : Curve
            Risks under the judge's view.
        on_rows : sequence of arrays, shape (P, K)
            Mean losses on the judge's rows, for each point of the curve.
        on_gold : mapping from int to array, shape (G,)
            Losses on gold points that were not learned from, of models of some numbers of labels.
        """
        plain = cls(curve.falling(), tuple(map(judge.expected, on_rows)), {})
        corrections = {n: judge.gold_correction(judge.observed(losses), plain.at(n)) for n, losses in on_gold.items()}
        return replace(plain, corrections=corrections)

    def at(self, n: float) -> Estimate:
        """Risk with n gold labels."""
        weights = self.curve.weights(n)
        without = weights @ np.array([point.without for point in self.points])
        expected = Estimate(float(weights @ self.curve.risk), without)
        return expected + self._correction(n) if self.corrections else expected

    def _correction(self, n: float) -> Estimate:
        """What gold adds near n."""
        sizes, found = list(self.corrections), list(self.corrections.values())
        place = float(np.interp(np.log(n), np.log(sizes), np.arange(len(sizes))))
        low, part = int(place), place % 1
        return found[low] if part == 0 else found[low].times(1 - part) + found[low + 1].times(part)

    def values(self, n: Floats) -> Floats:
        """Risks with n gold labels, for many n."""
        added = [found.value for found in self.corrections.values()]
        return self.curve.at(n) + np.interp(np.log(n), np.log(list(self.corrections)), added)
