from __future__ import annotations

from karat.value.interval import Interval


def test_another_unit() -> None:
    assert Interval(2.0, 1.0, 4.0).times(0.5) == Interval(1.0, 0.5, 2.0)
