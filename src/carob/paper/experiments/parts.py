"""What experiments are made of: parts that can run anywhere in any order, and points of figures."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from carob import __version__

Variant = Literal["figures", "text"]
Results = Mapping[str, Any]


@dataclass(frozen=True)
class Options:
    """How the paper is reproduced."""

    trials: int = 1_000  # samples behind every mean
    seed: int = 0
    full: bool = False  # every number of dependencies from 0 to 5, not only those of the figures
    # the choices that the paper's figures were made with, or those that its text describes
    variant: Variant = "figures"
    splits: int = 50  # random splits of the IMDB reviews, over which the trials are spread

    @property
    def fingerprint(self) -> str:
        """What results depend on besides the part itself; `full` only adds parts."""
        return f"carob {__version__}, {self.trials} trials, {self.splits} splits, seed {self.seed}, {self.variant}"

    @property
    def scale(self) -> Literal["agreement", "epsilon"]:
        """What 0.1 of dependence is added to."""
        return "agreement" if self.variant == "figures" else "epsilon"

    @property
    def negative(self) -> Literal["drop", "absolute"]:
        """What becomes of triplets whose ratio is negative."""
        return "drop" if self.variant == "figures" else "absolute"

    @property
    def convention(self) -> Literal["figures", "definition"]:
        """Which grid point is f."""
        return "figures" if self.variant == "figures" else "definition"


@dataclass(frozen=True)
class Part:
    """A piece of work with a name of its own; the name and the seed alone decide its random numbers."""

    name: str
    work: Callable[..., Any]
    arguments: dict[str, Any] = field(default_factory=dict)

    def run(self, options: Options) -> Any:
        """Do it."""
        rng = np.random.default_rng([options.seed, zlib.crc32(self.name.encode())])
        return self.work(options=options, rng=rng, **self.arguments)


@dataclass(frozen=True)
class Point:
    """A point of a curve of a figure."""

    figure: str
    panel: str
    curve: str
    n: int
    value: float
    se: float  # standard error of the value
    paper_se: float  # what the paper's own value has for a standard error, which had 1,000 trials


@dataclass(frozen=True)
class Experiment:
    """One of the paper's experiments."""

    parts: Callable[[Options], list[Part]]  # the parts for some options
    points: Callable[[Results, Options], list[Point]]  # points of figures from the results of the parts, by name
    # rows of tables, by the table's name
    tables: Callable[[Results, Options], dict[str, list[dict[str, Any]]]] = lambda results, options: {}


def mean_and_error(values: npt.ArrayLike) -> tuple[float, float, float]:
    """Mean over the values, its standard error, and that of a mean over as many as the paper's."""
    found = np.asarray(values, dtype=np.float64)
    spread = float(found.std(ddof=1))
    return float(found.mean()), spread / np.sqrt(len(found)), spread / np.sqrt(1_000)  # the paper's trials


@dataclass(frozen=True)
class PaperValue:
    """A value of the paper's figures, read off their vector graphics."""

    figure: str
    panel: str
    curve: str
    n: int  # as read off; some are off by one
    value: float
    rounding: float  # half a unit of the last digit that is given


@cache
def paper_values() -> tuple[PaperValue, ...]:
    """Every value of the paper's figures."""
    text = files("carob.paper.experiments").joinpath("figures.csv").read_text(encoding="utf-8")
    return tuple(
        PaperValue(
            row["figure"], row["panel"], row["curve"], int(row["n"]), float(row["value"]), _rounding(row["value"])
        )
        for row in csv.DictReader(text.splitlines())
    )


def _rounding(text: str) -> float:
    """Half a unit of the last digit of a number.

    >>> _rounding("0.0638"), _rounding("6e-05")
    (5e-05, 5e-06)
    """
    exponent = Decimal(text).as_tuple().exponent
    return float(Decimal(5).scaleb(int(exponent) - 1))


def paper_sizes(figure: str, curve: str) -> Sequence[int]:
    """The numbers of points at which the paper shows a curve."""
    return sorted({value.n for value in paper_values() if (value.figure, value.curve) == (figure, curve)})
