"""What `carob fit`, `carob label` and `carob update` say."""

from __future__ import annotations

from collections.abc import Sequence

from carob.commands.fit import FitResult
from carob.commands.label import LabelResult, UpdateResult
from carob.errors import examples, plural
from carob.posterior.losses import CrossScore, Score
from carob.show.cells import Between, Cell, Count, Loss, Share, Text
from carob.show.charts.histogram import histogram
from carob.show.data import balance_section, message_sections, source_section, uncovered_lines
from carob.show.report import Report, Section


def fit_report(result: FitResult, next_command: str = "") -> Report:
    """What was learned from what, and written where."""
    sections = [
        *message_sections(result.data.messages),
        source_section(result.data),
        balance_section(result.class_balance),
        Section("How the model was learned", lines=result.explanation.split("\n")),
        *quality_sections(result),
    ]
    if result.histogram is not None:
        sections.append(Section("How sure the labels are", charts=[histogram(result.histogram)]))
    return Report(_verdict(result), sections, next_command)


def quality_sections(result: FitResult) -> list[Section]:
    """How good the labels are, as far as gold tells."""
    sections = []
    if result.scores:
        sections.append(scores_section(result.scores, result.data.n_gold or 0))
    if result.score is not None:
        sections.append(_score_section(result.score, result.learned_from_gold))
    return sections


def _verdict(result: FitResult) -> str:
    data = result.data
    gold = "" if data.n_gold is None else f" and {plural(data.n_gold, 'gold label')}"
    learned = f"Learned {plural(len(data.sources.source), 'source')} from {plural(data.n_points, 'point')}{gold}."
    if result.worse:
        learned += f" Worse than chance: {examples(result.worse)}."
    wrote = [f"labels to {result.out}"] if result.out else []
    wrote += [f"the model to {result.model_file}"] if result.model_file else []
    return f"{learned} Wrote {' and '.join(wrote)}." if wrote else learned


def scores_section(scores: Sequence[CrossScore], n_gold: int) -> Section:
    """How good labels are, by every way to make them."""
    rows: list[list[Cell]] = [
        [
            Text(score.name),
            Share(score.accuracy),
            Between(Share(score.accuracy_low), Share(score.accuracy_high)),
            Loss(score.loss),
            Between(Loss(score.loss_low), Loss(score.loss_high)),
        ]
        for score in scores
    ]
    title = f"How good labels are, on {plural(n_gold, 'gold label')} that they were not learned from"
    return Section(title, ["labels from", "accuracy", "interval", "log loss", "interval"], rows)


def _score_section(score: Score, learned_from_gold: bool) -> Section:
    seen = ", which the model has learned from" if learned_from_gold else ""
    measured = f"accuracy {Share(score.accuracy)}, log loss {Loss(score.loss)}"
    return Section(f"On the {score.points:,} gold points{seen}: {measured}")


def label_report(result: LabelResult) -> Report:
    """How many points were labeled, and as what."""
    rows = [[Text(part.label), Count(part.points), Share(part.mean_probability)] for part in result.labels]
    lines = uncovered_lines(result.n_uncovered, result.n_points)
    section = Section("Labels", ["class", "points", "mean probability"], rows, lines)
    return Report(f"Labeled {plural(result.n_points, 'point')}; wrote {result.out}.", [section])


def update_report(result: UpdateResult, next_command: str = "") -> Report:
    """How much was learned from, and what the sources are now."""
    gold = f" and {plural(result.n_gold_added, 'gold label')}" if result.n_gold_added else ""
    verdict = (
        f"Learned from {plural(result.n_added, 'point')}{gold} more, {result.data.n_points:,} points in all. Wrote the "
        f"model to {result.out}."
    )
    sections = [
        *message_sections(result.data.messages),
        source_section(result.data),
        balance_section(result.class_balance),
    ]
    return Report(verdict, sections, next_command)
