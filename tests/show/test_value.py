from __future__ import annotations

from dataclasses import replace

from results import planned, valued, votes_alone

from carob.show.report import Section
from carob.show.value import plan_report, value_report
from carob.votes.messages import Message


def cells(section: Section) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in section.rows]


def test_decision_risks_gains_and_curve() -> None:
    report = value_report(valued(), "carob check", "carob plan")
    assert report.verdict.startswith("Buy gold labels: 50 more gold labels lower the log loss by about 0.0030, ")
    assert report.verdict.endswith(
        "The votes on 40,000 points alone do as well as about 42 gold labels alone (30 to 61)."
    )
    assert (report.next_command, report.exit_code) == ("carob plan", 0)
    risk, gains, curve = report.sections
    assert risk.title == "How good labels are, on 200 gold labels that they were not learned from"
    assert cells(risk)[1] == ["votes alone", ".800", ".650 to .950", ".700", ".500 to 1.250"]
    assert risk.lines == [
        "Of the log loss of votes and gold, more gold labels would mend about .015, more unlabeled points .001; .784 "
        "is what these sources do not tell.",
        "One gold label does what 946 unlabeled points do (656 to 1,333).",
    ]
    assert cells(gains) == [
        ["50 more gold labels, or as many as there are points", "0.0030", "0.0022 to 0.0042", "0.30%"],
        ["ten times the unlabeled points", "0.0012", "0.0009 to 0.0017", "0.12%"],
    ]
    assert cells(curve) == [["10", ".900", ".660", ".630"], ["2,000", "-", ".660", ".560"]]


def test_what_cannot_be_told_from_gold_has_exit_code_1() -> None:
    report = value_report(valued(labels=0.00125, deviation=0.9), "carob check", "carob plan")
    assert report.verdict.startswith("Cannot tell yet what to buy: ")
    assert (report.next_command, report.exit_code) == ("carob plan", 1)


def test_votes_alone() -> None:
    report = value_report(votes_alone(), "carob check", "carob plan")
    assert report.verdict.startswith("Cannot tell yet what a gold label is worth: with 20 gold labels I could.")
    assert (report.next_command, report.exit_code) == ("carob check", 1)
    told, blamed = report.sections
    assert told.lines[0] == "Test that all sources are independent given the class: p = 0.00042."
    assert blamed.title == "2 pairs of sources depend on each other beyond the class"


def test_much_gold_of_one_class_asks_for_a_second_class() -> None:
    report = value_report(votes_alone(n_gold=30))
    assert "the 30 gold labels are all of one class; with some of a second class I could." in report.verdict
    assert "-10" not in report.verdict


def test_what_a_budget_buys() -> None:
    report = plan_report(planned(), "carob fit")
    assert report.verdict == (
        "Buy 1,040 gold labels and 1,570 unlabeled points for 3,570.00: that lowers the log loss from 0.2280 by about "
        "0.0016 (0.0010 to 0.0030)."
    )
    (section,) = report.sections
    assert [[str(cell) for cell in row] for row in section.rows] == [
        ["0.00", "0", "0", "0.00", "0.2280"],
        ["4,000.00", "1,040", "1,570", "3,570.00", "0.2264"],
    ]
    assert len(section.headers) == 5
    assert (report.next_command, report.exit_code) == ("carob fit", 0)


def test_what_was_set_aside_is_said() -> None:
    report = plan_report(replace(planned(), messages=(Message("dropped", "Set aside, they never vote: x."),)))
    assert [section.title for section in report.sections] == ["What a budget buys", "Set aside"]
    value = value_report(replace(valued(), messages=(Message("dropped", "Set aside, they never vote: x."),)))
    assert value.sections[-1].lines == ["Set aside, they never vote: x."]
