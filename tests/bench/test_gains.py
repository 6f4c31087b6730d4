"""The laws of gains: what is learned from cases, and whether intervals hold a truth that is told with an error."""

from __future__ import annotations

import numpy as np
import pytest
from gains import BELOW, BEYOND, Case, cases_of, holds, labels_law, points_law

from carob.value.interval import Interval


def simulated_cases(seed: int) -> list[Case]:
    """Constants of 20 sets, 6 draws each, around 3 sqrt(seen), what is seen with noise; a fifth learn no more."""
    rng = np.random.default_rng(seed)
    found = []
    for place in range(20):
        seen = np.exp(rng.normal(0, 0.8))
        constant = 0.05 if place % 5 == 0 else 3 * seen**0.5
        found += [Case(f"set {place}", seen * np.exp(rng.normal(0, 0.2)), constant, 0.1) for _ in range(6)]
    return found


def test_recovery_a_law_of_clear_cases_and_its_deviations() -> None:
    cases = simulated_cases(0)
    law = labels_law(cases)
    assert law.level == pytest.approx(3, abs=0.3)
    assert law.power == 0.5
    assert law.above < 0.6 < law.below == BELOW  # who learns no more is far below what is said, and nobody far above
    said = [(law.of(case.seen).interval(0.9), case) for case in cases]
    above = [case.constant > told.value and not holds(told, case.constant, case.error) for told, case in said]
    assert np.mean(above) <= BEYOND


def test_recovery_a_law_of_all_cases_says_less_where_many_sets_gain_nothing() -> None:
    cases = simulated_cases(1)
    assert points_law([case for case in cases if case.constant > 0.05]).level == pytest.approx(3, abs=0.3)
    assert 2 < points_law(cases).level < 3
    nothing = [Case(f"flat {place}", 1.0, -0.1, 0.1) for place in range(40)]
    assert points_law([*cases, *nothing]).level < 0.5


def test_a_constant_within_its_error_is_not_clear() -> None:
    assert Case("x", 1.0, 2.0, 0.9).clear
    assert not Case("x", 1.0, 2.0, 1.1).clear
    assert not Case("x", 1.0, 0.5, 0.0).clear


def test_every_draw_is_a_case() -> None:
    row = {"set": "x", "gold": 100, "loss": 2.0, "loss error": 0.5, "seen": [1.0, 0.0]}
    assert [case.seen for case in cases_of([row, {"set": "x", "points": 300}], "gold")] == [1.0, 0.01]


def test_known_answer_an_interval_widened_by_the_error_of_the_truth() -> None:
    told = Interval(1.0, 0.5, 3.0)
    assert holds(told, 2.9, 0.0)
    assert not holds(told, 0.4, 0.0)
    assert holds(told, 0.4, 0.3)  # .5 and 1.64 times .3 on this side are .7 together
    assert not holds(told, 0.2, 0.3)
