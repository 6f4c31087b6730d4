"""Results as HTML for notebooks: a fragment with its own style; charts only where they can be drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from carob.commands.check import CheckResult
from carob.commands.pick import PickResult
from carob.commands.summary import DataSummary, class_shares
from carob.errors import plural
from carob.model.label_model import LabelModel
from carob.show.charts.chart import can_draw
from carob.show.check import check_report
from carob.show.data import balance_section, source_section
from carob.show.html import sections_html, style, verdict_html
from carob.show.pick import pick_report
from carob.show.rate import rate_report
from carob.show.report import Report, Section
from carob.show.value import plan_report, value_report
from carob.value.advice import DataValue
from carob.value.pick import Picked
from carob.value.plan import Plan
from carob.value.rate import Rate
from carob.value.votes_alone import VotesAlone


def html(result: object) -> str:
    """A result as a fragment of a page; its style reaches nothing outside it."""
    report = _report(result)
    sections = report.sections if can_draw() else [replace(section, charts=()) for section in report.sections]
    body = f"{verdict_html(report.verdict)}{sections_html(sections, 'carob')}"
    own = style().replace(":root", ":scope")
    return f'<div class="carob"><style>@scope {{ {own} }}</style>{body}</div>'


def _report(result: Any) -> Report:
    match result:
        case LabelModel():
            return _model_report(result)
        case CheckResult():
            return check_report(result)
        case DataValue() | VotesAlone():
            return value_report(result)
        case Plan():
            return plan_report(result)
        case Picked():
            return pick_report(PickResult(result, None))
        case Rate():
            return rate_report(result)
    raise TypeError(f"there is no report on {type(result).__name__}.")


def _model_report(model: LabelModel) -> Report:
    if not hasattr(model, "fit_"):
        return Report(f"{model!r}, not fitted yet.")
    fit = model.fit_
    data = DataSummary(
        fit.n_points, fit.n_gold or None, fit.model.classes, fit.coding, fit.sources, model.level, 0, fit.messages
    )
    labels = f" and {plural(fit.n_gold, 'gold label')}" if fit.n_gold else ""
    sections = [
        source_section(data, by_gold=fit.n_gold > 0),
        balance_section(class_shares(model)),
        Section("How the model was learned", lines=fit.notes),
    ]
    learned = f"Learned {plural(len(fit.sources.source), 'source')} from {plural(fit.n_points, 'point')}{labels}."
    return Report(learned, sections)
