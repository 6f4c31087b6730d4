"""What `carob demo` says."""

from __future__ import annotations

from carob.commands.demo import DemoResult
from carob.posterior.losses import Score
from carob.show.cells import Loss, Percent, Share, Text
from carob.show.charts.curves import learning_curves
from carob.show.charts.data_value import error_sources
from carob.show.data import pair_section, source_section
from carob.show.report import Report, Section
from carob.value.advice import DataValue


def demo_report(result: DemoResult) -> Report:
    """How good the word rules are, how wrong labels from them are, and what to do about it."""
    accuracy = Percent(result.scores["votes"].accuracy, digits=0)
    rows = [
        [Text(what), Share(found.accuracy), Share(found.f1), Loss(found.loss)]
        for what, found in named_scores(result).items()
    ]
    charts = []
    if isinstance(result.value, DataValue):
        curves = learning_curves(result.value)
        charts = [error_sources(result.value), *([] if curves is None else [curves])]
    return Report(
        f"Without a single gold label, twelve word rules label {accuracy} of {result.data.n_points:,} IMDB reviews "
        "right.",
        [
            source_section(result.data, by_gold=False),
            Section("How wrong the labels are", ["learned from", "accuracy", "F1", "log loss"], rows),
            Section(
                f"What to do next, told from {result.n_gold} gold labels", lines=[result.value.verdict], charts=charts
            ),
            pair_section(result.pairs, result.dependence),
        ],
        "carob check YOUR_VOTES.csv",
    )


def named_scores(result: DemoResult) -> dict[str, Score]:
    """How wrong labels are, by what they were learned from, in words."""
    words = {
        "unlabeled": "votes alone, mean of triplets",
        "corrected": "votes alone, median of triplets",
        "votes": "votes alone, all that they say together",
        "combined": f"the same and {result.n_gold} gold labels",
        "labeled": "gold for all points",
    }
    return {words[name]: found for name, found in result.scores.items()}
