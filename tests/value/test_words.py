from __future__ import annotations

from typing import Any

import pytest

from carob.paper.structure import DependentPair
from carob.value.decision import Decision, Kind, Unit
from carob.value.gains import Gain
from carob.value.interval import Interval
from carob.value.plan import Plan
from carob.value.votes_alone import VotesAlone
from carob.value.words import decision_words, purchase_words, ratio_words, worth

INFINITE = float("inf")
LABELS, POINTS = Gain(0.0034, 0.5, 0.5), Gain(0.0012, 0.5, 0.5)
SURE: dict[Kind, float] = {"buy labels": 0.8, "buy points": 0.15, "stop": 0.05}


def words(kind: Kind, more_labels: int = 50, unit: Unit = "log loss", leaning: Kind | None = None, **more: Any) -> str:
    worth = 0.0005 if unit == "log loss" else 0.01
    return decision_words(Decision(kind, LABELS, POINTS, more_labels, worth, unit, SURE, leaning or kind, **more))


def test_known_answer_every_decision() -> None:
    assert words("buy labels") == (
        "Buy gold labels: 50 more gold labels lower the log loss by about 0.0034, ten times the unlabeled points lower "
        "the log loss by about 0.0012. That is the best answer with a probability of 80%."
    )
    assert words("buy points", 0) == (
        "Buy unlabeled points: ten times the unlabeled points lower the log loss by about 0.0012, every point has "
        "gold. That is the best answer with a probability of 15%."
    )
    assert words("stop", 7, "accuracy") == (
        "Stop: 7 more gold labels raise the share of right labels by about 0.34%, ten times the unlabeled points raise "
        "the share of right labels by about 0.12%, where 1.00% would be worth it. That is the best answer with a "
        "probability of 5%."
    )
    assert words("cannot tell", leaning="buy labels").endswith(
        "To buy gold labels is the best answer with a probability of 80% only; what either costs may decide (carob "
        "plan)."
    )


@pytest.mark.parametrize(
    ("f", "end"),
    [
        ((42.3, 30.0, 61.0), "about 42 gold labels alone (30 to 61)."),
        ((1_042.3, 30.0, INFINITE), "30 gold labels alone, or more."),
        ((INFINITE, 900.0, INFINITE), "900 gold labels alone, or more."),
        ((INFINITE, 5.0, INFINITE), "a number of gold labels that these do not tell."),
        ((5.0, 5.0, 12.0), "12 gold labels alone, or fewer."),
        ((5.0, 5.0, 5.0), "5 gold labels alone, or fewer."),
    ],
)
def test_what_unlabeled_points_are_worth(f: tuple[float, float, float], end: str) -> None:
    assert worth(40_000, Interval(*f)) == f"The votes on 40,000 points alone do as well as {end}"


@pytest.mark.parametrize(
    ("f", "line"),
    [
        ((42.3, 30.0, 61.0), "One gold label does what 946 unlabeled points do (656 to 1,333)."),
        ((5.0, 5.0, 12.0), "One gold label does what 3,333 unlabeled points do, or more."),
        ((INFINITE, 900.0, INFINITE), "One gold label does what 44 unlabeled points do, or fewer."),
        ((INFINITE, 5.0, INFINITE), ""),
    ],
)
def test_what_one_gold_label_does(f: tuple[float, float, float], line: str) -> None:
    found = Interval(*f)
    assert ratio_words(Interval(*(40_000 / n for n in (found.value, found.high, found.low))), found) == line


def test_purchases() -> None:
    assert purchase_words() == {
        "labels": "50 more gold labels, or as many as there are points",
        "points": "ten times the unlabeled points",
    }


def alone(n_gold: int, *pairs: DependentPair) -> str:
    return VotesAlone(1_000, n_gold, 0.5, pairs, 0.0342).verdict


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
        (
            1,
            0,
            "Buy 1 gold label for 1,234.50: that lowers the log loss from 0.2280 by about 0.0016 (0.0010 to 0.0030).",
        ),
        (40, 1_570, "Buy 40 gold labels and 1,570 unlabeled points for 1,234.50: that lowers the log loss "),
        (0, 1_570, "Buy 1,570 unlabeled points for 1,234.50: that lowers the log loss from 0.2280 by about 0.0016"),
    ],
)
def test_plans(labels: int, points: int, verdict: str) -> None:
    before, after = Interval(0.228, 0.2, 0.25), Interval(0.2264, 0.2, 0.25)
    found = Plan(labels, points, 1234.5, before.value, after.value, before, after, Interval(0.0016, 0.001, 0.003), ())
    assert found.verdict.startswith(verdict)
