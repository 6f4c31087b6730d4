"""How far triplets differ on one source."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob.errors import plural
from carob.paper.triplet_spread import TripletSpread
from carob.show.cells import Between, Cell, Count, Share
from carob.show.charts.chart import COLOURS, INK, WIDTH, Chart

_BINS = 20
_FAR = 0.1  # between a quarter and three quarters of the triplets


def triplet_spread(found: TripletSpread) -> Chart:
    """How many triplets say what of a source's accuracy."""
    lowest = float(np.floor(10 * found.accuracies.min()) / 10)
    points, edges = np.histogram(found.accuracies, np.linspace(lowest, 1, _BINS + 1))
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
    how = "differ most on" if found.width >= _FAR else "agree well, even on"
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
