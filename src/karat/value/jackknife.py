"""Estimates that rest on gold points, with what they are without each block of these, and intervals from that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat._types import Floats
from karat.estimate.intervals import student


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate that rests on gold, and the same without each of some blocks of the gold points.

    Parameters
    ----------
    value : float
    without : array, shape (B,)
    noise : float
        Standard error from what was drawn at random to find it, which gold does not change.
    """

    value: float
    without: Floats
    noise: float = 0.0

    def __sub__(self, other: Estimate) -> Estimate:
        return self + other.times(-1)

    def __add__(self, other: Estimate) -> Estimate:
        noise = float(np.hypot(self.noise, other.noise))
        return Estimate(self.value + other.value, self.without + other.without, noise)

    def times(self, factor: float) -> Estimate:
        """The estimate times a number."""
        return Estimate(self.value * factor, self.without * factor, self.noise * abs(factor))

    @property
    def error(self) -> float:
        """Standard error, by the jackknife over blocks."""
        B = len(self.without)
        blocks = (B - 1) / B * ((self.without - self.without.mean()) ** 2).sum()
        return float(np.sqrt(blocks + self.noise**2))

    def half(self, level: float) -> float:
        """Half the width of the interval: Student's, with as many degrees of freedom as blocks but one."""
        return student(level, len(self.without) - 1) * self.error


@dataclass(frozen=True)
class Interval:
    """A number with the ends of its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: Estimate, level: float, smallest: float = -np.inf) -> Interval:
        """From an estimate; no number is below `smallest`."""
        value, half = estimate.value, estimate.half(level)
        return cls(*(max(float(number), smallest) for number in (value, value - half, value + half)))
