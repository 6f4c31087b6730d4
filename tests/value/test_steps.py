from __future__ import annotations

from karat.value.steps import Steps


def test_every_step_is_told_once() -> None:
    seen: list[tuple[int, int]] = []
    steps = Steps(3, lambda *at: seen.append(at))
    for _ in range(3):
        steps.done()
    assert seen == [(1, 3), (2, 3), (3, 3)]
    Steps(1).done()
