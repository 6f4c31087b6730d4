from __future__ import annotations

from results import labeled

from carob.show.label import label_report


def test_labels() -> None:
    report = label_report(labeled())
    assert report.verdict == "Labeled 2,000 points; wrote labels.csv."
    (section,) = report.sections
    assert [[str(cell) for cell in row] for row in section.rows] == [["ham", "1,200", ".610"], ["spam", "800", ".390"]]
    assert (report.next_command, report.exit_code) == ("", 0)
