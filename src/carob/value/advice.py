"""What unlabeled points are worth on a user's data, where the error comes from, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carob._types import Shown
from carob.paper.ratio import data_value_ratio
from carob.posterior.losses import CrossScore
from carob.value.calibration import Calibration, calibration
from carob.value.decision import NEXT_LABELS, TIMES_POINTS, Decision, Kind, decide, labels_to_buy
from carob.value.equivalent import difference, equivalent
from carob.value.gains import Lacking
from carob.value.interval import Interval
from carob.value.learning_curves import LearningCurves, learning_curves, predicted_both
from carob.value.risks import Risks
from carob.value.words import decision_words, worth
from carob.votes.messages import Message

_SHOWN = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)


@dataclass(frozen=True)
class Shares:
    """Where the log loss of votes and gold comes from, in nats."""

    labels: float  # what more gold labels would mend
    points: float  # what more unlabeled points would mend
    rest: float  # what is left with any number of either: what these sources do not tell


@dataclass(frozen=True, eq=False)
class DataValue(Shown):
    """What the data are worth.

    `scores`: how good labels are now, by majority vote, votes alone, gold alone, and votes and gold, on gold that they
    were not learned from: the same as those of the fit. `shares`: where the log loss of the combination comes from.
    `equivalent_labels` and `data_value_ratio`: f and V: the gold labels that alone do as well as the votes alone, and
    how many points do what one of them does. `gains` and `accuracy_gains`: what the combination would gain by "labels"
    (50 more) or "points" (ten times as many), in log loss and in the share of right labels. The intervals are of the
    expected gain, over draws of new labels or points. `decision`: what to do next, and why. `curve`: predicted log
    losses for n gold labels; None where gold does not tell. `messages`: what of the data was dropped, what was guessed,
    and what to look at first. `curves`: log losses against the number of gold labels, with bands. `calibration`:
    whether probabilities of votes and gold are as often right as they say.
    """

    n_unlabeled: int
    n_gold: int
    scores: tuple[CrossScore, ...]
    shares: Shares
    equivalent_labels: Interval
    data_value_ratio: Interval
    gains: dict[str, Interval]
    accuracy_gains: dict[str, Interval]
    decision: Decision
    curve: tuple[dict[str, float | None], ...]
    level: float
    messages: tuple[Message, ...] = ()
    curves: LearningCurves | None = None
    calibration: Calibration | None = None

    @property
    def kind(self) -> Kind:
        """What to do next: "buy labels", "buy points", "stop" or "cannot tell"."""
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
            "scores": [vars(score) for score in self.scores],
            "shares": vars(self.shares),
            "equivalent_labels": {**vars(f), "note": worth(self.n_unlabeled, f)},
            "data_value_ratio": vars(self.data_value_ratio),
            "gains": {name: vars(found) for name, found in self.gains.items()},
            "accuracy_gains": {name: vars(found) for name, found in self.accuracy_gains.items()},
            "advice": self.kind,
            "sure": self.decision.sure,
            "worth": self.decision.worth,
            "verdict": self.verdict,
            "curve": list(self.curve),
            "level": self.level,
            "messages": [vars(message) for message in self.messages],
        }


def conclude(risks: Risks, worth: float | None = None) -> DataValue:
    """What follows from the risks.

    `worth`: what a gain must be, in the share of right labels.
    """
    level, N, n_gold = risks.settings.level, risks.n, len(risks.points)
    found = risks.prospects
    f = equivalent(risks, level)
    ratio = Interval(*(float(data_value_ratio(N, labels)) for labels in (f.value, f.high, f.low)))
    scores = risks.scores
    return DataValue(
        N,
        n_gold,
        tuple(scores.values()),
        _shares(scores["votes and gold"].loss, found.loss),
        f,
        ratio,
        _gains(found.loss, level),
        _gains(found.right, level),
        decide(found, worth),
        _curve(risks, found.loss),
        level,
        curves=learning_curves(risks),
        calibration=calibration(risks.cross, level),
    )


def _gains(lacking: Lacking, level: float) -> dict[str, Interval]:
    more = labels_to_buy(lacking.n_gold, lacking.n_points)
    return {
        "labels": lacking.by_labels(more).interval(level),
        "points": lacking.by_points((TIMES_POINTS - 1) * lacking.n_points).interval(level),
    }


def _shares(risk: float, lacking: Lacking) -> Shares:
    labels, points = lacking.per_label.median / lacking.n_gold, lacking.per_point.median / lacking.n_points
    rest = max(risk - labels - points, 0.0)
    return Shares(labels, points, rest)


def _curve(risks: Risks, lacking: Lacking) -> tuple[dict[str, float | None], ...]:
    n_gold = lacking.n_gold
    n, mean, _ = difference(risks)
    alone, risk = (risks.scores[name].loss for name in ("votes alone", "votes and gold"))
    sizes = sorted({n for n in _SHOWN if n <= 10 * n_gold} | {n_gold, n_gold + NEXT_LABELS})
    both = predicted_both(risk, lacking, np.array(sizes))
    rows: list[dict[str, float | None]] = []
    for size, combined in zip(sizes, both.tolist(), strict=True):
        told = n[0] <= size <= n[-1]
        by_gold = float(np.interp(np.log(size), np.log(n), mean)) + alone if told else None
        known = None if np.isnan(combined) else combined
        rows.append({"n": size, "labeled": by_gold, "unlabeled": alone, "combined": known})
    return tuple(rows)
