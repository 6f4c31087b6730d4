from __future__ import annotations

from carob.value.interval import Interval


def test_as_much_on_either_side() -> None:
    assert Interval.around(2.0, 0.5) == Interval(2.0, 1.5, 2.5)
