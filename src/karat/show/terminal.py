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
from karat.show.report import Report

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


def print_report(report: Report, out: Console | None = None) -> None:
    """Print a report for people, on stdout where no other console is given."""
    out = out or console()
    out.print(visible(report.verdict), style="bold")
    for section in report.sections:
        out.print()
        out.print(visible(section.title))
        if section.headers:
            out.print(_table(section.headers, section.rows, section.names))
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
    """A report as text, as wide as what is piped."""
    out = Console(file=StringIO(), width=_WIDTH, markup=False, highlight=False, emoji=False)
    with out.capture() as captured:
        print_report(report, out)
    return captured.get()


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
