from __future__ import annotations

import pytest
from results import valued, votes_alone

from karat.show.report import Section
from karat.show.value import value_report
from karat.value.jackknife import Interval


def cells(section: Section) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in section.rows]


def test_decision_risks_gains_and_curve() -> None:
    report = value_report(valued(), "karat check", "karat plan")
    assert report.verdict == (
        "Buy gold labels: the log loss goes down by 0.0030 with 50 more gold labels, by 0.0012 with 10 times the "
        "unlabeled points. The 40,000 unlabeled points alone are worth about 42 gold labels (30 to 61)."
    )
    assert (report.next_command, report.exit_code) == ("karat plan", 0)
    risk, gains, curve = report.sections
    assert risk.title == "Risk now, with 200 gold labels"
    assert risk.headers[-1] == "90% interval"
    assert cells(risk)[1] == ["votes alone, mean of triplets", ".700", ".500", "-.005", ".100", ".500 to 1.250"]
    assert cells(gains) == [
        ["50 more gold labels, or as many as there are points", "0.0030", "0.0020 to 0.0040"],
        ["ten times the unlabeled points", "0.0012", "0.0000 to 0.0024"],
        ["drop 'copy'", "-0.0010", "-0.0020 to 0.0000"],
    ]
    assert cells(curve) == [["10", ".900", ".640", ".630"], ["2,000", ".570", ".640", ".560"]]


@pytest.mark.parametrize(
    ("f", "lines"),
    [
        ((42.3, 30.0, 61.0), ["One gold label does what 946 unlabeled points do (656 to 1,333)."]),
        ((5.0, 5.0, 12.0), ["One gold label does what 8,000 unlabeled points do, or more."]),
        ((float("inf"), 900.0, float("inf")), []),
    ],
)
def test_what_one_gold_label_does(f: tuple[float, float, float], lines: list[str]) -> None:
    assert value_report(valued(Interval(*f))).sections[0].lines == lines


def test_what_cannot_be_told_from_gold_has_exit_code_1() -> None:
    report = value_report(valued(labels=0.004, half=0.008), "karat check", "karat plan")
    assert report.verdict.startswith("Cannot tell yet what to buy: with 160 more gold labels I could.")
    assert (report.next_command, report.exit_code) == ("karat plan", 1)


def test_votes_alone() -> None:
    report = value_report(votes_alone(), "karat check", "karat plan")
    assert report.verdict.startswith("Cannot tell yet what a gold label is worth: with 20 gold labels I could.")
    assert (report.next_command, report.exit_code) == ("karat check", 1)
    told, blamed = report.sections
    assert told.lines[:2] == [
        "Test that all sources are independent given the class: p = 0.00042.",
        "Mean and median of triplets differ by up to 0.020 in accuracy.",
    ]
    assert blamed.title == "2 pairs of sources depend on each other beyond the class"


def test_much_gold_of_one_class_asks_for_a_second_class() -> None:
    report = value_report(votes_alone(n_gold=30))
    assert "the 30 gold labels are all of one class; with some of a second class I could." in report.verdict
    assert "-10" not in report.verdict
