"""How far a command is: which stage of the work, how many steps are done, and how many there are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

Stage = Literal["reading", "sources", "labels", "value", "points", "paper"]
Progress = Callable[[Stage, int, int], None]  # 0 of 0 steps: begun, and it is not known yet how many there are


def silent(stage: Stage, done: int, total: int) -> None:
    """Tell nobody."""


def started(progress: Progress, stage: Stage) -> Callable[[int, int], None]:
    """Say that a stage begins; returns what its work calls with how many steps are done and how many there are."""
    progress(stage, 0, 0)
    return partial(progress, stage)
