from __future__ import annotations

from carob.show.cells import Count, Text
from carob.show.report import Report, Section


def test_a_report_is_fine_and_leads_nowhere_unless_told_otherwise() -> None:
    report = Report("All is fine.", [Section("A table", ["name", "number"], [[Text("a"), Count(12_000)]])])
    assert (report.exit_code, report.next_command) == (0, "")
    (section,) = report.sections
    assert [str(cell) for cell in section.rows[0]] == ["a", "12,000"]
    assert list(section.lines) == []
