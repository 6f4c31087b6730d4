"""What `carob value` and `carob plan` say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from carob.show.cells import Between, Cell, Count, Loss, Money, Nats, Percent, Text
from carob.show.charts.curves import learning_curves
from carob.show.charts.data_value import error_sources, frontier
from carob.show.charts.histogram import calibration
from carob.show.data import message_sections, pair_section
from carob.show.fit import scores_section
from carob.show.report import Report, Section
from carob.value.advice import DataValue
from carob.value.plan import Plan
from carob.value.votes_alone import VotesAlone
from carob.value.words import purchase_words, ratio_words

ESTIMATORS = {"labeled": "gold alone", "unlabeled": "votes alone", "combined": "votes and gold"}


def value_report(found: DataValue | VotesAlone, pick_command: str = "", plan_command: str = "") -> Report:
    """What to do next and why.

    `pick_command` and `plan_command`: what to run next without and with enough gold.
    """
    exit_code = 1 if found.kind == "cannot tell" else 0
    if isinstance(found, VotesAlone):
        sections = [votes_alone_section(found), pair_section(found.pairs), *message_sections(found.messages)]
        return Report(found.verdict, sections, pick_command, exit_code)
    sections = [risk_section(found), gain_section(found), curve_section(found), *message_sections(found.messages)]
    return Report(found.verdict, sections, plan_command, exit_code)


def votes_alone_section(found: VotesAlone) -> Section:
    """What is known without gold."""
    test = f"Test that all sources are independent given the class: p = {found.p_value:.2g}."
    lines = [
        *([] if np.isnan(found.p_value) else [test]),
        "This is weaker than what gold tells: dependence that all sources share does not show in the votes.",
    ]
    return Section("What votes alone tell", lines=lines)


def risk_section(found: DataValue) -> Section:
    """How wrong labels are now, and why."""
    shares = found.shares
    lines = [
        f"Of the log loss of votes and gold, more gold labels would mend about {Loss(shares.labels)}, more unlabeled "
        f"points {Loss(shares.points)}; {Loss(shares.rest)} is what these sources do not tell.",
    ]
    ratio = ratio_words(found.data_value_ratio, found.equivalent_labels)
    section = scores_section(found.scores, found.n_gold)
    charts = [error_sources(found), *([] if found.calibration is None else [calibration(found.calibration)])]
    return replace(section, lines=[*lines, ratio] if ratio else lines, charts=charts)


def gain_section(found: DataValue) -> Section:
    """What more data, or other sources, would gain."""
    rows: list[list[Cell]] = []
    for name, what in purchase_words().items():
        gain, right = found.gains[name], Percent(found.accuracy_gains[name].value, digits=2)
        rows.append([Text(what), Nats(gain.value), Between(Nats(gain.low), Nats(gain.high)), right])
    return Section(
        "What votes and gold would gain",
        ["by", "log loss", f"{Percent(found.level, digits=0)} interval", "right labels"],
        rows,
        ["Intervals are of the gain to be expected over draws of new labels or points, told from other data sets."],
    )


def curve_section(found: DataValue) -> Section:
    """What is predicted for fewer and more gold labels."""
    rows = [[Count(int(row["n"] or 0)), *(Loss(row[name]) for name in ESTIMATORS)] for row in found.curve]
    chart = learning_curves(found)
    charts = [] if chart is None else [chart]
    return Section("Predicted log loss", ["gold labels", *ESTIMATORS.values()], rows, charts=charts)


_BUDGET_HEADERS = ("budget", "gold labels", "unlabeled points", "cost", "log loss after")


def plan_report(found: Plan, next_command: str = "") -> Report:
    """What to buy, and what other budgets would buy."""
    return Report(found.verdict, [plan_section(found), *message_sections(found.messages)], next_command)


def plan_section(found: Plan) -> Section:
    """What budgets buy."""
    rows = [
        [Money(row.budget), Count(row.buy_labels), Count(row.buy_points), Money(row.cost), Nats(row.risk)]
        for row in found.frontier
    ]
    return Section("What a budget buys", _BUDGET_HEADERS, rows, names=0, charts=[frontier(found)])
