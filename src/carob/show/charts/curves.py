"""Log loss against gold labels, and where gold alone meets votes alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carob.show.cells import Between, Cell, Count, Loss
from carob.show.charts.chart import COLOURS, INK, LEARNED_FROM, WIDTH, Chart, dashes
from carob.value.advice import DataValue
from carob.value.words import worth


def learning_curves(found: DataValue) -> Chart | None:
    """Learning curves with the crossing that defines f; None where they were not kept."""
    curves = found.curves
    if curves is None:
        return None
    n = curves.n.tolist()
    lines = [
        {"n": size, "loss": loss, "from": name}
        for name, losses in zip(
            LEARNED_FROM,
            (curves.both.tolist(), curves.gold_alone.tolist(), [curves.votes_alone.value] * len(n)),
            strict=True,
        )
        for size, loss in zip(n, losses, strict=True)
        if math.isfinite(loss)
    ]
    band = [
        {"n": size, "low": low, "high": high}
        for size, low, high in zip(n, curves.low.tolist(), curves.high.tolist(), strict=True)
    ]
    # A curve of gold alone starts far above all that is of interest.
    highest = min(max(row["loss"] for row in lines), 2.5 * max(curves.votes_alone.value, float(np.nanmax(curves.both))))
    rows: list[list[Cell]] = [
        [
            Count(round(size)),
            Loss(both if math.isfinite(both) else None),
            Loss(gold),
            Between(Loss(low), Loss(high)),
            Loss(curves.votes_alone.value),
        ]
        for size, both, gold, low, high in zip(
            n, curves.both.tolist(), curves.gold_alone.tolist(), curves.low.tolist(), curves.high.tolist(), strict=True
        )
    ]
    f = found.equivalent_labels

    def plot(alt: Any) -> Any:
        x_scale = alt.Scale(type="log", domain=[n[0], n[-1]], nice=False)
        y_scale = alt.Scale(domain=[0, highest], clamp=True)
        x = alt.X("n:Q", title="gold labels", scale=x_scale, axis=alt.Axis(format="~s", tickCount=6, grid=False))
        low, loss = (alt.Y(f"{name}:Q", scale=y_scale, title="log loss") for name in ("low", "loss"))
        area = alt.Chart(alt.Data(values=band)).mark_area(opacity=0.18, color=COLOURS[1], clip=True)
        drawn = alt.Chart(alt.Data(values=lines)).mark_line(strokeWidth=2, clip=True)
        layers = [area.encode(x=x, y=low, y2="high:Q"), drawn.encode(x=x, y=loss, **dashes(alt, LEARNED_FROM))]
        if math.isfinite(f.value) and f.value >= n[0]:
            point = [{"n": f.value, "loss": curves.votes_alone.value, "words": f"about {f.value:,.0f}"}]
            base = alt.Chart(alt.Data(values=point))
            y = alt.Y("loss:Q", scale=y_scale)
            layers += [
                base.mark_point(shape="diamond", size=140, filled=True, color=INK, opacity=1).encode(x=x, y=y),
                base.mark_text(dy=-14, fontSize=13, fontWeight="bold").encode(x=x, y=y, text="words:N"),
            ]
        return alt.layer(*layers).properties(width=WIDTH, height=230)

    marked = " A diamond marks where gold alone meets votes alone." if math.isfinite(f.value) else ""
    return Chart(
        "curves",
        worth(found.n_unlabeled, f),
        "Lines of the log loss against the number of gold labels: votes and gold, gold alone with a band, and votes "
        f"alone, which is level. Beyond {curves.n_gold:,} labels they are drawn on.{marked}",
        ("gold labels", "votes and gold", "gold alone", "interval", "votes alone"),
        rows,
        plot,
    )
