from __future__ import annotations

from dataclasses import replace

from results import planned, valued

from carob.show.plan import plan_report
from carob.show.value import value_report
from carob.votes.messages import Message


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
