"""What `carob check` says, and `carob.check`, which says it of votes in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from carob._types import Shown
from carob.commands.check import CheckResult, check_votes
from carob.errors import examples, plural
from carob.model.label_model import LabelModel
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


@dataclass(frozen=True, eq=False, repr=False)
class Checked(CheckResult, Shown):
    """What is to be known of votes before they are used; printed, it is what `carob check` says."""

    def __repr__(self) -> str:
        from carob.show.terminal import report_text  # loads rich

        return report_text(check_report(self)).rstrip("\n")


def check(votes: Any, gold: Any = None, *, model: LabelModel | None = None) -> Checked:
    r"""Find out whether votes are fit to be learned from, how they were read, and how good each source is.

    Parameters
    ----------
    votes, gold
        As in `carob.LabelModel.fit`; where gold is not given, that which came with the votes.
    model : LabelModel, optional
        How to learn.

    Examples
    --------
    >>> import carob
    >>> found = carob.check(carob.paper.datasets.load_imdb(), model=carob.LabelModel(class_balance=0.5))
    >>> print(str(found).partition(".")[0])
    Ready to fit: 50,000 points, 12 sources, 2 classes, 50,000 gold labels
    >>> found.problems
    ()
    """
    model = LabelModel() if model is None else model
    data, truth = model.read(votes, gold)
    if truth is not None:
        data = replace(data, gold=truth)
    return Checked(**vars(check_votes(data, model.settings())))
