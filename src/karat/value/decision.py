"""What to do next: buy gold labels, buy unlabeled points, fix the sources, stop, or say that it cannot be told yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from karat.value.changes import SourceChange
from karat.value.jackknife import Interval

Kind = Literal["buy labels", "buy points", "fix sources", "stop", "cannot tell"]
Doubt = Literal["little gold", "wide interval"]

NEXT_LABELS = 50  # a purchase of gold that is talked about
TIMES_POINTS = 10  # a purchase of unlabeled points: this many times what there is
FEWEST_GOLD = 20  # gold labels below which risks are not measured
FEWEST_TO_STOP = 50  # gold labels below which nothing is said to be enough
WORTHWHILE = 0.0005  # nats of log loss; a smaller gain is none
LARGE = 0.01  # an interval that holds both no gain and this much supports no verdict


@dataclass(frozen=True)
class Decision:
    """What to do next, and why.

    Parameters
    ----------
    kind : str
        "buy labels", "buy points", "fix sources", "stop" or "cannot tell".
    labels, points : Interval
        How much less log loss the combination of votes and gold would have with `more_labels` more gold labels, and
        with ten times the unlabeled points.
    more_labels : int
        50, or as many as there are points without gold.
    fix : SourceChange or None
        The change to make, where that is the decision.
    doubt : {"little gold", "wide interval"} or None
        Why it cannot be told: there is too little gold to say that there is enough, or the larger gain may as well be
        nothing as a lot.
    needed : int
        How many more gold labels it would take to tell; 0 where it can be told.
    too_few_points : bool
        Whether fewer points than that are without gold.
    """

    kind: Kind
    labels: Interval
    points: Interval
    more_labels: int
    fix: SourceChange | None = None
    doubt: Doubt | None = None
    needed: int = 0
    too_few_points: bool = False


def labels_to_buy(n_gold: int, n_points: int) -> int:
    """How many more gold labels are talked about: labels are bought for points that are there."""
    return min(NEXT_LABELS, n_points - n_gold)


def decide(n_gold: int, n_points: int, gains: Mapping[str, Interval], fixes: Sequence[SourceChange]) -> Decision:
    """What to do next.

    Parameters
    ----------
    n_gold, n_points : int
        Gold labels, and points with or without gold.
    gains : mapping of Interval
        Of "labels", `labels_to_buy` more of them, and of "points", ten times as many.
    fixes : sequence of SourceChange
        Changes of the sources that were tried.
    """
    labels, points = gains["labels"], gains["points"]
    more = labels_to_buy(n_gold, n_points)
    fix = max(fixes, key=lambda change: change.gain.value, default=None)
    if fix is not None and fix.gain.low > 0 and fix.gain.value >= max(WORTHWHILE, labels.value, points.value):
        return Decision("fix sources", labels, points, more, fix)
    best = max(labels, points, key=lambda gain: gain.value)
    doubt, needed = _doubt(best, n_gold)
    if doubt is not None:
        too_few = needed > n_points - n_gold
        return Decision("cannot tell", labels, points, more, doubt=doubt, needed=needed, too_few_points=too_few)
    if best.value < WORTHWHILE:
        return Decision("stop", labels, points, more)
    return Decision("buy labels" if best is labels else "buy points", labels, points, more)


def _doubt(best: Interval, n_gold: int) -> tuple[Doubt | None, int]:
    """Why the larger gain supports no decision, and how many more gold labels would mend that."""
    if best.low <= 0 and best.high >= LARGE:
        return "wide interval", _until_narrow(best, n_gold)
    if best.value < WORTHWHILE and n_gold < FEWEST_TO_STOP:
        return "little gold", FEWEST_TO_STOP - n_gold
    return None, 0


def _until_narrow(gain: Interval, n: int) -> int:
    """Gold labels, in tens, after which the interval of a gain no longer holds both nothing and a large gain.

    Its width goes down with the root of their number.
    """
    distance = max(gain.value, LARGE - gain.value)
    return 10 * max(1, ceil(n * (((gain.high - gain.value) / distance) ** 2 - 1) / 10))
