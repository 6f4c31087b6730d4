"""What unlabeled points are worth on a user's data, where the error comes from, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.estimate.settings import Settings
from karat.value.changes import SourceChange, source_changes
from karat.value.decision import NEXT_LABELS, TIMES_POINTS, Decision, Kind, decide, labels_to_buy
from karat.value.jackknife import Estimate, Interval
from karat.value.ratio import SMALLEST, data_value_ratio, equivalent_labels
from karat.value.risks import Risks
from karat.value.unlabeled_risk import UnlabeledRisk
from karat.value.words import decision_words, worth

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
    decision : Decision
        What to do next, and why.
    curve : tuple of dict
        Predicted risks for n gold labels.
    level : float
    aside : tuple of str
        What was set aside before, a sentence for each reason.
    """

    n_unlabeled: int
    n_gold: int
    risk: dict[str, Interval]
    shares: dict[str, Shares]
    equivalent_labels: Interval
    data_value_ratio: Interval
    gains: dict[str, Interval]
    changes: tuple[SourceChange, ...]
    decision: Decision
    curve: tuple[dict[str, float], ...]
    level: float
    aside: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """What to do next: "buy labels", "buy points", "fix sources", "stop" or "cannot tell"."""
        return self.decision.kind

    @property
    def verdict(self) -> str:
        """What to do next and what the unlabeled points are worth, in words."""
        return f"{decision_words(self.decision)} {worth(self.n_unlabeled, self.equivalent_labels)}"

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
            "aside": self.aside,
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
    asked = risks.mean if settings.averaging == "mean" else risks.median
    f = equivalent(risks, asked.risk, level)
    ratio = Interval(*(float(data_value_ratio(N, labels)) for labels in (f.value, f.high, f.low)))
    gains = {
        "labels": Interval.of(combined.at(n_gold) - combined.at(n_gold + labels_to_buy(n_gold, N)), level),
        "points": Interval.of(risks.combined.per_point.times((1 - 1 / TIMES_POINTS) / N), level),
    }
    changes = source_changes(risks, settings)
    return DataValue(
        N,
        n_gold,
        {name: Interval.of(risk, level, 0.0) for name, risk in now.items()},
        _shares(risks, n_gold, N),
        f,
        ratio,
        gains,
        changes,
        decide(n_gold, N, gains, changes),
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
