"""How to spend a budget on gold labels and unlabeled points.

The log loss of votes and gold goes down by c (1/G - 1/(G + k)) with k more gold labels and by b (1/N - 1/(N + p)) with
p more points (`carob.value.gains`). Neither c nor b is well known: what is bought has the least expected loss, by the
means of what they may be. A label needs a point to be put on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from carob._types import Floats, Shown
from carob.errors import InputError
from carob.value.gains import Gain, Lacking
from carob.value.interval import Interval, loss_of
from carob.value.risks import Risks
from carob.value.words import purchase_sentence
from carob.votes.messages import Message

SAME = 1e-4  # nats; of plans that differ by less the cheapest is taken
_STEPS = 400  # numbers of labels, and of points, that are tried
_MOST_TIMES = 100  # points are bought up to this many times those there are, should they cost nothing
_BUDGETS = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # of the frontier, in budgets


@dataclass(frozen=True)
class Purchase:
    """A plan for one budget: what to buy, its cost, and the risk after it."""

    budget: float
    buy_labels: int
    buy_points: int
    cost: float
    risk: float


@dataclass(frozen=True, eq=False)
class Plan(Shown):
    """How to spend a budget.

    `cost`: never above the budget. `risk_before` and `risk_after`: predicted log loss of the combination. `gain`: how
    much lower the log loss is expected to be. `frontier`: the same for other budgets. `messages`: what of the data was
    dropped, what was guessed, and what to look at first.
    """

    buy_labels: int
    buy_points: int
    cost: float
    risk_before: float
    risk_after: float
    interval_before: Interval
    interval_after: Interval
    gain: Interval
    frontier: tuple[Purchase, ...]
    messages: tuple[Message, ...] = ()

    @property
    def verdict(self) -> str:
        """In a sentence."""
        if self.buy_labels == self.buy_points == 0:
            return f"Keep the money: no purchase within the budget lowers the log loss by more than {SAME}."
        return purchase_sentence(self.buy_labels, self.buy_points, self.cost, self.risk_before, self.gain)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "buy_labels": self.buy_labels,
            "buy_points": self.buy_points,
            "cost": self.cost,
            "risk_before": self.risk_before,
            "risk_after": self.risk_after,
            "interval_before": vars(self.interval_before),
            "interval_after": vars(self.interval_after),
            "gain": vars(self.gain),
            "frontier": [vars(purchase) for purchase in self.frontier],
            "verdict": self.verdict,
            "messages": [vars(message) for message in self.messages],
        }


def check_costs(label_cost: float, point_cost: float, budget: float) -> None:
    """Refuse what is no amount of money."""
    for name, value in (("label_cost", label_cost), ("point_cost", point_cost), ("budget", budget)):
        if not (np.isfinite(value) and value >= 0):
            raise InputError(f"{name} must be a number of 0 or more, not {value!r}.")


def best_plan(risks: Risks, label_cost: float, point_cost: float, budget: float) -> Plan:
    """The purchase that lowers the predicted risk of the combination most."""
    level = risks.settings.level
    before = loss_of(risks.scores["votes and gold"])
    lacking = risks.prospects.loss
    chosen = _buy(lacking, before.value, label_cost, point_cost, budget)
    gain = _gain(lacking, chosen).interval(level)
    # What is not known of the risk now, and of the gain.
    low, high = (
        float(np.hypot(before.value - before.low, gain.high - gain.value)),
        float(np.hypot(before.high - before.value, gain.value - gain.low)),
    )
    after = Interval(chosen.risk, max(chosen.risk - low, 0.0), chosen.risk + high)
    return Plan(
        chosen.buy_labels,
        chosen.buy_points,
        chosen.cost,
        before.value,
        chosen.risk,
        before,
        after,
        gain,
        tuple(_buy(lacking, before.value, label_cost, point_cost, share * budget) for share in _BUDGETS),
    )


def _gain(lacking: Lacking, bought: Purchase) -> Gain:
    """What a purchase brings: the sum of both gains, as unsure as the larger of them."""
    labels, points = lacking.by_labels(bought.buy_labels), lacking.by_points(bought.buy_points)
    return replace(max(labels, points, key=lambda gain: gain.median), median=labels.median + points.median)


def _buy(lacking: Lacking, risk_now: float, label_cost: float, point_cost: float, budget: float) -> Purchase:
    N, n_gold = lacking.n_points, lacking.n_gold
    most_points = (_MOST_TIMES - 1) * N
    if point_cost > 0:
        most_points = int(min(most_points, budget / point_cost))
    most_labels = N + most_points - n_gold
    if label_cost > 0:
        most_labels = int(min(most_labels, budget / label_cost))
    labels, points = (np.meshgrid(_steps(most_labels), _steps(most_points), indexing="ij")[k].ravel() for k in (0, 1))
    if point_cost > 0:  # what the labels leave of the budget, as points
        rest = np.maximum(budget - _steps(most_labels) * label_cost, 0) / point_cost
        labels = np.concatenate([labels, _steps(most_labels)])
        points = np.concatenate([points, np.minimum(np.floor(rest), most_points)])
    cost = labels * label_cost + points * point_cost
    possible = (cost <= budget) & (n_gold + labels <= N + points)
    labels, points, cost = labels[possible], points[possible], cost[possible]
    lost = lacking.per_label.expected / (n_gold + labels) + lacking.per_point.expected / (N + points)
    near = np.flatnonzero(lost <= lost.min() + SAME)
    best = near[np.lexsort((lost[near], cost[near]))[0]]
    bought = Purchase(budget, int(labels[best]), int(points[best]), float(cost[best]), 0.0)
    return replace(bought, risk=max(risk_now - _gain(lacking, bought).median, 0.0))


def _steps(most: int) -> Floats:
    """Whole numbers from 0 to `most`: all of them, or evenly spaced on a logarithmic scale."""
    if most <= _STEPS:
        return np.arange(most + 1.0)
    return np.unique(np.concatenate([[0], np.rint(np.geomspace(1, most, _STEPS)), [most]]))
