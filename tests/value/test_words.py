from __future__ import annotations

from typing import Any

import pytest

from karat.estimate.structure import DependentPair
from karat.value.changes import SourceChange
from karat.value.decision import Decision, Kind
from karat.value.jackknife import Interval
from karat.value.plan import Plan
from karat.value.votes_alone import VotesAlone
from karat.value.words import change_words, decision_words, purchase_words, worth

INFINITE = float("inf")
LABELS, POINTS = Interval(0.0034, 0.001, 0.006), Interval(0.0012, 0.0, 0.0024)
MERGE = SourceChange("merge", (("a", "b"), ("c", "d")), Interval(0.0213, 0.01, 0.03))


def words(kind: Kind, more_labels: int = 50, **more: Any) -> str:
    return decision_words(Decision(kind, LABELS, POINTS, more_labels, **more))


def test_known_answer_every_decision() -> None:
    assert words("buy labels") == (
        "Buy gold labels: the log loss goes down by 0.0034 with 50 more gold labels, by 0.0012 with 10 times the "
        "unlabeled points."
    )
    assert words("buy points", 0) == (
        "Buy unlabeled points: the log loss goes down by 0.0012 with 10 times the unlabeled points, and every point "
        "has gold."
    )
    assert words("stop", 7) == (
        "Stop: the log loss would go down by 0.0012 with 10 times the unlabeled points, by 0.0034 with 7 more gold "
        "labels."
    )
    assert words("fix sources", fix=MERGE) == (
        "Fix sources: take 'a' with 'b', 'c' with 'd' as one source each. The log loss goes down by 0.0213, by 0.0034 "
        "with 50 more gold labels."
    )
    assert words("cannot tell", doubt="wide interval", needed=1_230) == (
        "Cannot tell yet what to buy: with 1,230 more gold labels I could."
    )
    assert words("cannot tell", doubt="wide interval", needed=1_230, too_few_points=True) == (
        "Cannot tell what to buy, and there are too few points to label: bring more points."
    )


def test_a_loss_is_told_as_no_gain() -> None:
    worse = Interval(-0.002, -0.004, 0.0)
    assert "down by 0.0000 with 10 times" in decision_words(Decision("stop", worse, worse, 50))


@pytest.mark.parametrize(
    ("f", "end"),
    [
        ((42.3, 30.0, 61.0), "about 42 gold labels (30 to 61)."),
        ((1_042.3, 30.0, INFINITE), "about 1,042 gold labels (30 to any number)."),
        ((INFINITE, 900.0, INFINITE), "more than any number of gold labels (at least 900)."),
        ((INFINITE, 5.0, INFINITE), "more than any number of gold labels."),
        ((5.0, 5.0, 12.0), "no more than 5 gold labels (at most 12)."),
        ((5.0, 5.0, INFINITE), "no more than 5 gold labels."),
    ],
)
def test_what_unlabeled_points_are_worth(f: tuple[float, float, float], end: str) -> None:
    assert worth(40_000, Interval(*f)) == f"The 40,000 unlabeled points alone are worth {end}"


def test_purchases_and_changes() -> None:
    assert purchase_words() == {
        "labels": "50 more gold labels, or as many as there are points",
        "points": "ten times the unlabeled points",
    }
    assert change_words(MERGE) == "take 'a' with 'b', 'c' with 'd' as one source each"


def alone(n_gold: int, *pairs: DependentPair) -> str:
    return VotesAlone(1_000, n_gold, 0.5, pairs, 0.01, 0.0342).verdict


@pytest.mark.parametrize(
    ("n_gold", "missing"),
    [
        (0, "with 20 gold labels I could."),
        (5, "with 15 more gold labels I could."),
        (19, "with 1 more gold label I could."),
        (20, "the 20 gold labels are all of one class; with some of a second class I could."),
        (30, "the 30 gold labels are all of one class; with some of a second class I could."),
    ],
)
def test_without_enough_gold_it_says_what_is_missing(n_gold: int, missing: str) -> None:
    end = " The votes do not contradict independent sources."
    assert alone(n_gold) == f"Cannot tell yet what a gold label is worth: {missing}{end}"


def test_pairs_that_votes_alone_blame() -> None:
    pair = DependentPair("a", "b", 0.3, 9.0)
    end = "agree more or less than the class explains, which costs up to 0.034 of log loss."
    assert alone(0, pair).endswith(f"The votes contradict independent sources: 'a' with 'b' {end}")
    assert alone(0, pair, pair).endswith(f"'a' with 'b' and 1 more pair {end}")
    assert alone(0, pair, pair, pair).endswith(f"'a' with 'b' and 2 more pairs {end}")


@pytest.mark.parametrize(
    ("labels", "points", "verdict"),
    [
        (0, 0, "Keep the money: no purchase within the budget lowers the log loss by more than 0.0001."),
        (1, 0, "Buy 1 gold label for 1,234.50: that lowers the log loss from 0.2280 by 0.0016."),
        (40, 1_570, "Buy 40 gold labels and 1,570 unlabeled points for 1,234.50: that lowers the log loss "),
        (0, 1_570, "Buy 1,570 unlabeled points for 1,234.50: that lowers the log loss from 0.2280 by 0.0016."),
    ],
)
def test_plans(labels: int, points: int, verdict: str) -> None:
    before, after = Interval(0.228, 0.2, 0.25), Interval(0.2264, 0.2, 0.25)
    found = Plan(labels, points, 1234.5, before.value, after.value, before, after, ())
    assert found.verdict.startswith(verdict)


def test_no_ratio_where_no_number_of_points_does() -> None:
    from karat.value.words import ratio_words

    never = Interval(0.0, 0.0, 3.0)
    assert ratio_words(never, Interval(float("inf"), 900.0, float("inf"))) == ""
