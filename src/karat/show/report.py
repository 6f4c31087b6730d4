"""A report: verdict first, then tables, then the next command; for people or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from karat.io.plain import plain
from karat.show.terminal import console, table, visible


@dataclass
class Section:
    """A heading and, below it, a table or lines."""

    title: str
    headers: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    lines: Sequence[str] = ()
    texts: int = 1  # how many of the columns, from the left, hold text


@dataclass
class Report:
    """Verdict first, then tables, then the next command.

    Parameters
    ----------
    verdict : str
        One line.
    data : dict
        All of it for ``--json``.
    sections : list of Section
    next_command : str
    exit_code : int
        0, or 1 where karat ran but cannot tell.
    """

    verdict: str
    data: dict[str, Any]
    sections: list[Section] = field(default_factory=list)
    next_command: str = ""
    exit_code: int = 0

    def to_dict(self) -> dict[str, Any]:
        """One JSON object; null where a number is not known."""
        content = {"verdict": self.verdict, **self.data, "next": self.next_command}
        return {name: plain(value) for name, value in content.items()}

    def print(self, out: Console | None = None) -> None:
        """Print for people, on stdout where no other console is given."""
        out = out or console()
        out.print(visible(self.verdict), style="bold")
        for section in self.sections:
            out.print()
            out.print(visible(section.title))
            if section.headers:
                out.print(table(section.headers, section.rows, section.texts))
            for line in section.lines:
                out.print(visible(line))
        if self.next_command:
            out.print()
            out.print(f"Next: {visible(self.next_command)}", soft_wrap=True)
