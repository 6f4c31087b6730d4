from __future__ import annotations

import numpy as np

from carob.commands.pick import PickResult
from carob.show.pick import pick_report
from carob.value.pick import Picked


def test_how_many_points_were_picked_and_how() -> None:
    keys = np.array([f"q{i}" for i in range(8)])
    picked = Picked(np.arange(8), np.full(8, 0.02), keys, "labels", 100, 20, 2, "id")
    report = pick_report(PickResult(picked, "to_label.csv"), "carob fit")
    assert report.verdict == (
        "Picked 8 of 80 points without gold, uncertain points more often than others, in all kinds of points; "
        "wrote to_label.csv."
    )
    (section,) = report.sections
    assert section.headers == ["id", "chance, random = 1"]
    assert [[str(cell) for cell in row] for row in section.rows] == [[f"q{i}", "2"] for i in range(5)]
    assert section.lines[0] == "2 points of them have no vote."
    assert report.next_command == "carob fit"


def test_random_points_by_row() -> None:
    picked = Picked(np.array([4]), np.array([0.01]), None, "estimate", 100, 0, 0)
    report = pick_report(PickResult(picked, None))
    assert report.verdict == "Picked 1 of 100 points without gold, at random."
    assert [str(cell) for cell in report.sections[0].rows[0]] == ["5", "1"]
