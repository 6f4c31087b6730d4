from __future__ import annotations

import math
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from results import bounded, depending, fitted, planned, reproduced, summary, valued

from carob import InputError
from carob.commands.outputs import Histogram
from carob.paper.experiments.parts import paper_values
from carob.paper.experiments.theory import STATEMENTS
from carob.paper.triplet_fit import TripletSpread
from carob.show.charts.accuracies import accuracies, telling
from carob.show.charts.chart import Chart, can_draw, check_charts
from carob.show.charts.curves import learning_curves
from carob.show.charts.data_value import data_value, error_sources, frontier
from carob.show.charts.dependence import dependence, triplet_spread
from carob.show.charts.figures import FIGURES, figure
from carob.show.charts.histogram import calibration, histogram
from carob.value.by_points import ValueAt
from carob.value.calibration import Bin, Calibration
from carob.value.interval import Interval
from carob.value.learning_curves import LearningCurves

FOUND = reproduced().found
CURVES = LearningCurves(
    np.array([5.0, 10, 100]), np.array([0.9, 0.7, 0.4]), np.array([0.8, 0.6, 0.3]), np.array([1.0, 0.8, 0.5]),
    Interval(0.5, 0.4, 0.6), np.array([0.55, 0.5, 0.38]), 50,
)  # fmt: skip
VALUED = replace(valued(), curves=CURVES, equivalent_labels=Interval(42.3, 30.0, 61.0))
WORTH = (
    ValueAt(1_000, 0.6, Interval(20, 10, 40), Interval(50, 25, 100)),
    ValueAt(2_000, 0.5, Interval(25, 15, math.inf), Interval(80, 0, 133)),
)
CALIBRATION = Calibration((Bin(0.6, Interval(0.5, 0.4, 0.6), 50), Bin(0.95, Interval(0.9, 0.8, 0.97), 50)))
SPREAD = TripletSpread("llm", np.array([0.55, 0.6, 0.7, 0.8, 0.95]), 2)
HISTOGRAM = Histogram("spam", np.linspace(0, 1, 21), np.array([40, 30, *[1] * 16, 10, 4]))


def drawn(chart: Chart | None) -> Chart:
    assert chart is not None
    return chart


def every_chart() -> dict[str, Chart]:
    charts = [
        accuracies(summary()), dependence(depending(1)), calibration(CALIBRATION), histogram(HISTOGRAM),
        error_sources(VALUED), learning_curves(VALUED), data_value(WORTH), frontier(planned()), triplet_spread(SPREAD),
    ]  # fmt: skip
    return {chart.name: chart for chart in map(drawn, charts)}


@pytest.mark.parametrize("name", every_chart())
def test_every_chart_has_a_finding_words_a_table_and_a_picture(name: str) -> None:
    chart = every_chart()[name]
    assert chart.title.endswith((".", ")"))
    assert len(chart.description) > 40
    assert chart.rows
    assert all(len(row) == len(chart.headers) for row in chart.rows)
    picture = chart.svg()
    root = ElementTree.fromstring(picture)  # noqa: S314 (we drew it)
    assert root.tag.endswith("svg")
    assert len(list(root.iter())) > 20
    assert "style=" not in picture  # which a strict content security policy would drop


def test_names_are_text_in_a_picture() -> None:
    bad = "<img src=x onerror=alert(1)>"
    data = summary()
    data = replace(data, sources=replace(data.sources, source=[bad, "b"]))
    chart = drawn(accuracies(data))
    assert bad not in chart.svg()
    assert "&lt;img src=x onerror=alert(1)&gt;" in chart.svg()


def test_accuracies_stand_beside_those_on_gold_and_by_votes_alone() -> None:
    data = summary()
    chart = drawn(accuracies(data, data.sources))
    assert [[str(cell) for cell in row] for row in chart.rows] == [
        ["llm", "votes and gold", ".905", ".818 to .992"],
        ["llm", "gold alone", ".991", ".985 to .995"],
        ["llm", "votes alone", ".905", ".818 to .992"],
    ]
    assert chart.title == "llm is right most often (.905); every source is better than chance."
    assert "90%" in chart.description
    without = drawn(accuracies(summary(n_gold=None)))
    assert [str(row[1]) for row in without.rows] == ["votes alone"]


def test_there_is_no_chart_of_accuracies_that_nobody_knows() -> None:
    data = summary(n_gold=None)
    nothing = np.full(2, np.nan)
    assert accuracies(replace(data, sources=replace(data.sources, accuracy=nothing, low=nothing, high=nothing))) is None


def test_sources_that_may_be_no_better_than_chance_are_counted() -> None:
    data = summary()
    low = replace(data.sources, accuracy=np.array([0.6, 0.7]), low=np.array([0.45, 0.6]), high=np.array([0.7, 0.8]))
    chart = drawn(accuracies(replace(data, sources=low)))
    assert chart.title.endswith("(.700); 1 of 2 sources may be no better than chance.")


def test_the_most_telling_sources_are_far_from_chance_on_many_points() -> None:
    table = summary().sources
    some = replace(table, accuracy=np.array([0.6, 0.9]), coverage=np.array([0.9, 0.1]))
    assert telling(some, 2, most=1) == [0]
    assert telling(some, 2) == [0, 1]


