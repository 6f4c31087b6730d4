"""What stands in a table. A cell knows what its number is, and is rounded only when it is shown, by `str`."""

from __future__ import annotations

from dataclasses import dataclass


class Cell:
    """Anything that stands in a table."""


@dataclass(frozen=True)
class Text(Cell):
    """A name, a class, a word."""

    value: object

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Count(Cell):
    """A number of things.

    >>> print(Count(12345))
    12,345
    """

    value: int

    def __str__(self) -> str:
        return f"{self.value:,}"


@dataclass(frozen=True)
class Share(Cell):
    """A number between 0 and 1, or a dash where it is not known.

    >>> print(Share(0.98765), Share(1.0), Share(-0.0001), Share(None))
    .988 1.000 .000 -
    """

    value: float | None

    def __str__(self) -> str:
        if self.value is None:
            return "-"
        text = f"{round(self.value, 3) + 0.0:.3f}"  # no minus before a zero
        return text.replace("0.", ".", 1) if abs(self.value) < 1 else text


class Loss(Share):
    """A log loss, or a part of one, in nats, or a dash where it is not known.

    >>> print(Loss(0.2357), Loss(1.41), Loss(-0.0052), Loss(None))
    .236 1.410 -.005 -
    """


@dataclass(frozen=True)
class Nats(Cell):
    """A log loss, or a difference of two, in nats, where small differences count.

    >>> print(Nats(0.00074))
    0.0007
    """

    value: float

    def __str__(self) -> str:
        return f"{self.value:.4f}"


@dataclass(frozen=True)
class Between(Cell):
    """An interval, by both of its ends.

    >>> print(Between(Share(0.8), Share(0.925)), Between(Nats(-0.001), Nats(0.002)), sep="; ")
    .800 to .925; -0.0010 to 0.0020
    >>> print(Between(Share(0.0), Share(1.0)), Between(Share(None), Share(None)), sep="; ")
    cannot tell; -
    """

    low: Share | Nats
    high: Share | Nats

    def __str__(self) -> str:
        if self.low.value is None or self.high.value is None:
            return "-"
        if (self.low, self.high) == (Share(0), Share(1)):
            return "cannot tell"
        return f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Percent(Cell):
    """A share in per cent.

    >>> print(Percent(0.2054), Percent(0.9, digits=0))
    20.5% 90%
    """

    value: float
    digits: int = 1

    def __str__(self) -> str:
        return f"{self.value:.{self.digits}%}"


@dataclass(frozen=True)
class Correlation(Cell):
    """A correlation, with its sign.

    >>> print(Correlation(0.237))
    +0.24
    """

    value: float

    def __str__(self) -> str:
        return f"{self.value:+.2f}"


@dataclass(frozen=True)
class Money(Cell):
    """An amount of whatever prices were given in.

    >>> print(Money(1234.5))
    1,234.50
    """

    value: float

    def __str__(self) -> str:
        return f"{self.value:,.2f}"


@dataclass(frozen=True)
class Number(Cell):
    """Any other number, with so many digits that count.

    >>> print(Number(0.0081551526), Number(0.0081551526, digits=2))
    0.008155 0.0082
    """

    value: float
    digits: int = 4

    def __str__(self) -> str:
        return f"{self.value:.{self.digits}g}"
