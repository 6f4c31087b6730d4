from __future__ import annotations

import pytest

from carob.value.by_points import value_by_points
from carob.value.equivalent import equivalent
from carob.value.risks import Risks


def test_all_points_are_worth_what_the_value_says_and_fewer_ones_are_asked_too(risks: Risks) -> None:
    told: list[tuple[int, int]] = []
    found = value_by_points(risks, lambda done, total: told.append((done, total)))
    assert [part.n for part in found] == [375, 750, 1_500]  # three times as many points as gold labels, at least
    f = equivalent(risks, 0.9)
    assert found[-1].equivalent_labels == f
    assert found[-1].loss == pytest.approx(risks.scores["votes alone"].loss)
    assert all(part.ratio.low <= part.ratio.value <= part.ratio.high for part in found)
    assert told == [(0, 2), (1, 2)]


def test_the_same_seed_gives_the_same_bits(risks: Risks) -> None:
    assert value_by_points(risks) == value_by_points(risks)
