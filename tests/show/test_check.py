from __future__ import annotations

from dataclasses import replace

from results import BALANCE, checked, depending, summary

from carob.commands.check import CheckResult
from carob.show.check import check_report
from carob.votes.messages import Message, warning


def test_ready() -> None:
    report = check_report(checked(class_balance=BALANCE, dependence=depending(1)), "carob fit")
    assert report.verdict == "Ready to fit: 2,000 points, 2 sources, 2 classes, 100 gold labels."
    titles = [section.title.partition(" ")[0] for section in report.sections]
    assert titles == ["How", "Sources", "Class", "1"]
    assert report.sections[0].lines == ["classes 'ham', 'spam'; an empty cell is an abstain."]
    assert (report.next_command, report.exit_code) == ("carob fit", 0)


def test_bad_input_lists_what_to_mend_and_suggests_nothing() -> None:
    report = check_report(checked(problems=("One.", "Two.")), "carob fit")
    assert report.verdict == "Not ready: 2 things to mend. (2,000 points, 2 sources, 2 classes, 100 gold labels)"
    assert report.sections[0].lines == ["- One.", "- Two."]
    assert len(report.sections) == 3
    assert (report.next_command, report.exit_code) == ("", 2)


def test_data_that_cannot_tell() -> None:
    report = check_report(checked(problems=("One.",), identified=False))
    assert report.verdict.startswith("Not ready: 1 thing to mend.")
    assert report.exit_code == 1


def test_things_to_look_at_first() -> None:
    data = replace(
        summary(), messages=(warning("One."), warning("Two."), Message("guess", "Read as a long table: so."))
    )
    report = check_report(CheckResult(data, class_balance=BALANCE), "carob fit")
    assert report.verdict.startswith("Can be fitted, with 2 things to look at first: 2,000 points")
    assert report.sections[0].title == "To look at first"
    assert report.sections[1].lines[0] == "Read as a long table: so."
    assert (report.next_command, report.exit_code) == ("carob fit", 0)


def test_what_stands_out_comes_last_and_who_is_worse_than_chance_in_the_verdict() -> None:
    found = checked(class_balance=BALANCE, worse=("a", "b"), findings=("One.", "Two."))
    report = check_report(found, "carob fit")
    assert report.verdict.endswith("100 gold labels. Worse than chance: 'a', 'b'.")
    assert report.sections[-1].title == "What stands out"
    assert list(report.sections[-1].lines) == ["One.", "Two."]
