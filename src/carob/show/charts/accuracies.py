"""How often each source is right: by votes alone, on gold, and by both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from carob._types import Floats
from carob.commands.summary import DataSummary
from carob.posterior.intervals import wilson
from carob.posterior.source_table import SourceTable
from carob.show.cells import Between, Cell, Percent, Share, Text
from carob.show.charts.chart import LEARNED_FROM, WIDTH, Chart, series


def accuracies(data: DataSummary, alone: SourceTable | None = None, by_gold: bool = True) -> Chart | None:
    """Accuracies with their intervals; None where none is known.

    `alone`: what votes alone say of the same sources. `by_gold`: whether gold, where there is some, took part in the
    accuracies of `data`.
    """
    table = data.sources
    shown = telling(table, len(data.classes))
    rows = _rows(table, shown, LEARNED_FROM[0] if by_gold and data.n_gold else LEARNED_FROM[2])
    if alone is not None:
        rows += _rows(alone, [alone.source.index(table.source[i]) for i in shown], LEARNED_FROM[2])
    if data.n_gold:
        low, high = wilson(table.correct, table.correct + table.incorrect, data.level)
        rows += _rows(replace(table, accuracy=table.empirical_accuracy, low=low, high=high), shown, LEARNED_FROM[1])
    if not rows:
        return None
    order = [table.source[i] for i in sorted(shown, key=lambda i: -np.nan_to_num(table.accuracy[i]))]
    names = [name for name in LEARNED_FROM if any(row["from"] == name for row in rows)]
    rows.sort(key=lambda row: (order.index(row["source"]), names.index(row["from"])))
    chance = 1 / len(data.classes)
    cells: list[list[Cell]] = [
        [Text(row["source"]), Text(row["from"]), Share(row["value"]), Between(Share(row["low"]), Share(row["high"]))]
        for row in rows
    ]

    def plot(alt: Any) -> Any:
        base = alt.Chart(alt.Data(values=rows))
        y = alt.Y("source:N", sort=order, title=None)
        offset = alt.YOffset("from:N", sort=names)
        looks = series(alt, names)
        step = alt.Step(14 if len(names) > 1 else 20)
        x = alt.X("value:Q", title="share of votes that are right", scale=alt.Scale(domain=[0, 1]))
        bars = base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", title="share of votes that are right", scale=alt.Scale(domain=[0, 1])),
            x2="high:Q", y=y, yOffset=offset, color=looks["color"],
        )  # fmt: skip
        dots = base.mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, yOffset=offset, **looks)
        random = alt.Chart(alt.Data(values=[{"value": chance}])).mark_rule(strokeDash=[2, 3], stroke="#666666")
        return alt.layer(random.encode(x="value:Q"), bars, dots).properties(width=WIDTH - 60, height=step)

    level = Percent(data.level, digits=0)
    several = (
        f" The {len(shown)} most telling of {len(table.source)} sources." if len(shown) < len(table.source) else ""
    )
    return Chart(
        "accuracies",
        _finding(table, shown, chance),
        f"One row for each source; dots are accuracies and lines their {level} intervals, from {', '.join(names)}. The "
        f"dashed line is chance.{several}",
        ("source", "from", "accuracy", "interval"),
        cells,
        plot,
    )


def telling(table: SourceTable, K: int, most: int = 20) -> list[int]:
    """The places of the sources that tell most."""
    return sorted(np.argsort(-how_telling(table, K), kind="stable")[:most].tolist())


def how_telling(table: SourceTable, K: int) -> Floats:
    """How much each source tells: the farther from chance, and the more points it votes on, shape (m,)."""
    return np.nan_to_num(np.abs(table.accuracy - 1 / K)) * table.coverage


def _rows(table: SourceTable, shown: Sequence[int], name: str) -> list[dict[str, Any]]:
    rows = []
    for i in shown:
        value, low, high = (float(column[i]) for column in (table.accuracy, table.low, table.high))
        if np.isfinite(value):
            ends = (low, high) if np.isfinite(low) and np.isfinite(high) else (value, value)
            rows.append({"source": table.source[i], "from": name, "value": value, "low": ends[0], "high": ends[1]})
    return rows


def _finding(table: SourceTable, shown: Sequence[int], chance: float) -> str:
    known = [i for i in shown if np.isfinite(table.accuracy[i])]
    if not known:
        return "How often each source is right on gold."
    best = max(known, key=lambda i: table.accuracy[i])
    first = f"{table.source[best]} is right most often ({Share(float(table.accuracy[best]))})"
    sources = np.flatnonzero(np.isfinite(table.low))
    unsure = int((table.low[sources] <= chance).sum())
    if not len(sources):
        return f"{first}."
    if not unsure:
        return f"{first}; every source is better than chance."
    return f"{first}; {unsure} of {len(sources)} sources may be no better than chance."
