"""How far work is, on stderr, where somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from carob.commands.progress import Progress, Stage, silent

WORDS: dict[Stage, str] = {
    "reading": "reading the votes",
    "sources": "learning the sources",
    "labels": "labeling points",
    "value": "weighing gold against votes",
    "points": "weighing fewer points",
    "paper": "reproducing the paper",
}


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar for the stage that a command is at, gone when the work is done; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[Stage, TaskID] = {}

        def show(stage: Stage, done: int, total: int) -> None:
            if stage not in tasks:
                for other in list(tasks):
                    bar.remove_task(tasks.pop(other))
                tasks[stage] = bar.add_task(WORDS[stage], total=None)
            bar.update(tasks[stage], completed=done, total=total or None)

        yield show
