"""Reports on a terminal, or wherever stdout goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from carob.show.report import Report, Section

_GAP = 2  # between columns
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

    `wide` and `every`: all columns, and all rows, of tables that have many.
    """
    out = out or console()
    out.print(visible(report.verdict), style="bold")
    for section in report.sections:
        out.print()
        out.print(visible(section.title))
        columns = [place for place in range(len(section.headers)) if wide or place not in section.details]
        rows = _most_telling(section, every)
        if columns:
            cells = [[visible(section.rows[row][place]) for place in columns] for row in rows]
            headers = [section.headers[place] for place in columns]
            for places in _side_by_side(headers, cells, section.names, out.width):
                some = [[row[place] for place in places] for row in cells]
                out.print(_table([headers[place] for place in places], some, section.names))
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


def _side_by_side(headers: Sequence[str], rows: Sequence[Sequence[str]], names: int, width: int) -> list[list[int]]:
    """Which columns stand in one table: all where there is room, else as many as fit, each time with the names.

    >>> _side_by_side(["source", "votes", "accuracy"], [["rules", "12", ".9"]], 1, 20)
    [[0, 1], [0, 2]]
    """
    wide = [max(map(cell_len, column)) + _GAP for column in zip(headers, *rows, strict=True)]
    named = list(range(names))
    room = width - min(sum(wide[:names]), width // 2)  # long names are folded
    tables, used = [named], 0
    for place in range(names, len(headers)):
        if used + wide[place] - _GAP > room and len(tables[-1]) > names:
            tables, used = [*tables, named], 0
        tables[-1] = [*tables[-1], place]
        used += wide[place]
    return tables


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> Table:
    """A table; the first columns name the row, and may be folded where there is little room."""
    result = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for place, header in enumerate(headers):
        named = place < names
        result.add_column(header, justify="left" if named else "right", overflow="fold", no_wrap=not named)
    for row in rows:
        result.add_row(*map(Text, row))
    return result
