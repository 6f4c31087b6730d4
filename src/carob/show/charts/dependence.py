"""Who agrees with whom, and where the class does not explain it."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob.commands.dependence import Dependence
from carob.errors import plural
from carob.show.cells import Cell, Correlation, Share, Text
from carob.show.charts.chart import Chart


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
        agree = (
            alt.Chart(alt.Data(values=above))
            .mark_rect()
            .encode(
                x=x,
                y=y,
                color=alt.Color(
                    "value:Q",
                    title="agree (above)",
                    scale=alt.Scale(range=["#f7f7f7", "#4d4d4d"], domain=[0, 1]),
                    legend=alt.Legend(gradientLength=110, format=".0%"),
                ),
            )
        )
        base = alt.Chart(alt.Data(values=below))
        left = base.mark_rect().encode(
            x=x,
            y=y,
            color=alt.Color(
                "value:Q",
                title="not explained (below)",
                scale=alt.Scale(range=["#0072b2", "#f7f7f7", "#d55e00"], domain=[-largest, 0, largest]),
                legend=alt.Legend(gradientLength=110, format="+.1f", tickCount=3),
            ),
        )
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
