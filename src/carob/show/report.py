"""A report: the verdict, sections with tables and lines, the next command, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carob.show.cells import Cell
from carob.show.charts.chart import Chart


@dataclass(frozen=True)
class Section:
    """A heading and, below it, a table, lines, or both."""

    title: str
    headers: Sequence[str] = ()  # of the table, where there is one
    rows: Sequence[Sequence[Cell]] = ()
    lines: Sequence[str] = ()
    names: int = 1  # how many columns, from the left, say what a row is about
    charts: Sequence[Chart] = ()  # where pictures can be shown
    details: Sequence[int] = ()  # columns that a terminal leaves out unless asked for them
    details_words: str = ""  # what they are, for who asks
    telling: Sequence[float] = ()  # how much each row tells, where a terminal may leave out those that tell least


@dataclass(frozen=True)
class Report:
    """A result in words."""

    verdict: str  # one line
    sections: Sequence[Section] = ()
    next_command: str = ""  # what to run next; empty where nothing follows
    exit_code: int = 0  # 0 fine, 1 where carob ran but cannot tell, 2 where the input is bad
