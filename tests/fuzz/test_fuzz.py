from __future__ import annotations

import numpy as np
import pytest

from fuzz.hunt import hunt
from fuzz.judge import run_case

PARTS, CASES = 4, 125


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_hostile_inputs_are_refused_or_answered(part: int) -> None:
    assert hunt(0, range(part * CASES, (part + 1) * CASES)) == []


def test_a_case_is_the_same_whenever_it_is_run() -> None:
    assert run_case(0, 3) == run_case(0, 3)
    assert run_case(0, 3)[0] != run_case(1, 3)[0]


def test_negative_control(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_it(*arguments: object, **options: object) -> None:
        np.zeros(2)[7]

    monkeypatch.setattr("carob.read.to_votes.find_coding", break_it)
    assert any(run_case(0, number)[1] for number in range(20))
