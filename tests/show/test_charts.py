from __future__ import annotations

import sys

import pytest
from results import bounded, reproduced

from karat import InputError
from karat.experiments.parts import paper_values
from karat.experiments.theory import STATEMENTS
from karat.show.charts import FIGURES, chart, check_charts, png, svg

FOUND = reproduced().found


def test_a_panel_has_our_band_and_line_and_the_papers_dots() -> None:
    specification = chart("excess_error", FOUND.points, FOUND.comparison)
    (panel,) = specification["hconcat"]
    band, line, dots = panel["layer"]
    assert [layer["mark"]["type"] for layer in (band, line, dots)] == ["area", "line", "point"]
    ours, paper = line["data"]["values"], dots["data"]["values"]
    assert [row["n"] for row in ours] == [1_000, 5_000]  # what is not a number is left out
    assert [row["value"] for row in paper] == [0.02613, 0.02]
    assert ours[0]["low"] == pytest.approx(0.026)
    assert ours[1]["low"] == 1e-9  # .03 - 2 x .02 has no place on a logarithmic axis
    assert "Dots: the paper" in specification["description"]


def test_on_a_linear_axis_a_band_may_reach_below_zero() -> None:
    points = [type(point)(**{**vars(point), "figure": "combined_error"}) for point in FOUND.points]
    (panel,) = chart("combined_error", points, [])["hconcat"]
    assert panel["layer"][0]["data"]["values"][1]["low"] == pytest.approx(-0.01)


def test_every_figure_of_the_paper_has_a_title() -> None:
    theorems = {figure for figure, _ in STATEMENTS.values()}
    assert {value.figure for value in paper_values()} | theorems == set(FIGURES)


def test_a_theorem_has_two_lines_and_dots_of_monte_carlo() -> None:
    found = bounded().found
    specification = chart("theory_theorem_3", found.points, [])
    (panel,) = specification["hconcat"]
    _, line, dots = panel["layer"]
    assert {row["curve"] for row in line["data"]["values"]} == {"bound", "exact asymptotic value"}
    assert [(row["curve"], row["value"]) for row in dots["data"]["values"]] == [("Monte Carlo", 0.04)] * 2
    assert "Dots: Monte Carlo" in specification["description"]


def test_pictures() -> None:
    specification = chart("excess_error", FOUND.points, FOUND.comparison)
    assert svg(specification).startswith("<svg")
    assert png(specification).startswith(b"\x89PNG")


@pytest.mark.parametrize("module", ["altair", "vl_convert"])
def test_without_the_packages_for_charts(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_charts()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match="pip install 'karat"):
        check_charts()
