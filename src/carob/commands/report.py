"""`carob report`: everything at once, of a file or query."""

from __future__ import annotations

from dataclasses import dataclass

from carob.commands.analysis import Analysis, Prices, analyse
from carob.commands.inputs import VotesFile
from carob.commands.progress import Progress, silent
from carob.posterior.settings import Settings
from carob.value.plan import Plan


@dataclass(frozen=True, eq=False)
class ReportResult:
    """All that can be told, and a plan."""

    name: str  # what the votes are called
    analysis: Analysis
    prices: Prices
    plan: Plan | None  # None without enough gold


def report_votes(data: VotesFile, settings: Settings, prices: Prices, progress: Progress = silent) -> ReportResult:
    """Find out all that a report shows."""
    analysis = analyse(data.read(), settings, progress)
    return ReportResult(data.name, analysis, prices, analysis.plan(prices))
