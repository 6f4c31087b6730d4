"""`karat report`: everything at once, of a file or query."""

from __future__ import annotations

from dataclasses import dataclass

from karat.commands.analysis import Analysis, Prices, analyse
from karat.commands.inputs import VotesFile
from karat.commands.progress import Progress, silent
from karat.estimate.settings import Settings
from karat.value.plan import Plan


@dataclass(frozen=True, eq=False)
class ReportResult:
    """All that can be told, and a plan.

    Parameters
    ----------
    name : str
        What the votes are called.
    analysis : Analysis
    prices : Prices
    plan : Plan or None
        None without enough gold.
    """

    name: str
    analysis: Analysis
    prices: Prices
    plan: Plan | None


def report_votes(data: VotesFile, settings: Settings, prices: Prices, progress: Progress = silent) -> ReportResult:
    """Find out all that a report shows."""
    analysis = analyse(data.read(), settings, progress)
    return ReportResult(data.name, analysis, prices, analysis.plan(prices))
