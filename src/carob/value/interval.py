"""A number and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

from carob.posterior.losses import CrossScore


@dataclass(frozen=True)
class Interval:
    """A number with the ends of its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def around(cls, value: float, half: float) -> Interval:
        """A number with as much on either side."""
        return cls(value, value - half, value + half)


def loss_of(score: CrossScore) -> Interval:
    """The log loss of a way to label."""
    return Interval(score.loss, score.loss_low, score.loss_high)
