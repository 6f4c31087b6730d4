"""Reports on a terminal, or wherever stdout goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import StringIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from karat.show.cells import Cell
from karat.show.report import Report, Section

_MOST_ROWS = 20  # of a table whose rows say how much they tell


class _Console(Console):
    """A console that ends quietly when whoever reads it has seen enough."""

    def on_broken_pipe(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def console() -> Console:
    """Where results go, as wide as the terminal or as COLUMNS says. Nothing is markup: names come from data."""
    return _Console(markup=False, highlight=False, emoji=False)


def print_report(report: Report, out: Console | None = None, wide: bool = False, every: bool = False) -> None:
    """Print a report for people, on stdout where no other console is given.

    Parameters
    ----------
    wide, every : bool
        All columns, and all rows, of tables that have many.
    """
    out = out or console()
    out.print(visible(report.verdict), style="bold")
    for section in report.sections:
        out.print()
        out.print(visible(section.title))
        columns = [place for place in range(len(section.headers)) if wide or place not in section.details]
        rows = _most_telling(section, every)
        if columns:
            cells = [[section.rows[row][place] for place in columns] for row in rows]
            out.print(_table([section.headers[place] for place in columns], cells, section.names))
        if len(rows) < len(section.rows):
            out.print(f"The {len(rows)} of {len(section.rows):,} that tell most; --all shows the others.")
        if wide and section.details_words:
            out.print(visible(section.details_words))
        for line in section.lines:
            out.print(visible(line))
        if not (section.headers or section.lines):  # all of it is pictures: what they show, in words
            for finding in dict.fromkeys(chart.title for chart in section.charts):
                if finding != section.title:
                    out.print(visible(finding))
    if report.next_command:
        out.print()
        out.print(f"Next: {visible(report.next_command)}", soft_wrap=True)


def report_text(report: Report) -> str:
    """A report as text."""
    out = Console(file=StringIO(), markup=False, highlight=False, emoji=False)
    with out.capture() as captured:
        print_report(report, out)
    return captured.get()


def _most_telling(section: Section, every: bool) -> list[int]:
    """The rows to show: all in their order, or where they are many, those that tell most, the most first."""
    rows = range(len(section.rows))
    if every or not section.telling or len(rows) <= _MOST_ROWS:
        return list(rows)
    return sorted(rows, key=lambda row: -section.telling[row])[:_MOST_ROWS]


def visible(text: object) -> str:
    r"""Text without characters that would move the cursor or change colours.

    >>> print(visible("a\x1b[31mb"))
    a\x1b[31mb
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


def _table(headers: Sequence[str], rows: Sequence[Sequence[Cell]], names: int) -> Table:
    """A table; the first columns name the row, and may be folded where there is little room."""
    result = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, header in enumerate(headers):
        named = place < names
        result.add_column(header, justify="left" if named else "right", overflow="fold", no_wrap=not named)
    for row in rows:
        result.add_row(*(Text(visible(cell)) for cell in row))
    return result
