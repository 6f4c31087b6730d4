from __future__ import annotations

from dataclasses import replace

import numpy as np
from results import checked, depending, fitted, planned, valued, votes_alone

from carob.commands.analysis import Analysis, Labeled, Prices, ReportResult
from carob.model.label_model import LabelModel
from carob.posterior.settings import Settings
from carob.show.whole import plan_sections, title, whole_report
from carob.votes import Votes

VOTES = Votes.from_array([[0, 1, 1], [1, 1, 0]])
LABELED = Labeled(LabelModel(), VOTES, np.full((2, 2), 0.5), fitted(), None)
ANALYSIS = Analysis(
    VOTES, Settings(), checked(dependence=depending(1), findings=("Something.",)), LABELED, valued()
)  # fmt: skip


def titles(analysis: Analysis, plan: bool = True) -> list[str]:
    report = whole_report(ReportResult("x/votes.csv", analysis, Prices(), planned() if plan else None))
    return [section.title.partition(" (")[0].partition(",")[0] for section in report.sections]


def test_parts_stand_in_the_order_of_a_report() -> None:
    assert titles(ANALYSIS) == [
        "How the votes were read", "Sources", "Class balance: ", "What stands out", "How good labels are",
        "On the 100 gold points", "What votes and gold would gain", "Predicted log loss", "What a budget buys",
        "1 pair of sources depends on each other beyond the class", "Method",
    ]  # fmt: skip


def test_the_verdict_is_what_to_do_next() -> None:
    report = whole_report(ReportResult("votes.csv", ANALYSIS, Prices(), None), "carob fit")
    assert report.verdict == valued().verdict
    assert (report.next_command, report.exit_code) == ("carob fit", 0)


def test_without_enough_gold() -> None:
    analysis = replace(ANALYSIS, value=votes_alone())
    assert "What votes alone tell" in titles(analysis, plan=False)
    assert whole_report(ReportResult("v", analysis, Prices(), None)).exit_code == 1
    nothing = replace(ANALYSIS, value=None, no_value="Triplets need three sources.")
    report = whole_report(ReportResult("v", nothing, Prices(), None))
    assert report.verdict.endswith("Triplets need three sources.")
    assert "What a gold label is worth" in titles(nothing, plan=False)


def test_problems_are_all_that_is_told() -> None:
    analysis = Analysis(VOTES, Settings(), checked(problems=("Too few.",)))
    assert whole_report(ReportResult("v", analysis, Prices(), None)).verdict.startswith("Not ready")


def test_prices_that_nobody_said_are_called_made_up() -> None:
    (section,) = plan_sections(planned(), Prices())
    assert "made-up prices" in section.lines[1]
    (section,) = plan_sections(planned(), Prices(1, 2, 3, example=False))
    assert section.lines[1] == "Prices: 1 for a gold label, 2 for an unlabeled point; a budget of 3."
    assert plan_sections(None, Prices()) == []


def test_the_title_names_the_file_alone() -> None:
    assert title("some/where/votes.csv") == "Report on votes.csv"
    assert title("SELECT * FROM 'votes.csv'") == "Report on a query"
