"""Charts of the paper's figures: our curve with a band, the paper's points over it. Needs ``karat[charts]``.

Charts of its theorems: the bound and the exact value as lines, Monte Carlo as points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from karat.errors import InputError
from karat.experiments.parts import Point
from karat.experiments.run import Comparison
from karat.experiments.theory import MONTE_CARLO


class _Figure(NamedTuple):
    """What a figure is about: its title, what its y axis shows, and the scale of that."""

    title: str
    value: str
    scale: str
    legend: str = "Lines: karat, with a band of two standard errors. Dots: the paper."
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
_COLOURS = ["#0b6e99", "#c4501b", "#3c7a3c", "#7d4f9e", "#8a6d00", "#b03060", "#4d4d4d", "#0f8b8d"]
_SMALLEST = 1e-9  # lower end of a band on a logarithmic axis


def chart(figure: str, points: Sequence[Point], comparison: Sequence[Comparison]) -> dict[str, Any]:
    """The Vega-Lite specification of one figure, with a panel per panel of the paper."""
    alt = _altair()
    about = FIGURES[figure]
    mine = _our_rows(figure, points)
    dots: list[dict[str, Any]] = [
        {"panel": row.panel, "curve": row.curve, "n": row.n, "value": row.paper}
        for row in comparison
        if row.figure == figure
    ]
    dots += [row for row in mine if row["curve"] == MONTE_CARLO]
    curves = sorted({row["curve"] for row in mine})
    colour = alt.Color("curve:N", title=None, scale=alt.Scale(domain=curves, range=_COLOURS[: len(curves)]))
    sizes = [row["n"] for row in mine]
    wide = max(sizes) > 20 * min(sizes)
    across = alt.Scale(type="log" if wide else "linear", zero=False, nice=False)
    x = alt.X("n:Q", title="n", scale=across, axis=alt.Axis(format="~s", grid=about.grid))
    panels = [
        _panel(
            panel,
            alt.Data(values=[row for row in mine if row["panel"] == panel and row["curve"] != MONTE_CARLO]),
            alt.Data(values=[row for row in dots if row["panel"] == panel]),
            about,
            {"x": x, "color": colour},
        )
        for panel in dict.fromkeys(row["panel"] for row in mine)
    ]
    whole = alt.hconcat(*panels) if len(panels) <= 3 else alt.concat(*panels, columns=3 if len(panels) % 3 == 0 else 2)
    specification: dict[str, Any] = whole.properties(
        title=about.title, description=f"{about.title}. {about.legend}"
    ).to_dict()
    return specification


def _our_rows(figure: str, points: Sequence[Point]) -> list[dict[str, Any]]:
    """Our points of a figure that are numbers, with the ends of their bands."""
    smallest = _SMALLEST if FIGURES[figure].scale == "log" else -float("inf")
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
        if point.figure == figure and point.value == point.value
    ]


def _panel(name: str, ours: Any, theirs: Any, about: _Figure, shared: dict[str, Any]) -> Any:
    """One panel: a band and a line of ours, dots of the paper; `shared` are the x axis and the colours."""
    alt = _altair()
    y = alt.Scale(type=about.scale, zero=False)
    axis = alt.Axis() if about.grid else alt.Axis(grid=False, format="~g", tickCount=6)
    band = (
        alt.Chart(ours)
        .mark_area(opacity=0.2)
        .encode(y=alt.Y("low:Q", scale=y, axis=axis, title=about.value), y2="high:Q", **shared)
    )
    line = (
        alt.Chart(ours)
        .mark_line(strokeWidth=1.5)
        .encode(y=alt.Y("value:Q", scale=y, axis=axis, title=about.value), **shared)
    )
    dots = alt.Chart(theirs).mark_point(size=22, filled=True).encode(y=alt.Y("value:Q", scale=y), **shared)
    return alt.layer(band, line, dots).properties(title=name, width=300, height=230)


def svg(specification: dict[str, Any]) -> str:
    """The chart as SVG; no browser and no network is needed."""
    return str(_convert().vegalite_to_svg(specification))


def png(specification: dict[str, Any]) -> bytes:
    """The chart as PNG."""
    return bytes(_convert().vegalite_to_png(specification, scale=2))


def check_charts() -> None:
    """Refuse before any work is done where charts cannot be drawn."""
    _altair()
    _convert()


def _altair() -> Any:
    try:
        import altair
    except ImportError:
        raise InputError("charts need Altair and vl-convert: pip install 'karat[charts]'.") from None
    return altair


def _convert() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise InputError("charts need Altair and vl-convert: pip install 'karat[charts]'.") from None
    return vl_convert
