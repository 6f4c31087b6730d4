"""How far long work is."""

from __future__ import annotations

from karat._types import Progress


class Steps:
    """Counts steps and tells somebody."""

    def __init__(self, total: int, progress: Progress | None = None) -> None:
        self._total = total
        self._progress = progress
        self._done = 0

    def done(self) -> None:
        """One more step is done."""
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)
