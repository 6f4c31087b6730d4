"""Where the log loss comes from, what unlabeled points are worth, and what a budget buys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from carob.paper.ratio import SMALLEST
from carob.show.cells import Cell, Count, Loss, Money, Nats, Percent, Text
from carob.show.charts.chart import COLOURS, INK, WIDTH, Chart
from carob.value.advice import DataValue
from carob.value.by_points import ValueAt
from carob.value.interval import Interval
from carob.value.plan import Plan
from carob.value.words import worth


def data_value(found: Sequence[ValueAt]) -> Chart | None:
    """The data value ratio V against the number of points; None where it is told of one number or none."""
    told = [part for part in found if math.isfinite(part.equivalent_labels.value) and part.ratio.value > 0]
    if len(told) < 2:
        return None
    values = [
        {"n": part.n, "value": part.ratio.value, "low": max(part.ratio.low, part.ratio.value / 10), "high": _most(part)}
        for part in told
    ]
    rows: list[list[Cell]] = [
        [Count(part.n), Loss(part.loss), Text(_labels(part.equivalent_labels)), Count(round(part.ratio.value))]
        for part in told
    ]

    def plot(alt: Any) -> Any:
        base = alt.Chart(alt.Data(values=values))
        across, below = alt.Scale(type="log", nice=False), alt.Axis(format="~s", grid=False)
        x = alt.X("n:Q", title="unlabeled points", scale=across, axis=below)
        up = {"scale": alt.Scale(type="log"), "axis": alt.Axis(format="~g", tickCount=4, grid=False)}
        low, y = (alt.Y(f"{name}:Q", title="points that do what one label does", **up) for name in ("low", "value"))
        band = base.mark_area(opacity=0.18, color=COLOURS[0]).encode(x=x, y=low, y2="high:Q")
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


_WORDS = {
    "labels": "more gold labels would mend",
    "points": "more unlabeled points would mend",
    "rest": "these sources do not tell",
}


def error_sources(found: DataValue) -> Chart:
    """The parts of the log loss of votes and gold."""
    parts = {words: float(getattr(found.shares, name)) for name, words in _WORDS.items()}
    total = max(sum(parts.values()), 1e-12)
    values = [{"part": words, "loss": loss, "words": str(Loss(loss))} for words, loss in parts.items()]
    rows: list[list[Cell]] = [
        [Text(words), Loss(loss), Percent(loss / total, digits=0)] for words, loss in parts.items()
    ]

    def plot(alt: Any) -> Any:
        base = alt.Chart(alt.Data(values=values))
        y = alt.Y("part:N", sort=list(parts), title=None, axis=alt.Axis(labelLimit=240))
        x = alt.X("loss:Q", title="part of the log loss", axis=alt.Axis(tickCount=4))
        bars = base.mark_bar(color=COLOURS[0]).encode(x=x, y=y)
        words = base.mark_text(align="left", dx=4, fontSize=13).encode(x=x, y=y, text="words:N")
        return alt.layer(bars, words).properties(width=WIDTH - 160, height=alt.Step(30))

    largest = max(parts, key=lambda words: parts[words])
    finding = (
        f"Of a log loss of {Loss(found.scores[-1].loss)}, the largest part ({Loss(parts[largest])}) is what {largest}."
    )
    return Chart(
        "error",
        finding,
        "Three bars: the part of the log loss of votes and gold that more gold labels would mend, that more unlabeled "
        "points would mend, and that neither would.",
        ("what", "log loss", "share"),
        rows,
        plot,
    )


def frontier(found: Plan) -> Chart:
    """Log loss after a purchase against what it costs; the plan is marked."""
    bought = list({(row.cost, row.risk): row for row in found.frontier}.values())
    values = [{"cost": row.cost, "loss": row.risk} for row in sorted(bought, key=lambda row: row.cost)]
    here = {"cost": found.cost, "loss": found.risk_after, "words": "the plan"}
    here |= {"low": found.interval_after.low, "high": found.interval_after.high}
    rows: list[list[Cell]] = [
        [Money(row.budget), Count(row.buy_labels), Count(row.buy_points), Money(row.cost), Nats(row.risk)]
        for row in found.frontier
    ]

    def plot(alt: Any) -> Any:
        x = alt.X("cost:Q", title="cost", axis=alt.Axis(format="~s"))
        y = alt.Y("loss:Q", title="log loss after", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5))
        base = alt.Chart(alt.Data(values=values))
        plan = alt.Chart(alt.Data(values=[here]))
        return alt.layer(
            base.mark_line(color=COLOURS[0], strokeWidth=2).encode(x=x, y=y),
            base.mark_point(color=COLOURS[0], filled=True, size=50, opacity=1).encode(x=x, y=y),
            plan.mark_point(shape="diamond", size=160, filled=True, color=INK, opacity=1).encode(x=x, y=y),
            plan.mark_text(dy=-14, dx=4, align="left", fontSize=13, fontWeight="bold").encode(x=x, y=y, text="words:N"),
        ).properties(width=WIDTH, height=210)

    return Chart(
        "frontier",
        found.verdict,
        "A line of the log loss after the best purchase for each budget, against its cost; a diamond marks the plan.",
        ("budget", "gold labels", "unlabeled points", "cost", "log loss after"),
        rows,
        plot,
    )
