from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from carob import InputError
from carob.value.decision import NEXT_LABELS, SURE_ENOUGH, WORTHWHILE, Kind, decide, labels_to_buy
from carob.value.gains import Gain, Lacking, Prospects

BIT = 1e-6  # what separates the two sides of a threshold
KNOWN = 1e-4  # deviation of a gain that is known


def prospects(labels: float, points: float, deviation: float = KNOWN, gold: int = 200, n: int = 10_000) -> Prospects:
    """What 50 labels, and ten times the points, bring."""
    more = min(50, n - gold)
    per_label = labels / (1 / gold - 1 / (gold + more)) if more else 1.0
    lacking = Lacking(Gain(per_label, deviation, deviation), Gain(points / (0.9 / n), deviation, deviation), gold, n)
    return Prospects(lacking, lacking)


@dataclass(frozen=True)
class Case:
    """What is known, and the decision that it calls for."""

    kind: Kind
    labels: float = 0.0
    points: float = 0.0
    all_points: int = 10_000


CASES = {
    "labels gain more": Case("buy labels", 0.003, 0.002),
    "points gain more": Case("buy points", 0.002, 0.003),
    "labels just worthwhile": Case("buy labels", WORTHWHILE * (1 + 5 * KNOWN)),
    "labels just not worthwhile": Case("stop", WORTHWHILE * (1 - 5 * KNOWN)),
    "points just worthwhile": Case("buy points", points=WORTHWHILE * (1 + 5 * KNOWN)),
    "points just not worthwhile": Case("stop", points=WORTHWHILE * (1 - 5 * KNOWN)),
    "nothing gains": Case("stop"),
    "every point has gold, points gain": Case("buy points", points=0.003, all_points=200),
}


@pytest.mark.parametrize("name", CASES)
def test_known_answer(name: str) -> None:
    case = CASES[name]
    found = decide(prospects(case.labels, case.points, n=case.all_points))
    assert found.kind == case.kind
    assert found.labels.median == pytest.approx(case.labels if case.all_points > 200 else 0.0)
    assert sum(found.sure.values()) == pytest.approx(1)


def test_simulation_how_sure_it_is() -> None:
    found = decide(prospects(0.002, 0.0012, deviation=0.9))
    rng = np.random.default_rng(0)
    labels, points = (median * np.exp(0.9 * rng.normal(size=100_000)) for median in (0.002, 0.0012))
    stop = np.maximum(labels, points) < WORTHWHILE
    assert found.sure["stop"] == pytest.approx(stop.mean(), abs=0.01)
    assert found.sure["buy labels"] == pytest.approx((~stop & (labels >= points)).mean(), abs=0.01)
    assert found.leaning == "buy labels"
    assert found.kind == ("buy labels" if found.sure["buy labels"] >= SURE_ENOUGH else "cannot tell")


def test_what_might_as_well_be_the_other_way_round_cannot_be_told() -> None:
    found = decide(prospects(0.002, 0.0019, deviation=0.9))
    assert (found.kind, found.leaning) == ("cannot tell", "buy labels")


def test_who_may_gain_far_more_leads_where_the_middles_are_level() -> None:
    labels, points = Gain(0.002 / (1 / 200 - 1 / 250), 2.5, 0.4), Gain(0.002 / (0.9 / 10_000), 2.5, 0.8)
    lacking = Lacking(labels, points, 200, 10_000)
    found = decide(Prospects(lacking, lacking))
    assert found.labels.median == pytest.approx(found.points.median)
    assert (found.kind, found.leaning) == ("cannot tell", "buy points")


def test_a_gain_that_a_user_asks_for() -> None:
    lacking = prospects(0.003, 0.001)
    assert decide(lacking, worth=0.002).kind == "buy labels"
    asked = decide(lacking, worth=0.004)
    assert (asked.kind, asked.unit, asked.worth) == ("stop", "accuracy", 0.004)
    for worth in (0.0, 1.0, -0.1, float("nan")):
        with pytest.raises(InputError, match="worth is a gain in the share of right labels"):
            decide(lacking, worth)


@pytest.mark.parametrize(("without_gold", "more"), [(51, 50), (50, 50), (49, 49), (1, 1), (0, 0)])
def test_labels_are_bought_for_points_that_are_there(without_gold: int, more: int) -> None:
    assert NEXT_LABELS == 50
    assert labels_to_buy(200, 200 + without_gold) == more
