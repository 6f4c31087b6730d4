"""Who agrees with whom, where the class does not explain it, and how far triplets differ on one source."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob.commands.summary import Dependence
from carob.errors import plural
from carob.paper.triplet_fit import TripletSpread
from carob.show.cells import Between, Cell, Correlation, Count, Share, Text
from carob.show.charts.chart import COLOURS, INK, WIDTH, Chart


def dependence(found: Dependence) -> Chart | None:
    """A heat map: agreement above the diagonal, what the class does not explain of it below; None of one source."""
    names = found.sources
    if len(names) < 2:
        return None
    flagged = {frozenset((pair.first, pair.second)) for pair in found.pairs}
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    above: list[dict[str, Any]] = []
    below: list[dict[str, Any]] = []
    for i, j in pairs:
        if np.isfinite(found.agreement[i, j]):
            above.append({"row": names[i], "column": names[j], "value": float(found.agreement[i, j])})
        correlation = float(found.correlation[i, j])
        mark = "" if frozenset((names[i], names[j])) not in flagged else "+" if correlation > 0 else "-"
        below.append({"row": names[j], "column": names[i], "value": correlation, "mark": mark})
    size = np.abs(found.correlation)
    rows: list[list[Cell]] = [
        [
            Text(names[i]),
            Text(names[j]),
            Share(None if np.isnan(found.agreement[i, j]) else float(found.agreement[i, j])),
            Correlation(float(found.correlation[i, j])),
            Text("flagged" if frozenset((names[i], names[j])) in flagged else ""),
        ]
        for i, j in sorted(pairs, key=lambda pair: -float(size[pair[0], pair[1]]))
    ]
    largest = max([0.1, *(abs(row["value"]) for row in below)])

    def plot(alt: Any) -> Any:
        size = 26 if len(names) <= 14 else 16
        x = alt.X("column:N", sort=list(names), title=None, axis=alt.Axis(labelAngle=-60, labelLimit=110))
        y = alt.Y("row:N", sort=list(names), title=None)
        box = {"width": alt.Step(size), "height": alt.Step(size)}
        grey = alt.Scale(range=["#f7f7f7", "#4d4d4d"], domain=[0, 1])
        legend = alt.Legend(gradientLength=110, format=".0%")
        shade = alt.Color("value:Q", title="agree (above)", scale=grey, legend=legend)
        agree = alt.Chart(alt.Data(values=above)).mark_rect().encode(x=x, y=y, color=shade)
        blue_to_orange = alt.Scale(range=["#0072b2", "#f7f7f7", "#d55e00"], domain=[-largest, 0, largest])
        legend = alt.Legend(gradientLength=110, format="+.1f", tickCount=3)
        shade = alt.Color("value:Q", title="not explained (below)", scale=blue_to_orange, legend=legend)
        base = alt.Chart(alt.Data(values=below))
        left = base.mark_rect().encode(x=x, y=y, color=shade)
        marks = base.mark_text(fontWeight="bold", color="#111111", fontSize=14).encode(x=x, y=y, text="mark:N")
        return alt.layer(agree, left, marks).resolve_scale(color="independent").properties(**box)

    more = "" if len(names) == found.n_sources else f" {len(names)} of {found.n_sources} sources are shown."
    return Chart(
        "dependence",
        _finding(found),
        "A square for each pair of sources. Above the diagonal: how often both vote the same, darker for more often. "
        "Below: the correlation of their votes that the class does not explain, blue below zero and orange above; a "
        f"plus or minus marks pairs that surely depend on each other.{more}",
        ("source", "other source", "agree", "not explained", ""),
        rows,
        plot,
    )


def _finding(found: Dependence) -> str:
    if not found.pairs:
        return "No two sources agree or disagree more than the class explains."
    first = found.pairs[0]
    how = "agree more" if first.correlation > 0 else "disagree more"
    verb = "depends" if len(found.pairs) == 1 else "depend"
    return (
        f"{plural(len(found.pairs), 'pair')} of sources {verb} on each other beyond the class: {first.first} and "
        f"{first.second} {how} than it explains."
    )


def triplet_spread(found: TripletSpread) -> Chart:
    """How many triplets say what of a source's accuracy."""
    lowest = float(np.floor(10 * found.accuracies.min()) / 10)
    points, edges = np.histogram(found.accuracies, np.linspace(lowest, 1, 21))
    ends = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    values = [{"low": low, "high": high, "n": n} for (low, high), n in zip(ends, points.tolist(), strict=True)]
    rows: list[list[Cell]] = [
        [Between(Share(low), Share(high)), Count(n)] for (low, high), n in zip(ends, points.tolist(), strict=True) if n
    ]

    def plot(alt: Any) -> Any:
        x = alt.X("low:Q", title=f"accuracy of {found.source}", scale=alt.Scale(domain=[lowest, 1]), bin="binned")
        bars = alt.Chart(alt.Data(values=values)).mark_bar(color=COLOURS[0], binSpacing=1)
        middle = [{"value": found.median, "words": f"median {Share(found.median)}"}]
        rule = alt.Chart(alt.Data(values=middle))
        at = alt.X("value:Q")
        return alt.layer(
            bars.encode(x=x, x2="high:Q", y=alt.Y("n:Q", title="triplets", axis=alt.Axis(tickMinStep=1))),
            rule.mark_rule(strokeDash=[6, 3], strokeWidth=2, color=INK).encode(x=at),
            rule.mark_text(align="left", dx=5, fontSize=13).encode(x=at, y=alt.value(-8), text="words:N"),
        ).properties(width=WIDTH, height=170)

    low, high = np.quantile(found.accuracies, [0.25, 0.75]).tolist()
    more = f" {plural(found.negative, 'more triplet')} contradict themselves." if found.negative else ""
    how = "differ most on" if found.width >= 0.1 else "agree well, even on"
    return Chart(
        "triplets",
        f"Triplets {how} {found.source}: half of {len(found.accuracies):,} estimates are between {Share(low)} and "
        f"{Share(high)}.",
        "Each pair of other sources makes a triplet with this source, which estimates its accuracy; bars count the "
        f"estimates. Independent sources would make them the same up to noise. The dashed line is their median.{more}",
        ("accuracy", "triplets"),
        rows,
        plot,
    )
