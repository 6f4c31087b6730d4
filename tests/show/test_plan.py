from __future__ import annotations

from results import planned

from karat.show.plan import plan_report


def test_what_a_budget_buys() -> None:
    report = plan_report(planned(), "karat fit")
    assert report.verdict == (
        "Buy 1,040 gold labels and 1,570 unlabeled points for 3,570.00: that lowers the log loss from 0.2280 by 0.0016."
    )
    (section,) = report.sections
    assert [[str(cell) for cell in row] for row in section.rows] == [
        ["0.00", "0", "0", "0.00", "0.2280"],
        ["4,000.00", "1,040", "1,570", "3,570.00", "0.2264"],
    ]
    assert len(section.headers) == 5
    assert (report.next_command, report.exit_code) == ("karat fit", 0)
