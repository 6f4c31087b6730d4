"""What to do next: buy gold labels, buy unlabeled points, stop, or say that it cannot be told yet.

The answer is the one with the largest expected gain, where that is worth the trouble: no other has less expected
regret. How sure it is, is the probability that no other answer would have been better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from carob.errors import InputError
from carob.value.gains import Gain, Prospects

Kind = Literal["buy labels", "buy points", "stop", "cannot tell"]
Unit = Literal["log loss", "accuracy"]

NEXT_LABELS = 50  # a purchase of gold that is talked about
TIMES_POINTS = 10  # a purchase of unlabeled points: this many times what there is
FEWEST_GOLD = 20  # gold labels below which risks are not measured
WORTHWHILE = 0.0005  # nats of log loss; a smaller gain is none
SURE_ENOUGH = 0.65  # probability of being best, of an answer that is given


@dataclass(frozen=True)
class Decision:
    """What to do next, and why."""

    kind: Kind  # "buy labels", "buy points", "stop" or "cannot tell"
    # labels, points: what `more_labels` more gold labels, and ten times the unlabeled points, would bring
    labels: Gain
    points: Gain
    more_labels: int  # 50, or as many as there are points without gold
    worth: float  # what a gain must be
    unit: Unit  # of gains and worth
    sure: dict[Kind, float]  # for each answer, the probability that it is the best
    leaning: Kind  # the answer with the largest expected gain, given or not


def labels_to_buy(n_gold: int, n_points: int) -> int:
    """How many more gold labels are talked about: labels are bought for points that are there."""
    return min(NEXT_LABELS, n_points - n_gold)


def check_worth(worth: float | None) -> None:
    """Refuse what is no gain of accuracy."""
    if worth is not None and not 0 < worth < 1:
        raise InputError(f"worth is a gain in the share of right labels, such as 0.01, not {worth!r}.")


def decide(prospects: Prospects, worth: float | None = None) -> Decision:
    """What to do next.

    `prospects`: what more data would bring. `worth`: what a gain must be, in the share of right labels. Gains in log
    loss decide where it is not given.
    """
    check_worth(worth)
    unit: Unit = "log loss" if worth is None else "accuracy"
    lacking = prospects.loss if worth is None else prospects.right
    worth = WORTHWHILE if worth is None else worth
    more = labels_to_buy(lacking.n_gold, lacking.n_points)
    labels, points = lacking.by_labels(more), lacking.by_points((TIMES_POINTS - 1) * lacking.n_points)
    gains: dict[Kind, float] = {"stop": worth, "buy labels": labels.expected, "buy points": points.expected}
    leaning: Kind = max(gains, key=lambda kind: gains[kind])
    sure = _sure(labels, points, worth)
    kind: Kind = leaning if sure[leaning] >= SURE_ENOUGH else "cannot tell"
    return Decision(kind, labels, points, more, worth, unit, sure, leaning)


def _sure(labels: Gain, points: Gain, worth: float) -> dict[Kind, float]:
    """How likely each answer is the best."""
    by_labels, by_points = np.meshgrid(labels.likely(), points.likely())
    stop = np.maximum(by_labels, by_points) < worth
    buy_labels = ~stop & (by_labels >= by_points)
    return {
        "buy labels": float(buy_labels.mean()),
        "buy points": float((~stop & ~buy_labels).mean()),
        "stop": float(stop.mean()),
    }
