from __future__ import annotations

import threading

from carob._kernels import threads
from carob._types import cached_property


class Slow:
    """Something that is worked out on all cores, perhaps by asking others for the same."""

    def __init__(self, others: tuple[Slow, ...] = ()) -> None:
        self.others, self.asked = others, 0

    @cached_property
    def value(self) -> int:
        """How many there are."""
        self.asked += 1
        return 1 + sum(threads.in_threads(lambda k: self.others[k].value, len(self.others)))


def test_worked_out_once() -> None:
    one = Slow()
    assert (one.value, one.value, one.asked) == (1, 1, 1)
    assert isinstance(vars(Slow)["value"], cached_property)


def test_nobody_waits_for_who_works_for_him() -> None:
    several = [Slow(tuple(Slow() for _ in range(8))) for _ in range(4)]
    asking = [threading.Thread(target=lambda one=one: one.value, daemon=True) for one in several]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(timeout=20)
        assert not thread.is_alive()
    assert [one.value for one in several] == [9] * 4
