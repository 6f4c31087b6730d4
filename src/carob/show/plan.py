"""What `carob plan` says."""

from __future__ import annotations

from carob.show.cells import Count, Money, Nats
from carob.show.charts.frontier import frontier
from carob.show.data import message_sections
from carob.show.report import Report, Section
from carob.value.plan import Plan

_HEADERS = ("budget", "gold labels", "unlabeled points", "cost", "log loss after")


def plan_report(found: Plan, next_command: str = "") -> Report:
    """What to buy, and what other budgets would buy."""
    return Report(found.verdict, [plan_section(found), *message_sections(found.messages)], next_command)


def plan_section(found: Plan) -> Section:
    """What budgets buy."""
    rows = [
        [Money(row.budget), Count(row.buy_labels), Count(row.buy_points), Money(row.cost), Nats(row.risk)]
        for row in found.frontier
    ]
    return Section("What a budget buys", _HEADERS, rows, names=0, charts=[frontier(found)])
