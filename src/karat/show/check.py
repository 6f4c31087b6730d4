"""What `karat check` says."""

from __future__ import annotations

from karat.commands.check import CheckResult
from karat.errors import plural
from karat.show.data import aside_sections, balance_section, pair_section, size_words, source_section
from karat.show.report import Report, Section


def check_report(result: CheckResult, next_command: str = "") -> Report:
    """Whether votes are fit to be used; the next command only where they are."""
    reading = Section("How the votes were read", lines=[f"{result.data.coding}."])
    sources = source_section(result.data)
    if result.problems:
        mend = Section("To mend", lines=[f"- {problem}" for problem in result.problems])
        verdict = f"Not ready: {plural(len(result.problems), 'thing')} to mend. ({size_words(result.data)})"
        return Report(
            verdict, [mend, *aside_sections(result.data), reading, sources], exit_code=2 if result.identified else 1
        )
    sections = [
        *aside_sections(result.data),
        reading,
        sources,
        balance_section(result.class_balance),
        pair_section(result.pairs),
    ]
    return Report(f"Ready to fit: {size_words(result.data)}.", sections, next_command)
