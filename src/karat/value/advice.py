"""What unlabeled points are worth on a user's data, where the error comes from, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import numpy as np

from karat.estimate.settings import Settings
from karat.value.changes import SourceChange, source_changes
from karat.value.jackknife import Estimate, Interval
from karat.value.ratio import data_value_ratio, equivalent_labels
from karat.value.risks import Risks
from karat.value.unlabeled_risk import UnlabeledRisk

Kind = Literal["buy labels", "buy points", "fix sources", "stop", "cannot tell"]

NEXT_LABELS = 50  # a purchase of gold that is talked about
TIMES_POINTS = 10  # a purchase of unlabeled points: this many times what there is
FEWEST_GOLD = 20  # gold labels below which risks are not measured
FEWEST_TO_STOP = 50  # gold labels below which nothing is said to be enough
WORTHWHILE = 0.0005  # nats of log loss; a smaller gain is none
LARGE = 0.01  # an interval that holds both no gain and this much supports no verdict
SMALLEST = 5  # gold labels; f is not looked for below
_GRID = np.geomspace(SMALLEST, 1e6, 1_200)  # numbers of gold labels
_FOREVER = 1e6  # gold labels that are as good as infinitely many
_SHOWN = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)


@dataclass(frozen=True)
class Shares:
    """Parts of a risk, in nats.

    Parameters
    ----------
    standing : float
        What is left with the true accuracies of all sources: what the votes do not tell, and what is lost by taking
        sources to be independent. For the combination, what is left with any number of gold labels.
    bias : float
        What more unlabeled points would not mend.
    variance : float
        What more labels, or more unlabeled points, would mend.
    """

    standing: float
    bias: float
    variance: float


@dataclass(frozen=True, eq=False)
class DataValue:
    """What the data are worth.

    Parameters
    ----------
    n_unlabeled, n_gold : int
    risk : dict
        Expected log loss now of "labeled", "unlabeled" (mean of triplets), "corrected" (median) and "combined".
    shares : dict
        Where each comes from.
    equivalent_labels, data_value_ratio : Interval
        f and V of the unlabeled estimator that was asked for.
    gains : dict
        How much less risk the combination would have with "labels" (50 more) or "points" (ten times as many).
    changes : tuple of SourceChange
        What dropping or merging dependent sources would do.
    kind : str
        "buy labels", "buy points", "fix sources", "stop" or "cannot tell".
    verdict : str
        The same in a sentence.
    curve : tuple of dict
        Predicted risks for n gold labels.
    level : float
    """

    n_unlabeled: int
    n_gold: int
    risk: dict[str, Interval]
    shares: dict[str, Shares]
    equivalent_labels: Interval
    data_value_ratio: Interval
    gains: dict[str, Interval]
    changes: tuple[SourceChange, ...]
    kind: Kind
    verdict: str
    curve: tuple[dict[str, float], ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        f = self.equivalent_labels
        return {
            "n_unlabeled": self.n_unlabeled,
            "n_gold": self.n_gold,
            "risk": {
                name: {"mean": found.value, "low": found.low, "high": found.high} for name, found in self.risk.items()
            },
            "shares": {name: vars(found) for name, found in self.shares.items()},
            "equivalent_labels": {**vars(f), "note": worth(self.n_unlabeled, f)},
            "data_value_ratio": vars(self.data_value_ratio),
            "gains": {name: vars(found) for name, found in self.gains.items()},
            "changes": [change.to_dict() for change in self.changes],
            "advice": self.kind,
            "verdict": self.verdict,
            "curve": list(self.curve),
            "level": self.level,
        }


def conclude(risks: Risks, settings: Settings, n_gold: int | None = None) -> DataValue:
    """What follows from learning curves.

    Parameters
    ----------
    n_gold : int, optional
        Gold labels that estimators learn from, where only so many of those that measure are to be counted as bought.
    """
    level, N = settings.level, len(risks.votes)
    n_gold = risks.judge.n if n_gold is None else n_gold
    labeled, combined = risks.labeled, risks.combined.curve
    now = {
        "labeled": labeled.at(n_gold),
        "unlabeled": risks.mean.risk,
        "corrected": risks.median.risk,
        "combined": combined.at(n_gold),
    }
    asked = risks.mean if settings.aggregate == "mean" else risks.median
    f = equivalent(risks, asked.risk, level)
    ratio = Interval(*(float(data_value_ratio(N, labels)) for labels in (f.value, f.high, f.low)))
    gains = {
        "labels": Interval.of(combined.at(n_gold) - combined.at(n_gold + min(NEXT_LABELS, N - n_gold)), level),
        "points": Interval.of(risks.combined.per_point.times((1 - 1 / TIMES_POINTS) / N), level),
    }
    changes = source_changes(risks, settings)
    kind, verdict = _verdict(n_gold, N, gains, changes)
    return DataValue(
        N,
        n_gold,
        {name: Interval.of(risk, level, 0.0) for name, risk in now.items()},
        _shares(risks, n_gold, N),
        f,
        ratio,
        gains,
        changes,
        kind,
        f"{verdict} {worth(N, f)}",
        _curve(risks, n_gold),
        level,
    )


def equivalent(risks: Risks, risk: Estimate, level: float) -> Interval:
    """How many gold labels do as well as something of this risk.

    The interval is that of the difference between both risks, on the same gold points, read off the labeled curve.
    """
    labeled = risks.labeled
    line = labeled.values(_GRID)
    value = equivalent_labels(_GRID, line, risk.value)
    half = (risk - labeled.at(min(value, _FOREVER))).half(level)
    low, high = (equivalent_labels(_GRID, line, risk.value + turn * half) for turn in (1, -1))
    return Interval(value, low, high)


def worth(n_unlabeled: int, f: Interval) -> str:
    """How much unlabeled points are worth, in a sentence.

    >>> worth(40_000, Interval(42.3, 30.0, 61.0))
    'The 40,000 unlabeled points alone are worth about 42 gold labels (30 to 61).'
    >>> worth(40_000, Interval(float("inf"), 900.0, float("inf")))
    'The 40,000 unlabeled points alone are worth more than any number of gold labels (at least 900).'
    """
    points = f"The {n_unlabeled:,} unlabeled points alone are worth"
    if np.isinf(f.value):
        return f"{points} more than any number of gold labels{_brackets('at least', f.low)}."
    if f.value <= SMALLEST:
        return f"{points} no more than {SMALLEST} gold labels{_brackets('at most', f.high)}."
    high = "any number" if np.isinf(f.high) else f"{f.high:,.0f}"
    return f"{points} about {f.value:,.0f} gold labels ({f.low:,.0f} to {high})."


def _brackets(words: str, number: float) -> str:
    """A bound of an interval, where it says more than the estimate."""
    return f" ({words} {number:,.0f})" if np.isfinite(number) and number > SMALLEST else ""


def _shares(risks: Risks, n_gold: int, N: int) -> dict[str, Shares]:
    standing = risks.labeled.at(_FOREVER).value

    def unlabeled(found: UnlabeledRisk) -> Shares:
        variance = max(found.per_point.value, 0.0) / N
        return Shares(standing, found.risk.value - standing - variance, variance)

    best = risks.combined.curve.at(_FOREVER).value
    return {
        "labeled": Shares(standing, 0.0, risks.labeled.at(n_gold).value - standing),
        "unlabeled": unlabeled(risks.mean),
        "corrected": unlabeled(risks.median),
        "combined": Shares(best, 0.0, risks.combined.curve.at(n_gold).value - best),
    }


def _curve(risks: Risks, n_gold: int) -> tuple[dict[str, float], ...]:
    sizes = sorted({n for n in _SHOWN if n <= 10 * n_gold} | {n_gold, n_gold + NEXT_LABELS})
    return tuple(
        {
            "n": n,
            "labeled": risks.labeled.at(n).value,
            "unlabeled": risks.mean.risk.value,
            "corrected": risks.median.risk.value,
            "combined": risks.combined.curve.at(n).value,
        }
        for n in sizes
    )


def _verdict(n_gold: int, N: int, gains: dict[str, Interval], changes: tuple[SourceChange, ...]) -> tuple[Kind, str]:
    labels, points = gains["labels"], gains["points"]
    left = min(NEXT_LABELS, N - n_gold)
    by_labels = f"by {max(labels.value, 0):.4f} with {left} more gold labels" if left else "and every point has gold"
    by_points = f"by {max(points.value, 0):.4f} with {TIMES_POINTS} times the unlabeled points"
    fix = max(changes, key=lambda change: change.gain.value, default=None)
    if fix is not None and fix.gain.low > 0 and fix.gain.value >= max(WORTHWHILE, labels.value, points.value):
        return "fix sources", f"Fix sources: {fix.what}. The log loss goes down by {fix.gain.value:.4f}, {by_labels}."
    best = max(labels, points, key=lambda gain: gain.value)
    enough = best.value < WORTHWHILE
    needed = 0
    if best.low <= 0 and best.high >= LARGE:
        needed = _needed(best, n_gold)
    elif enough:
        needed = max(FEWEST_TO_STOP - n_gold, 0)
    if needed > N - n_gold:
        return "cannot tell", "Cannot tell what to buy, and there are too few points to label: bring more points."
    if needed:
        return "cannot tell", f"Cannot tell yet what to buy: with {needed:,} more gold labels I could."
    if enough:
        return "stop", f"Stop: the log loss would go down {by_points}, {by_labels}."
    if best is labels:
        return "buy labels", f"Buy gold labels: the log loss goes down {by_labels}, {by_points}."
    return "buy points", f"Buy unlabeled points: the log loss goes down {by_points}, {by_labels}."


def _needed(gain: Interval, n: int) -> int:
    """Gold labels, in tens, after which the interval of a gain no longer holds both nothing and a large gain."""
    distance = max(gain.value, LARGE - gain.value)
    return 10 * max(1, ceil(n * (((gain.high - gain.value) / distance) ** 2 - 1) / 10))
