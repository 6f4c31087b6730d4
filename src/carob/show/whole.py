"""What `carob report` says: everything, the verdict first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from carob.commands.analysis import Analysis, Prices, ReportResult
from carob.read.query import is_query
from carob.show.charts.data_value import data_value
from carob.show.charts.dependence import triplet_spread
from carob.show.charts.histogram import histogram
from carob.show.check import check_report
from carob.show.data import (
    balance_section,
    message_sections,
    pair_section,
    score_section,
    size_words,
    source_section,
)
from carob.show.fit import quality_sections
from carob.show.report import Report, Section
from carob.show.value import curve_section, gain_section, plan_section, risk_section, votes_alone_section
from carob.value.advice import DataValue
from carob.value.plan import Plan
from carob.value.votes_alone import VotesAlone
from carob.votes.messages import of_kind
from carob.votes.scales import score_words


def whole_report(result: ReportResult, next_command: str = "") -> Report:
    """Verdict, sources, error, value, plan, evidence and method."""
    analysis = result.analysis
    if analysis.labeled is None:
        return check_report(analysis.check)
    sections = [
        *first_sections(analysis),
        *source_sections(analysis),
        *error_sections(analysis),
        *value_sections(analysis),
        *plan_sections(result.plan, result.prices),
        *evidence_sections(analysis),
        method_section(analysis),
    ]
    cannot_tell = analysis.value is None or analysis.value.kind == "cannot tell"
    return Report(verdict(analysis), sections, next_command, exit_code=1 if cannot_tell else 0)


def title(name: str) -> str:
    """What a report is called: after its file, without the folders that lead there."""
    return "Report on a query" if is_query(name) else f"Report on {Path(name).name}"


def verdict(analysis: Analysis) -> str:
    """What to do next; without a value, what was read."""
    if analysis.value is not None:
        return analysis.value.verdict
    return f"{size_words(analysis.check.data)}. {analysis.no_value}"


def first_sections(analysis: Analysis) -> list[Section]:
    """What was read, and what to look at before all else."""
    data = analysis.check.data
    read = [
        f"{size_words(data)}.",
        *(guess.words for guess in of_kind(data.messages, "guess")),
        f"{data.coding}.",
        *score_words(data.coding.scales),
    ]
    return [
        *message_sections(data.messages, "warning"),
        Section("How the votes were read", lines=read),
        *message_sections(data.messages, "dropped"),
    ]


def source_sections(analysis: Analysis) -> list[Section]:
    """How good each source is, and how common each class."""
    check, labeled = analysis.check, analysis.labeled
    sections = [source_section(check.data, None if labeled is None else labeled.alone)]
    if check.scores:
        sections.append(score_section(check.scores))
    sections.append(balance_section(check.class_balance))
    if check.findings:
        sections.append(Section("What stands out", lines=check.findings))
    return sections


def error_sections(analysis: Analysis) -> list[Section]:
    """How wrong the labels are, and how sure they say they are."""
    sections = [] if analysis.labeled is None else quality_sections(analysis.labeled.result)
    if isinstance(analysis.value, DataValue):
        risks = risk_section(analysis.value)  # the table of scores, and what would mend them
        sections = [risks, *(section for section in sections if section.title != risks.title)]
    if analysis.labeled is not None and analysis.labeled.result.histogram is not None:
        sections.append(Section("How sure the labels are", charts=[histogram(analysis.labeled.result.histogram)]))
    return sections


def value_sections(analysis: Analysis) -> list[Section]:
    """What gold and points are worth."""
    value = analysis.value
    if value is None:
        return [Section("What a gold label is worth", lines=[analysis.no_value])]
    if isinstance(value, VotesAlone):
        return [votes_alone_section(value)]
    chart = data_value(analysis.by_points)
    points = [Section("What unlabeled points are worth", charts=[chart])] if chart else []
    return [gain_section(value), curve_section(value), *points]


def plan_sections(plan: Plan | None, prices: Prices) -> list[Section]:
    """What to buy, where that can be told."""
    if plan is None:
        return []
    section = plan_section(plan)
    words = f"{prices.label_cost:g} for a gold label, {prices.point_cost:g} for an unlabeled point"
    if prices.example:
        note = f"With made-up prices: {words}. Say yours: --label-cost, --point-cost, --budget."
    else:
        note = f"Prices: {words}; a budget of {prices.budget:g}."
    return [replace(section, lines=[plan.verdict, note, *section.lines])]


def evidence_sections(analysis: Analysis) -> list[Section]:
    """Who depends on whom, and whether triplets agree."""
    sections = [pair_section(analysis.check.pairs, analysis.check.dependence)]
    if analysis.spread is not None:
        sections.append(Section("Whether triplets of sources agree", charts=[triplet_spread(analysis.spread)]))
    return sections


def method_section(analysis: Analysis) -> Section:
    """How it was found out."""
    labeled, settings = analysis.labeled, analysis.settings
    lines = [] if labeled is None else labeled.result.explanation.split("\n")
    lines += [
        f"Intervals should hold what they are about in {settings.level:.0%} of cases. Random choices start from seed "
        f"{settings.rng}.",
        "Log loss is the mean of -log(p), with p the probability that a label gave to the true class: 0 is perfect, "
        "and 0.693 is a coin that knows nothing of two classes. It is measured on gold labels that were not learned "
        "from.",
        "Where votes and gold are weighed, sources are learned anew without each fifth of the gold. What more labels "
        "or points would bring is predicted from how much those fits differ, as measured on other data sets.",
    ]
    return Section("Method", lines=lines)
