"""Charts of the paper's figures: our curve with a band, the paper's points over it.

Charts of its theorems: the bound and the exact value as lines, Monte Carlo as points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from carob.paper.experiments.parts import Point
from carob.paper.experiments.run import Comparison
from carob.paper.experiments.theory import MONTE_CARLO
from carob.show.cells import Cell, Count, Number, Text
from carob.show.charts.chart import COLOURS, DASHES, SHAPES, Chart


class _Figure(NamedTuple):
    """What a figure is about: its title, what its y axis shows, and the scale of that."""

    title: str
    value: str
    scale: str
    legend: str = "Lines: carob, with a band of two standard errors. Dots: the paper."
    grid: bool = True


_BOUNDS = "Lines: the paper's bound, and the exact value to order 1/n. Dots: Monte Carlo."
FIGURES = {
    "excess_error": _Figure("Excess error against the number of points", "excess error", "log"),
    "data_value_ratio": _Figure("Unlabeled points that do as well as one gold label", "data value ratio", "linear"),
    "combined_error": _Figure("Gold and unlabeled points together", "excess error", "linear"),
    "combined_weight_on_unlabeled": _Figure("Weight of the unlabeled estimate", "weight", "linear"),
    "imdb_test_loss": _Figure("IMDB: test loss against the number of points", "log loss", "linear"),
    "imdb_data_value_ratio": _Figure(
        "IMDB: unlabeled points that do as well as one gold label", "data value ratio", "log"
    ),
    "theory_theorem_2": _Figure("Theorem 2: gold, from above", "excess error", "log", _BOUNDS, False),
    "theory_theorem_3": _Figure("Theorem 3: random triplets, from above", "excess error", "log", _BOUNDS, False),
    "theory_theorem_4": _Figure(
        "Theorem 4: random triplets for ever, from below", "excess error", "log", _BOUNDS, False
    ),
    "theory_proposition_1": _Figure("Proposition 1: the median, from above", "excess error", "log", _BOUNDS, False),
}
_HEADERS = ("panel", "curve", "n", "paper", "ours", "standard error")


def figure(name: str, points: Sequence[Point], comparison: Sequence[Comparison]) -> Chart:
    """One figure of the paper, with a panel per panel of the paper."""
    about = FIGURES[name]
    compared = [row for row in comparison if row.figure == name]
    mine = _our_rows(name, points)
    dots: list[dict[str, Any]] = [
        {"panel": row.panel, "curve": row.curve, "n": row.n, "value": row.paper} for row in compared
    ]
    dots += [row for row in mine if row["curve"] == MONTE_CARLO]
    agree = f" {sum(row.agrees for row in compared)} of {len(compared)} of its values agree." if compared else ""
    cells: list[list[Cell]] = [
        [Text(row.panel), Text(row.curve), Count(row.n), Number(row.paper, 5), Number(row.ours, 5), Number(row.se, 2)]
        for row in compared
    ]

    def plot(alt: Any) -> Any:
        shared = _shared(alt, mine, about)
        panels = [
            _panel(
                alt,
                panel,
                alt.Data(values=[row for row in mine if row["panel"] == panel and row["curve"] != MONTE_CARLO]),
                alt.Data(values=[row for row in dots if row["panel"] == panel]),
                about,
                shared,
            )
            for panel in dict.fromkeys(row["panel"] for row in mine)
        ]
        if len(panels) <= 3:
            return alt.hconcat(*panels)
        return alt.concat(*panels, columns=3 if len(panels) % 3 == 0 else 2)

    return Chart(name, f"{about.title}.{agree}", about.legend, _HEADERS if cells else (), cells, plot)


def _shared(alt: Any, rows: Sequence[dict[str, Any]], about: _Figure) -> dict[str, Any]:
    """The x axis, and the colour, dashes and shape of every curve."""
    curves = sorted({row["curve"] for row in rows})
    sizes = [row["n"] for row in rows]
    wide = max(sizes) > 20 * min(sizes)
    across = alt.Scale(type="log" if wide else "linear", zero=False, nice=False)
    longest = max(map(len, curves))
    legend = alt.Legend(title=None, columns=1 if longest > 40 else 2 if longest > 20 else 4, labelLimit=600)
    ranges = {"color": COLOURS, "strokeDash": DASHES, "shape": SHAPES}
    kinds = {"color": alt.Color, "strokeDash": alt.StrokeDash, "shape": alt.Shape}
    looks = {
        name: kinds[name]("curve:N", scale=alt.Scale(domain=curves, range=list(whole[: len(curves)])), legend=legend)
        for name, whole in ranges.items()
    }
    return {"x": alt.X("n:Q", title="n", scale=across, axis=alt.Axis(format="~s", grid=about.grid)), **looks}


def _our_rows(name: str, points: Sequence[Point]) -> list[dict[str, Any]]:
    """Our points of a figure that are numbers, with the ends of their bands."""
    smallest = 1e-9 if FIGURES[name].scale == "log" else -float("inf")  # lower end of a band on a logarithmic axis
    return [
        {
            "panel": point.panel,
            "curve": point.curve,
            "n": point.n,
            "value": point.value,
            "low": max(point.value - 2 * point.se, smallest),
            "high": point.value + 2 * point.se,
        }
        for point in points
        if point.figure == name and point.value == point.value
    ]


def _panel(alt: Any, name: str, ours: Any, theirs: Any, about: _Figure, shared: dict[str, Any]) -> Any:
    """One panel: a band and a line of ours, dots of the paper."""
    y = alt.Scale(type=about.scale, zero=False)
    axis = alt.Axis() if about.grid else alt.Axis(grid=False, format="~g", tickCount=6)
    x, color = shared["x"], shared["color"]
    low, value = (alt.Y(f"{name}:Q", scale=y, axis=axis, title=about.value) for name in ("low", "value"))
    base, points = alt.Chart(ours), alt.Chart(theirs).mark_point(size=26, filled=True, opacity=1)
    band = base.mark_area(opacity=0.2).encode(x=x, y=low, y2="high:Q", color=color)
    line = base.mark_line(strokeWidth=1.5).encode(x=x, y=value, color=color, strokeDash=shared["strokeDash"])
    dots = points.encode(x=x, y=alt.Y("value:Q", scale=y), color=color, shape=shared["shape"])
    return alt.layer(band, line, dots).properties(title=name, width=250, height=220)
