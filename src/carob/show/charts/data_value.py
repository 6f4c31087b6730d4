"""What unlabeled points are worth, against how many there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from carob.paper.ratio import SMALLEST
from carob.show.cells import Cell, Count, Loss, Text
from carob.show.charts.chart import COLOURS, WIDTH, Chart
from carob.value.by_points import ValueAt
from carob.value.interval import Interval
from carob.value.words import worth


def data_value(found: Sequence[ValueAt]) -> Chart | None:
    """The data value ratio V against the number of points; None where it is told of one number or none."""
    told = [part for part in found if math.isfinite(part.equivalent_labels.value) and part.ratio.value > 0]
    if len(told) < 2:
        return None
    values = [
        {
            "n": part.n,
            "value": part.ratio.value,
            "low": max(part.ratio.low, part.ratio.value / 10),
            "high": _most(part),
        }
        for part in told
    ]
    rows: list[list[Cell]] = [
        [Count(part.n), Loss(part.loss), Text(_labels(part.equivalent_labels)), Count(round(part.ratio.value))]
        for part in told
    ]

    def plot(alt: Any) -> Any:
        base = alt.Chart(alt.Data(values=values))
        x = alt.X(
            "n:Q",
            title="unlabeled points",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(format="~s", grid=False),
        )
        scale = alt.Scale(type="log")
        title = "points that do what one label does"
        axis = alt.Axis(format="~g", tickCount=4, grid=False)
        band = base.mark_area(opacity=0.18, color=COLOURS[0]).encode(
            x=x, y=alt.Y("low:Q", scale=scale, title=title, axis=axis), y2="high:Q"
        )
        y = alt.Y("value:Q", scale=scale, title=title, axis=axis)
        line = base.mark_line(color=COLOURS[0], strokeWidth=2).encode(x=x, y=y)
        dots = base.mark_point(filled=True, size=60, color=COLOURS[0], opacity=1).encode(x=x, y=y)
        return alt.layer(band, line, dots).properties(width=WIDTH, height=210)

    first, last = told[0], told[-1]
    return Chart(
        "data-value",
        f"One gold label does what {last.ratio.value:,.0f} unlabeled points do with {last.n:,} of them, and what "
        f"{first.ratio.value:,.0f} do with {first.n:,}.",
        "A line of how many unlabeled points do what one gold label does, against the number of points that votes "
        f"alone learn from, with a band. {worth(last.n, last.equivalent_labels)}",
        ("points", "log loss of votes alone", "as many gold labels", "points for one label"),
        rows,
        plot,
    )


def _most(part: ValueAt) -> float:
    high = part.ratio.high
    return high if math.isfinite(high) else part.n / SMALLEST


def _labels(f: Interval) -> str:
    high = f"{f.high:,.0f}" if math.isfinite(f.high) else "more"
    return f"{f.value:,.0f} ({f.low:,.0f} to {high})"
