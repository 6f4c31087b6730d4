"""Verdicts and tables on a terminal: results on stdout, progress on stderr where somebody watches."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

_WIDTH = 120  # of what is piped or redirected


class _Console(Console):
    """A console that ends quietly when whoever reads it has seen enough."""

    def on_broken_pipe(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def console() -> Console:
    """Where results go. Nothing in them is markup: names come from data."""
    width = None if sys.stdout.isatty() else _WIDTH
    return _Console(width=width, markup=False, highlight=False, emoji=False)


def visible(text: object) -> str:
    r"""Text without characters that would move the cursor or change colours.

    >>> print(visible("a\x1b[31mb"))
    a\x1b[31mb
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Table:
    """A table; the first `left` columns are text, the others numbers."""
    result = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, header in enumerate(headers):
        result.add_column(header, justify="left" if place < left else "right", overflow="fold", no_wrap=place >= left)
    for row in rows:
        result.add_row(*(Text(visible(cell)) for cell in row))
    return result


def source_rows(rows: list[dict[str, Any]], gold: bool) -> tuple[list[str], list[list[str]]]:
    """Headers and cells of the table of sources; the columns on gold only where there is some."""
    headers = ["source", "polarity", "coverage", "overlaps", "conflicts"]
    headers += ["correct", "incorrect", "emp. acc."] if gold else []
    headers += ["accuracy", "interval"]
    cells = []
    for row in rows:
        line = [row["source"], ", ".join(map(str, row["polarity"]))]
        line += [share(row[name]) for name in ("coverage", "overlaps", "conflicts")]
        if gold:
            line += [f"{row['correct']:,}", f"{row['incorrect']:,}", share(row["empirical_accuracy"])]
        line += [share(row["accuracy"]), interval(row["low"], row["high"])]
        cells.append(line)
    return headers, cells


def share(value: float | None) -> str:
    """A number, mostly between 0 and 1, with three digits, or a dash.

    >>> share(0.98765), share(-0.005), share(None)
    ('.988', '-.005', '-')
    """
    if value is None:
        return "-"
    text = f"{round(value, 3) + 0.0:.3f}"  # no minus before a zero
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def interval(low: float | None, high: float | None) -> str:
    """Both ends of an interval, or a word where the data cannot tell."""
    if low is None or high is None:
        return "-"
    return "cannot tell" if (low, high) == (0, 1) else f"{share(low)} to {share(high)}"


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how far work is, on stderr, if that is a terminal; yields a function of done and to do."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
