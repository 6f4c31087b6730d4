from __future__ import annotations

from carob.commands.progress import Stage, silent, started


def test_a_stage_begins_without_knowing_how_long_it_is() -> None:
    seen: list[tuple[Stage, int, int]] = []
    tell = started(lambda stage, done, total: seen.append((stage, done, total)), "value")
    tell(1, 3)
    assert seen == [("value", 0, 0), ("value", 1, 3)]
    silent("paper", 1, 2)
