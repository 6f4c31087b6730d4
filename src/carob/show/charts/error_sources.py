"""Where the log loss comes from: what more gold or more points would mend, and what is left."""

from __future__ import annotations

from typing import Any

from carob.show.cells import Cell, Loss, Percent, Text
from carob.show.charts.chart import COLOURS, WIDTH, Chart
from carob.value.advice import DataValue

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
