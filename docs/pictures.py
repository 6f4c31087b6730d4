"""Draws the pictures of the documentation."""

from __future__ import annotations

from pathlib import Path

import karat
from karat.commands.summary import DataSummary
from karat.estimate.settings import Settings
from karat.show.charts.accuracies import accuracies
from karat.show.charts.chart import Chart
from karat.show.charts.curves import learning_curves
from karat.show.charts.error_sources import error_sources
from karat.value.advice import DataValue


def charts() -> list[Chart]:
    """What the example of messages looks like."""
    votes = karat.read_votes("examples/messages.csv", key="id", gold="truth")
    model = karat.LabelModel().fit(votes, votes.gold)
    data = DataSummary.of(votes, model.source_table_, Settings().level, ())
    value = karat.data_value(votes, votes.gold)
    if not isinstance(value, DataValue):
        raise TypeError("the example has gold labels enough")
    found = [accuracies(data), error_sources(value), learning_curves(value)]
    return [chart for chart in found if chart is not None]


def draw(folder: Path) -> None:
    """Write every chart as SVG."""
    folder.mkdir(exist_ok=True)
    for chart in charts():
        (folder / f"{chart.name}.svg").write_text(chart.svg(), encoding="utf-8")
