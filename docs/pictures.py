"""Draws the pictures of the documentation."""

from __future__ import annotations

from pathlib import Path

import carob
from carob.commands.summary import DataSummary
from carob.posterior.settings import Settings
from carob.show.charts.accuracies import accuracies
from carob.show.charts.chart import Chart
from carob.show.charts.curves import learning_curves
from carob.show.charts.data_value import error_sources
from carob.value.advice import DataValue


def charts() -> list[Chart]:
    """What the example of messages looks like."""
    votes = carob.read_votes("examples/messages.csv", key="id", gold="truth")
    model = carob.LabelModel().fit(votes, votes.gold)
    data = DataSummary.of(votes, model.source_table_, Settings().level, ())
    value = carob.data_value(votes, votes.gold)
    if not isinstance(value, DataValue):
        raise TypeError("the example has gold labels enough")
    found = [accuracies(data), error_sources(value), learning_curves(value)]
    return [chart for chart in found if chart is not None]


def draw(folder: Path) -> None:
    """Write every chart as SVG."""
    folder.mkdir(exist_ok=True)
    for chart in charts():
        (folder / f"{chart.name}.svg").write_text(chart.svg(), encoding="utf-8")
