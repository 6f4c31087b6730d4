"""What `karat fit` says."""

from __future__ import annotations

from karat.commands.fit import FitResult
from karat.errors import plural
from karat.losses import Score
from karat.show.cells import Loss, Share
from karat.show.data import aside_sections, balance_section, source_section, warning_sections
from karat.show.report import Report, Section


def fit_report(result: FitResult, next_command: str = "") -> Report:
    """What was learned from what, and written where."""
    sections = [
        *warning_sections(result.data),
        *aside_sections(result.data.aside),
        source_section(result.data),
        balance_section(result.class_balance),
        Section("How the model was learned", lines=result.explanation.split("\n")),
    ]
    if result.score is not None:
        sections.append(_score_section(result.score, result.learned_from_gold))
    return Report(_verdict(result), sections, next_command)


def _verdict(result: FitResult) -> str:
    data = result.data
    gold = "" if data.n_gold is None else f" and {plural(data.n_gold, 'gold label')}"
    learned = f"Learned {plural(len(data.sources.source), 'source')} from {plural(data.n_points, 'point')}{gold}."
    wrote = [f"labels to {result.out}"] if result.out else []
    wrote += [f"the model to {result.model_file}"] if result.model_file else []
    return f"{learned} Wrote {' and '.join(wrote)}." if wrote else learned


def _score_section(score: Score, learned_from_gold: bool) -> Section:
    seen = ", which the model has learned from" if learned_from_gold else ""
    measured = f"accuracy {Share(score.accuracy)}, log loss {Loss(score.loss)}"
    return Section(f"On the {score.points:,} gold points{seen}: {measured}")
