from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from results import BALANCE, checked, depending, summary
from run_carob import carob

from carob import InputError, LabelModel, check, read_votes
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


def test_it_prints_what_the_command_prints(votes_csv: Path) -> None:
    votes = read_votes(votes_csv, key="id", gold="y")
    found = check(votes)
    assert isinstance(found, CheckResult)
    assert found.problems == ()
    printed = carob("check", votes_csv, "--key", "id", "--gold", "y").stdout
    assert printed.partition("\n\nNext:")[0] == str(found)
    assert repr(found) == str(found)


def test_arrays_gold_and_settings(votes_csv: Path) -> None:
    votes = read_votes(votes_csv, key="id", gold="y")
    found = check(votes.values, votes.own_gold.values, model=LabelModel(class_balance=0.5))
    assert found.data.n_gold == 300
    assert [share.value for share in found.class_balance] == [0.5, 0.5]
    without = check(votes.values, model=LabelModel(class_balance=0.5))
    assert without.data.n_gold is None
    with pytest.raises(InputError, match="level must be"):
        check(votes, model=LabelModel(level=2))


def test_problems_are_told_not_raised() -> None:
    values = np.array([[0, 1], [1, 1], [1, 0]])
    found = check(values, model=LabelModel("triplets"))
    assert str(found).startswith("Not ready: 1 thing to mend.")
    assert "Triplets need three sources" in str(found)
    assert check(values).problems == ()
    assert str(check(values)).startswith("Can be fitted, with 1 thing to look at first: 3 points, 2 sources")
