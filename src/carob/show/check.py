"""What `carob check` says."""

from __future__ import annotations

from carob.commands.check import CheckResult
from carob.errors import examples, plural
from carob.show.data import (
    balance_section,
    message_sections,
    pair_section,
    score_section,
    size_words,
    source_section,
)
from carob.show.report import Report, Section
from carob.votes.messages import of_kind
from carob.votes.scales import score_words


def check_report(result: CheckResult, next_command: str = "") -> Report:
    """Whether votes are fit to be used; the next command only where they are."""
    data = result.data
    kinds = score_words(data.coding.scales)
    guesses = [guess.words for guess in of_kind(data.messages, "guess")]
    reading = Section("How the votes were read", lines=[*guesses, f"{data.coding}.", *kinds])
    read = [*message_sections(data.messages, "warning", "dropped"), reading, source_section(data)]
    if result.scores:
        read.append(score_section(result.scores))
    if result.problems:
        mend = Section("To mend", lines=[f"- {problem}" for problem in result.problems])
        verdict = f"Not ready: {plural(len(result.problems), 'thing')} to mend. ({size_words(data)})"
        return Report(verdict, [mend, *read], exit_code=2 if result.identified else 1)
    ready = "Ready to fit"
    if data.warnings:
        ready = f"Can be fitted, with {plural(len(data.warnings), 'thing')} to look at first"
    worse = f" Worse than chance: {examples(result.worse)}." if result.worse else ""
    sections = [*read, balance_section(result.class_balance), pair_section(result.pairs, result.dependence)]
    if result.findings:
        sections.append(Section("What stands out", lines=result.findings))
    return Report(f"{ready}: {size_words(data)}.{worse}", sections, next_command)