def test_flagged_pairs_are_named_and_marked() -> None:
    chart = drawn(dependence(depending(1)))
    assert chart.title.startswith("1 pair of sources depends on each other beyond the class: a0 and b0 agree more")
    assert [str(cell) for cell in chart.rows[0]] == ["a0", "b0", ".500", "+0.20", "flagged"]
    marks = chart.specification()["layer"][2]["data"]["values"]
    assert [row["mark"] for row in marks] == ["+"]
    assert drawn(dependence(depending(0))).title.startswith("No two sources")


@pytest.mark.parametrize(
    ("right", "words"),
    [(0.95, "about as often as they say"), (0.8, "surer than they are right, by .150"), (0.99, "more often than they")],
)
def test_what_calibration_comes_to(right: float, words: str) -> None:
    assert words in calibration(Calibration((Bin(0.95, Interval(right, 0.7, 1.0), 40),))).title


def test_the_histogram_counts_sure_and_open_points() -> None:
    assert histogram(HISTOGRAM).title == "84% of the points have a label above .9; 4% could be either (.4 to .6)."
    many = Histogram(None, np.linspace(0.25, 1, 21), np.array([*[5] * 18, 5, 5]))
    assert histogram(many).title == "10% of the points have a label above .9."
    assert fitted().histogram is None


def test_the_largest_part_of_the_error_is_named() -> None:
    chart = error_sources(VALUED)
    assert chart.title.endswith("the largest part (.784) is what these sources do not tell.")
    assert [str(row[2]) for row in chart.rows] == ["2%", "0%", "98%"]


def test_the_crossing_is_marked_where_it_is_told() -> None:
    layers = drawn(learning_curves(VALUED)).specification()["layer"]
    assert layers[2]["data"]["values"] == [{"n": 42.3, "loss": 0.5, "words": "about 42"}]
    open_ended = replace(VALUED, equivalent_labels=Interval(math.inf, 90.0, math.inf))
    chart = drawn(learning_curves(open_ended))
    assert len(chart.specification()["layer"]) == 2
    assert chart.title.endswith("90 gold labels alone, or more.")
    assert learning_curves(valued()) is None


def test_the_value_of_points_takes_two_numbers_of_them() -> None:
    chart = drawn(data_value(WORTH))
    assert [str(cell) for cell in chart.rows[1]] == ["2,000", ".500", "25 (15 to more)", "80"]
    assert chart.title.startswith("One gold label does what 80 unlabeled points do with 2,000 of them")
    assert data_value(WORTH[:1]) is None


def test_the_plan_is_marked_on_the_frontier() -> None:
    chart = frontier(planned())
    assert chart.title == planned().verdict
    mark = chart.specification()["layer"][2]["data"]["values"][0]
    assert (mark["cost"], mark["loss"]) == (3570.0, 0.2264)


def test_the_spread_of_triplets() -> None:
    chart = triplet_spread(SPREAD)
    assert chart.title == "Triplets differ most on llm: half of 5 estimates are between .600 and .800."
    assert chart.description.endswith("2 more triplets contradict themselves.")
    assert sum(row[1].value for row in chart.rows) == 5  # type: ignore[attr-defined]


def test_a_panel_has_our_band_and_line_and_the_papers_dots() -> None:
    chart = figure("excess_error", FOUND.points, FOUND.comparison)
    (panel,) = chart.specification()["hconcat"]
    band, line, dots = panel["layer"]
    assert [layer["mark"]["type"] for layer in (band, line, dots)] == ["area", "line", "point"]
    ours, paper = line["data"]["values"], dots["data"]["values"]
    assert [row["n"] for row in ours] == [1_000, 5_000]  # what is not a number is left out
    assert [row["value"] for row in paper] == [0.02613, 0.02]
    assert ours[0]["low"] == pytest.approx(0.026)
    assert ours[1]["low"] == 1e-9  # .03 - 2 x .02 has no place on a logarithmic axis
    assert "Dots: the paper" in chart.description
    assert chart.title.endswith("1 of 2 of its values agree.")


def test_on_a_linear_axis_a_band_may_reach_below_zero() -> None:
    points = [type(point)(**{**vars(point), "figure": "combined_error"}) for point in FOUND.points]
    (panel,) = figure("combined_error", points, []).specification()["hconcat"]
    assert panel["layer"][0]["data"]["values"][1]["low"] == pytest.approx(-0.01)


def test_every_figure_of_the_paper_has_a_title() -> None:
    theorems = {name for name, _ in STATEMENTS.values()}
    assert {value.figure for value in paper_values()} | theorems == set(FIGURES)


def test_a_theorem_has_two_lines_and_dots_of_monte_carlo() -> None:
    chart = figure("theory_theorem_3", bounded().found.points, [])
    (panel,) = chart.specification()["hconcat"]
    _, line, dots = panel["layer"]
    assert {row["curve"] for row in line["data"]["values"]} == {"bound", "exact asymptotic value"}
    assert [(row["curve"], row["value"]) for row in dots["data"]["values"]] == [("Monte Carlo", 0.04)] * 2
    assert "Dots: Monte Carlo" in chart.description
    assert chart.headers == ()


def test_pictures() -> None:
    chart = figure("excess_error", FOUND.points, FOUND.comparison)
    assert chart.svg().startswith("<svg")
    assert chart.png().startswith(b"\x89PNG")
    assert "title" not in chart.specification(titled=False)


@pytest.mark.parametrize("module", ["altair", "vl_convert"])
def test_without_the_packages_for_charts(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_charts()
    assert can_draw()
    monkeypatch.setitem(sys.modules, module, None)
    assert not can_draw()
    with pytest.raises(InputError, match="pip install 'carob"):
        check_charts()
