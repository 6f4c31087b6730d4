"""A number and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A number with the ends of its interval."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Interval:
        """The same in another unit; the factor is 0 or more."""
        return Interval(*(factor * number for number in (self.value, self.low, self.high)))
