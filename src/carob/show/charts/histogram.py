"""How sure the labels of all points are, and whether they are as often right as they say."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob.commands.outputs import Histogram
from carob.show.cells import Between, Cell, Count, Percent, Share
from carob.show.charts.chart import COLOURS, SOFT, WIDTH, Chart
from carob.value.calibration import Calibration


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
        _sureness(found),
        f"Bars count points by the {what}; the bars at the ends are points whose label is sure.",
        ("probability", "points"),
        rows,
        plot,
    )


def _sureness(found: Histogram) -> str:
    total = max(int(found.points.sum()), 1)
    sure = found.edges[:-1] >= 0.9 - 1e-9
    if found.label is None:
        return f"{Percent(float(found.points[sure].sum()) / total, digits=0)} of the points have a label above .9."
    sure = sure | (found.edges[1:] <= 0.1 + 1e-9)
    middle = (found.edges[:-1] >= 0.4 - 1e-9) & (found.edges[1:] <= 0.6 + 1e-9)
    shares = [Percent(float(found.points[part].sum()) / total, digits=0) for part in (sure, np.asarray(middle))]
    return f"{shares[0]} of the points have a label above .9; {shares[1]} could be either (.4 to .6)."


def calibration(found: Calibration) -> Chart:
    """What labels say of themselves against how often they are right, on gold that they were not learned from."""
    values = [
        {"said": part.said, "right": part.right.value, "low": part.right.low, "high": part.right.high}
        for part in found.bins
    ]
    rows: list[list[Cell]] = [
        [Share(row["said"]), Share(row["right"]), Between(Share(row["low"]), Share(row["high"])), Count(part.labels)]
        for row, part in zip(values, found.bins, strict=True)
    ]
    lowest = min(0.5, *(row["said"] for row in values), *(row["low"] for row in values))

    def plot(alt: Any) -> Any:
        scale = alt.Scale(domain=[max(lowest - 0.02, 0), 1], nice=False)
        x = alt.X("said:Q", title="probability that labels state", scale=scale)
        y = alt.Y("right:Q", title="share that is right", scale=scale)
        base = alt.Chart(alt.Data(values=values))
        ends = [{"said": max(lowest - 0.02, 0), "right": max(lowest - 0.02, 0)}, {"said": 1, "right": 1}]
        line = alt.Chart(alt.Data(values=ends)).mark_line(strokeDash=[4, 4], stroke=SOFT).encode(x=x, y=y)
        low = alt.Y("low:Q", title="share that is right")
        bars = base.mark_rule(strokeWidth=2, color=COLOURS[0]).encode(x=x, y=low, y2="high:Q")
        dots = base.mark_point(filled=True, size=70, color=COLOURS[0], opacity=1).encode(x=x, y=y)
        return alt.layer(line, bars, dots).properties(width=WIDTH - 60, height=WIDTH - 100)

    return Chart(
        "calibration",
        _calibration_finding(found),
        "Each dot stands for gold labels of about the same probability: what the labels state from left to right, the "
        "share that is right upwards, with its interval. On the dashed line both are the same.",
        ("stated", "right", "interval", "gold labels"),
        rows,
        plot,
    )


def _calibration_finding(found: Calibration) -> str:
    if abs(found.excess) < 0.02:  # which is not worth a word
        return "Labels are right about as often as they say."
    if found.excess > 0:
        return f"Labels are surer than they are right, by {Share(found.excess)} on average."
    return f"Labels are right more often than they say, by {Share(-found.excess)} on average."
