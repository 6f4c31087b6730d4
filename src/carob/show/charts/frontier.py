"""What a budget buys, and the plan on it."""

from __future__ import annotations

from typing import Any

from carob.show.cells import Cell, Count, Money, Nats
from carob.show.charts.chart import COLOURS, INK, WIDTH, Chart
from carob.value.plan import Plan


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
