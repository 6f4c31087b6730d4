"""What was found about the value of data, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from carob.errors import plural
from carob.paper.ratio import SMALLEST
from carob.paper.structure import DependentPair
from carob.value.decision import FEWEST_GOLD, NEXT_LABELS, TIMES_POINTS, Decision, Kind, Unit
from carob.value.gains import Gain
from carob.value.interval import Interval

_COIN = math.log(2)  # log loss of a coin: a bound above it says nothing
_FAR = 4  # times the lower end of f: an estimate farther from it, with no upper end, is not worth saying
_SPELLED = {2: "two", 5: "five", 10: "ten", 20: "twenty", 100: "a hundred"}


def decision_words(decision: Decision) -> str:
    """What to do next, why, and how sure that is."""
    more = decision.more_labels
    labels = f"{plural(more, 'more gold label')} {_by(decision, decision.labels)}" if more else "every point has gold"
    points = f"{_SPELLED.get(TIMES_POINTS, TIMES_POINTS)} times the unlabeled points {_by(decision, decision.points)}"
    chance = decision.sure.get(decision.leaning, 1.0)
    sure = f"{chance:.0%}" if chance < 0.99 else "more than 99%"
    expected = f"{labels}, {points}"
    if decision.kind == "cannot tell":
        return (
            f"Cannot tell yet what to buy: {expected}. {_ANSWERS[decision.leaning]} is the best answer with a "
            f"probability of {sure} only; what either costs may decide (carob plan)."
        )
    if decision.kind == "stop":
        return (
            f"Stop: {expected}, where {_amount(decision.unit, decision.worth)} would be worth it. That is the best "
            f"answer with a probability of {sure}."
        )
    first, then = (labels, points) if decision.kind == "buy labels" else (points, labels)
    start = "Buy gold labels" if decision.kind == "buy labels" else "Buy unlabeled points"
    return f"{start}: {first}, {then}. That is the best answer with a probability of {sure}."


_ANSWERS: dict[Kind, str] = {
    "buy labels": "To buy gold labels",
    "buy points": "To buy unlabeled points",
    "stop": "To stop",
}


def _by(decision: Decision, gain: Gain) -> str:
    change = "lower the log loss" if decision.unit == "log loss" else "raise the share of right labels"
    return f"{change} by about {_amount(decision.unit, gain.median)}"


def _amount(unit: Unit, gain: float) -> str:
    return f"{gain:.4f}" if unit == "log loss" else f"{gain:.2%}"


def worth(n_unlabeled: int, f: Interval) -> str:
    """How much unlabeled points are worth, in a sentence.

    >>> worth(40_000, Interval(42.3, 30.0, 61.0))
    'The votes on 40,000 points alone do as well as about 42 gold labels alone (30 to 61).'
    >>> worth(40_000, Interval(float("inf"), 90.0, float("inf")))
    'The votes on 40,000 points alone do as well as 90 gold labels alone, or more.'
    >>> worth(40_000, Interval(130.0, 90.0, float("inf")))
    'The votes on 40,000 points alone do as well as about 130 gold labels alone, 90 at least.'
    """
    points = f"The votes on {n_unlabeled:,} points alone do as well as"
    if f.low <= SMALLEST and math.isinf(f.high):
        return f"{points} a number of gold labels that these do not tell."
    if math.isinf(f.high) and f.value > _FAR * f.low:
        return f"{points} {f.low:,.0f} gold labels alone, or more."
    if math.isinf(f.high):
        return f"{points} about {f.value:,.0f} gold labels alone, {f.low:,.0f} at least."
    if f.low <= SMALLEST:
        return f"{points} {max(f.high, SMALLEST):,.0f} gold labels alone, or fewer."
    return f"{points} about {f.value:,.0f} gold labels alone ({f.low:,.0f} to {f.high:,.0f})."


def ratio_words(ratio: Interval, f: Interval) -> str:
    """How many unlabeled points do what one gold label does, V; nothing where gold does not tell."""
    if f.low > SMALLEST and not math.isinf(f.high):
        between = f"{ratio.low:,.0f} to {ratio.high:,.0f}"
        return f"One gold label does what {ratio.value:,.0f} unlabeled points do ({between})."
    if f.low > SMALLEST and f.value > _FAR * f.low:
        return f"One gold label does what {ratio.high:,.0f} unlabeled points do, or fewer."
    if f.low > SMALLEST:
        return f"One gold label does what about {ratio.value:,.0f} unlabeled points do, {ratio.high:,.0f} at most."
    if not math.isinf(f.high):
        return f"One gold label does what {ratio.low:,.0f} unlabeled points do, or more."
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


def votes_alone_words(n_gold: int, pairs: Sequence[DependentPair], standing_bias: float) -> str:
    """What is missing before the worth of a gold label can be told, and what the votes show without it."""
    start = f"Cannot tell yet what a gold label is worth: {_missing(n_gold)}."
    if not pairs:
        return f"{start} The votes do not contradict independent sources."
    first = pairs[0]
    rest = len(pairs) - 1
    others = f" and {plural(rest, 'more pair')}" if rest else ""
    costs = f", which costs up to {standing_bias:.3f} of log loss" if standing_bias < _COIN else ""
    return (
        f"{start} The votes contradict independent sources: {first.first!r} with {first.second!r}{others} agree "
        f"more or less than the class explains{costs}."
    )


def _missing(n_gold: int) -> str:
    """What gold is missing: labels, or, where there are enough of those, a second class among them."""
    if n_gold >= FEWEST_GOLD:
        return f"the {n_gold:,} gold labels are all of one class; with some of a second class I could"
    return f"with {plural(FEWEST_GOLD - n_gold, 'more gold label' if n_gold else 'gold label')} I could"


def purchase_sentence(labels: int, points: int, cost: float, before: float, gain: Interval) -> str:
    """What to buy, for how much, and what that changes."""
    things = [(labels, "gold label"), (points, "unlabeled point")]
    bought = " and ".join(plural(number, what) for number, what in things if number)
    return (
        f"Buy {bought} for {cost:,.2f}: that lowers the log loss from {before:.4f} by about {gain.value:.4f} "
        f"({gain.low:.4f} to {gain.high:.4f})."
    )
