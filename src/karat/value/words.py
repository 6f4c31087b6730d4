"""What was found about the value of data, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from karat.errors import plural
from karat.estimate.structure import DependentPair
from karat.value.changes import SourceChange
from karat.value.decision import FEWEST_GOLD, NEXT_LABELS, TIMES_POINTS, Decision
from karat.value.jackknife import Interval
from karat.value.ratio import SMALLEST

_SPELLED = {2: "two", 5: "five", 10: "ten", 20: "twenty", 100: "a hundred"}


def decision_words(decision: Decision) -> str:
    """What to do next, in a sentence."""
    fix, more = decision.fix, decision.more_labels
    by_labels = f"{_by(decision.labels)} with {more} more gold labels" if more else "and every point has gold"
    by_points = f"{_by(decision.points)} with {TIMES_POINTS} times the unlabeled points"
    if fix is not None:
        return f"Fix sources: {change_words(fix)}. The log loss goes down {_by(fix.gain)}, {by_labels}."
    if decision.too_few_points:
        return "Cannot tell what to buy, and there are too few points to label: bring more points."
    if decision.kind == "cannot tell":
        return f"Cannot tell yet what to buy: with {decision.needed:,} more gold labels I could."
    if decision.kind == "stop":
        return f"Stop: the log loss would go down {by_points}, {by_labels}."
    if decision.kind == "buy labels":
        return f"Buy gold labels: the log loss goes down {by_labels}, {by_points}."
    return f"Buy unlabeled points: the log loss goes down {by_points}, {by_labels}."


def _by(gain: Interval) -> str:
    return f"by {max(gain.value, 0):.4f}"


def worth(n_unlabeled: int, f: Interval) -> str:
    """How much unlabeled points are worth, in a sentence.

    >>> worth(40_000, Interval(42.3, 30.0, 61.0))
    'The 40,000 unlabeled points alone are worth about 42 gold labels (30 to 61).'
    >>> worth(40_000, Interval(float("inf"), 900.0, float("inf")))
    'The 40,000 unlabeled points alone are worth more than any number of gold labels (at least 900).'
    """
    points = f"The {n_unlabeled:,} unlabeled points alone are worth"
    if math.isinf(f.value):
        return f"{points} more than any number of gold labels{_brackets('at least', f.low)}."
    if f.value <= SMALLEST:
        return f"{points} no more than {SMALLEST} gold labels{_brackets('at most', f.high)}."
    high = "any number" if math.isinf(f.high) else f"{f.high:,.0f}"
    return f"{points} about {f.value:,.0f} gold labels ({f.low:,.0f} to {high})."


def _brackets(words: str, number: float) -> str:
    """A bound of an interval, where it says more than the estimate."""
    return f" ({words} {number:,.0f})" if math.isfinite(number) and number > SMALLEST else ""


def ratio_words(ratio: Interval, f: Interval) -> str:
    """How many unlabeled points do what one gold label does, V; nothing where no number of them does."""
    if f.value <= SMALLEST:
        return f"One gold label does what {ratio.value:,.0f} unlabeled points do, or more."
    if ratio.value > 0:
        between = f"{ratio.low:,.0f} to {ratio.high:,.0f}"
        return f"One gold label does what {ratio.value:,.0f} unlabeled points do ({between})."
    return ""


def purchase_words() -> dict[str, str]:
    """The purchases whose gains are told, by their names in `DataValue.gains`.

    >>> purchase_words()["points"]
    'ten times the unlabeled points'
    """
    times = _SPELLED.get(TIMES_POINTS, f"{TIMES_POINTS:,}")
    return {
        "labels": f"{NEXT_LABELS} more gold labels, or as many as there are points",
        "points": f"{times} times the unlabeled points",
    }


def change_words(change: SourceChange) -> str:
    """A change of the sources in words.

    >>> change_words(SourceChange("drop", ("a", "b"), Interval(0.02, 0.01, 0.03)))
    "drop 'a', 'b'"
    """
    if change.action == "drop":
        return "drop " + ", ".join(map(repr, change.sources))
    return "take " + ", ".join(f"{first!r} with {second!r}" for first, second in change.sources) + " as one source each"


def votes_alone_words(n_gold: int, pairs: Sequence[DependentPair], standing_bias: float) -> str:
    """What is missing before the worth of a gold label can be told, and what the votes show without it."""
    start = f"Cannot tell yet what a gold label is worth: {_missing(n_gold)}."
    if not pairs:
        return f"{start} The votes do not contradict independent sources."
    first = pairs[0]
    rest = len(pairs) - 1
    others = f" and {plural(rest, 'more pair')}" if rest else ""
    return (
        f"{start} The votes contradict independent sources: {first.first!r} with {first.second!r}{others} agree "
        f"more or less than the class explains, which costs up to {standing_bias:.3f} of log loss."
    )


def _missing(n_gold: int) -> str:
    """What gold is missing: labels, or, where there are enough of those, a second class among them."""
    if n_gold >= FEWEST_GOLD:
        return f"the {n_gold:,} gold labels are all of one class; with some of a second class I could"
    return f"with {plural(FEWEST_GOLD - n_gold, 'more gold label' if n_gold else 'gold label')} I could"


def purchase_sentence(labels: int, points: int, cost: float, risk_before: float, risk_after: float) -> str:
    """What to buy, for how much, and what that changes."""
    things = [(labels, "gold label"), (points, "unlabeled point")]
    bought = " and ".join(plural(number, what) for number, what in things if number)
    gain = risk_before - risk_after
    return f"Buy {bought} for {cost:,.2f}: that lowers the log loss from {risk_before:.4f} by {gain:.4f}."
