"""A report: the verdict, sections with tables and lines, the next command, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carob.show.cells import Cell
from carob.show.charts.chart import Chart


@dataclass(frozen=True)
class Section:
    """A heading and, below it, a table, lines, or both.

    Parameters
    ----------
    title : str
    headers : sequence of str
        Of the table, where there is one.
    rows : sequence of sequences of cells
    lines : sequence of str
    names : int
        How many columns, from the left, say what a row is about.
    charts : sequence of Chart
        Where pictures can be shown.
    details : sequence of int
        Columns that a terminal leaves out unless asked for them.
    details_words : str
        What they are, for who asks.
    telling : sequence of float
        How much each row tells, where a terminal may leave out those that tell least.
    """

    title: str
    headers: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = ()
    lines: Sequence[str] = ()
    names: int = 1
    charts: Sequence[Chart] = ()
    details: Sequence[int] = ()
    details_words: str = ""
    telling: Sequence[float] = ()


@dataclass(frozen=True)
class Report:
    """A result in words.

    Parameters
    ----------
    verdict : str
        One line.
    sections : sequence of Section
    next_command : str
        What to run next; empty where nothing follows.
    exit_code : int
        0 fine, 1 where carob ran but cannot tell, 2 where the input is bad.
    """

    verdict: str
    sections: Sequence[Section] = ()
    next_command: str = ""
    exit_code: int = 0
