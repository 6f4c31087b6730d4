"""How sure the labels of all points are."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob.commands.outputs import Histogram
from carob.show.cells import Between, Cell, Count, Percent, Share
from carob.show.charts.chart import COLOURS, WIDTH, Chart


def histogram(found: Histogram) -> Chart:
    """How many points have which probability."""
    edges = list(zip(found.edges[:-1].tolist(), found.edges[1:].tolist(), strict=True))
    values = [{"low": low, "high": high, "n": n} for (low, high), n in zip(edges, found.points.tolist(), strict=True)]
    rows: list[list[Cell]] = [
        [Between(Share(low), Share(high)), Count(n)]
        for (low, high), n in zip(edges, found.points.tolist(), strict=True)
    ]
    what = "probability of the label" if found.label is None else f"probability of {found.label}"

    def plot(alt: Any) -> Any:
        base = alt.Chart(alt.Data(values=values))
        x = alt.X("low:Q", title=what, scale=alt.Scale(domain=[float(found.edges[0]), 1]), bin="binned")
        bars = base.mark_bar(color=COLOURS[0], binSpacing=1).encode(
            x=x, x2="high:Q", y=alt.Y("n:Q", title="points", axis=alt.Axis(format="~s"))
        )
        return bars.properties(width=WIDTH, height=190)

    return Chart(
        "histogram",
        _finding(found),
        f"Bars count points by the {what}; the bars at the ends are points whose label is sure.",
        ("probability", "points"),
        rows,
        plot,
    )


def _finding(found: Histogram) -> str:
    total = max(int(found.points.sum()), 1)
    sure = found.edges[:-1] >= 0.9 - 1e-9
    if found.label is None:
        return f"{Percent(float(found.points[sure].sum()) / total, digits=0)} of the points have a label above .9."
    sure = sure | (found.edges[1:] <= 0.1 + 1e-9)
    middle = (found.edges[:-1] >= 0.4 - 1e-9) & (found.edges[1:] <= 0.6 + 1e-9)
    shares = [Percent(float(found.points[part].sum()) / total, digits=0) for part in (sure, np.asarray(middle))]
    return f"{shares[0]} of the points have a label above .9; {shares[1]} could be either (.4 to .6)."
