from __future__ import annotations

from dataclasses import dataclass

import pytest

from karat.value.changes import SourceChange
from karat.value.decision import (
    FEWEST_TO_STOP,
    LARGE,
    NEXT_LABELS,
    WORTHWHILE,
    Decision,
    Doubt,
    Kind,
    decide,
    labels_to_buy,
)
from karat.value.jackknife import Interval

BIT = 1e-9  # what separates the two sides of a threshold
NONE = Interval(0.0, 0.0, 0.0)


def gain(value: float, half: float = 0.0002) -> Interval:
    """A gain that is known to within a little."""
    return Interval(value, value - half, value + half)


def fix(value: float, low: float, name: str = "copy") -> SourceChange:
    return SourceChange("drop", (name,), Interval(value, low, 2 * value - low))


@dataclass(frozen=True)
class Case:
    """What is known, and the decision that it calls for."""

    kind: Kind
    labels: Interval = NONE
    points: Interval = NONE
    fixes: tuple[SourceChange, ...] = ()
    gold: int = 200
    all_points: int = 10_000
    doubt: Doubt | None = None
    needed: int = 0
    too_few_points: bool = False


SURE, UNSURE = gain(0.003), Interval(0.004, -0.004, 0.012)
CASES = {
    # Which of two gains is larger.
    "labels gain more": Case("buy labels", gain(0.003), gain(0.002)),
    "points gain more": Case("buy points", gain(0.002), gain(0.003)),
    "both gain the same": Case("buy labels", gain(0.003), gain(0.003)),
    # WORTHWHILE: a smaller gain is none.
    "labels just worthwhile": Case("buy labels", gain(WORTHWHILE)),
    "labels just not worthwhile": Case("stop", gain(WORTHWHILE - BIT)),
    "points just worthwhile": Case("buy points", points=gain(WORTHWHILE)),
    "points just not worthwhile": Case("stop", points=gain(WORTHWHILE - BIT)),
    "losses are no gains": Case("stop", gain(-0.003), gain(-0.002)),
    # FEWEST_TO_STOP: with less gold nothing is said to be enough.
    "just enough gold to stop": Case("stop", gold=FEWEST_TO_STOP),
    "one gold label too few to stop": Case("cannot tell", gold=FEWEST_TO_STOP - 1, doubt="little gold", needed=1),
    "the least gold there is": Case("cannot tell", gold=20, doubt="little gold", needed=30),
    "little gold is enough to buy": Case("buy labels", gain(WORTHWHILE), gold=20),
    "little gold and a gain just not worthwhile": Case(
        "cannot tell", gain(WORTHWHILE - BIT), gold=20, doubt="little gold", needed=30
    ),
    # LARGE and zero: an interval that holds both supports no decision.
    "the interval just holds a large gain": Case(
        "cannot tell", Interval(0.004, -0.002, LARGE), doubt="wide interval", needed=10
    ),
    "the interval just holds no large gain": Case("buy labels", Interval(0.004, -0.002, LARGE - BIT)),
    "the interval just holds no gain": Case(
        "cannot tell", points=Interval(0.006, 0.0, 0.012), doubt="wide interval", needed=10
    ),
    "the interval just does not hold no gain": Case("buy points", points=Interval(0.006, BIT, 0.012)),
    "only the larger gain is asked": Case("buy points", Interval(0.001, -0.02, 0.022), gain(0.002)),
    "a wide interval around a gain that is none": Case(
        "cannot tell", Interval(0.0001, -0.0299, 0.0301), gold=40, doubt="wide interval", needed=330
    ),
    # How many labels make a wide interval narrow: 200 ((.008 / .006)^2 - 1) = 155.6, in tens.
    "labels until the interval is narrow": Case("cannot tell", UNSURE, doubt="wide interval", needed=160),
    # Too few points without gold for the labels that it would take.
    "just enough points for those labels": Case(
        "cannot tell", UNSURE, all_points=360, doubt="wide interval", needed=160
    ),
    "one point too few for those labels": Case(
        "cannot tell", UNSURE, all_points=359, doubt="wide interval", needed=160, too_few_points=True
    ),
    "just enough points to stop": Case("cannot tell", gold=30, all_points=50, doubt="little gold", needed=20),
    "one point too few to stop": Case(
        "cannot tell", gold=30, all_points=49, doubt="little gold", needed=20, too_few_points=True
    ),
    # Every point has gold.
    "every point has gold, points gain": Case("buy points", points=SURE, all_points=200),
    "every point has gold, nothing gains": Case("stop", all_points=200),
    # Fixes: surely above zero, worthwhile, and above both other gains.
    "a fix just above zero": Case("fix sources", SURE, fixes=(fix(0.02, BIT),)),
    "a fix not above zero": Case("buy labels", SURE, fixes=(fix(0.02, 0.0),)),
    "a fix just worthwhile": Case("fix sources", fixes=(fix(WORTHWHILE, 0.0001),)),
    "a fix just not worthwhile": Case("stop", fixes=(fix(WORTHWHILE - BIT, 0.0001),)),
    "a fix as good as labels": Case("fix sources", SURE, fixes=(fix(0.003, 0.001),)),
    "a fix just worse than labels": Case("buy labels", SURE, fixes=(fix(0.003 - BIT, 0.001),)),
    "a fix as good as points": Case("fix sources", points=SURE, fixes=(fix(0.003, 0.001),)),
    "a fix just worse than points": Case("buy points", points=SURE, fixes=(fix(0.003 - BIT, 0.001),)),
    "a fix settles what labels do not": Case("fix sources", UNSURE, fixes=(fix(0.02, 0.01),)),
    "a fix needs no more gold": Case("fix sources", gold=20, fixes=(fix(0.02, 0.01),)),
    "the better fix is not sure": Case("buy labels", SURE, fixes=(fix(0.02, 0.01), fix(0.03, -0.01))),
}


@pytest.mark.parametrize("name", CASES)
def test_known_answer(name: str) -> None:
    case = CASES[name]
    found = decide(case.gold, case.all_points, {"labels": case.labels, "points": case.points}, case.fixes)
    best = max(case.fixes, key=lambda change: change.gain.value, default=None)
    assert found == Decision(
        kind=case.kind,
        labels=case.labels,
        points=case.points,
        more_labels=min(50, case.all_points - case.gold),
        fix=best if case.kind == "fix sources" else None,
        doubt=case.doubt,
        needed=case.needed,
        too_few_points=case.too_few_points,
    )


def test_every_kind_and_every_doubt_is_in_the_table() -> None:
    assert {case.kind for case in CASES.values()} == {"buy labels", "buy points", "fix sources", "stop", "cannot tell"}
    doubts = {(case.doubt, case.too_few_points) for case in CASES.values() if case.kind == "cannot tell"}
    assert doubts == {(doubt, few) for doubt in ("little gold", "wide interval") for few in (False, True)}


def test_of_several_fixes_the_best_is_taken() -> None:
    small, large = fix(0.02, 0.01, "small"), fix(0.03, 0.01, "large")
    for fixes in ((small, large), (large, small)):
        assert decide(200, 10_000, {"labels": NONE, "points": NONE}, fixes).fix == large


@pytest.mark.parametrize(("without_gold", "more"), [(51, 50), (50, 50), (49, 49), (1, 1), (0, 0)])
def test_labels_are_bought_for_points_that_are_there(without_gold: int, more: int) -> None:
    assert NEXT_LABELS == 50
    assert labels_to_buy(200, 200 + without_gold) == more
