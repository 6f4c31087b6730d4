"""Results as JSON: one object, with the verdict first and the next command last."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from carob.commands.analysis import ReportResult
from carob.commands.check import CheckResult
from carob.commands.demo import DemoResult
from carob.commands.fit import FitResult
from carob.commands.label import LabelResult, UpdateResult
from carob.commands.outputs import LabelShare
from carob.commands.pick import PickResult
from carob.commands.reproduce import ReproduceResult
from carob.commands.summary import ClassShare, DataSummary
from carob.read.model_file import plain
from carob.show.demo import named_scores
from carob.show.report import Report
from carob.value.advice import DataValue
from carob.value.plan import Plan
from carob.value.rate import Rate
from carob.value.votes_alone import VotesAlone

_UNPRINTABLE = re.compile("[\x7f-\x9f\ud800-\udfff\u2028\u2029]")
Result = (
    CheckResult | FitResult | LabelResult | DataValue | VotesAlone | Plan | PickResult | Rate | DemoResult
    | ReportResult | ReproduceResult | UpdateResult
)  # fmt: skip


def as_json(result: Result, report: Report) -> str:
    """One JSON object; null where a number is not known."""
    content = {"verdict": report.verdict, **_numbers(result), "next": report.next_command}
    text = json.dumps(plain(content), ensure_ascii=False, allow_nan=False)
    # JSON leaves these as they are, and a terminal obeys them; half of a surrogate pair cannot be printed.
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _numbers(result: Result) -> dict[str, Any]:
    match result:
        case CheckResult():
            return _check(result)
        case FitResult():
            return _fit(result)
        case LabelResult():
            return {
                "n_points": result.n_points,
                "classes": result.classes,
                "labels": _labels(result.labels),
                "n_uncovered": result.n_uncovered,
                "out": result.out,
            }
        case UpdateResult():
            return _data(result.data) | {
                "class_balance": _balance(result.class_balance),
                "n_added": result.n_added,
                "n_gold_added": result.n_gold_added,
                "model": result.out,
            }
        case DemoResult():
            return _demo(result)
        case ReportResult():
            return _report(result)
        case ReproduceResult():
            return result.numbers
        case PickResult():
            return result.picked.to_dict() | {"out": result.out}
        case DataValue() | VotesAlone() | Plan() | Rate():
            return result.to_dict()


def _check(result: CheckResult) -> dict[str, Any]:
    return _data(result.data) | {
        "problems": result.problems,
        "class_balance": None if result.problems else _balance(result.class_balance),
        "dependent_pairs": [vars(pair) for pair in result.pairs],
        "worse_than_chance": result.worse,
        "findings": result.findings,
        "scores": [vars(score) for score in result.scores],
    }


def _fit(result: FitResult) -> dict[str, Any]:
    score = {} if result.score is None else {"score": vars(result.score)}
    return (
        _data(result.data)
        | {
            "class_balance": _balance(result.class_balance),
            "labels": _labels(result.labels),
            "n_labeled": result.n_labeled,
            "explanation": result.explanation,
            "worse_than_chance": result.worse,
            "scores": [vars(score) for score in result.scores],
        }
        | score
        | {"out": result.out, "model": result.model_file}
    )


def _demo(result: DemoResult) -> dict[str, Any]:
    return _data(result.data) | {
        "scores": {what: vars(score) for what, score in named_scores(result).items()},
        "dependent_pairs": [vars(pair) for pair in result.pairs],
        "value": result.value.to_dict(),
    }


def _report(result: ReportResult) -> dict[str, Any]:
    value, plan = result.analysis.value, result.plan
    return _check(result.analysis.check) | {
        "value": None if value is None else value.to_dict(),
        "plan": None if plan is None else plan.to_dict(),
        "prices": vars(result.prices),
    }


def _data(data: DataSummary) -> dict[str, Any]:
    return {
        "n_points": data.n_points,
        "n_gold": data.n_gold or 0,
        "classes": data.classes,
        "coding": str(data.coding),
        "kinds": {name: scale.kind for name, scale in data.coding.scales},
        "n_uncovered": data.n_uncovered,
        "sources": data.sources.rows(),
        "messages": [vars(message) for message in data.messages],
    }


def _balance(shares: Sequence[ClassShare]) -> dict[str, Any]:
    return {str(share.label): {"value": share.value, "low": share.low, "high": share.high} for share in shares}


def _labels(shares: Sequence[LabelShare]) -> dict[str, Any]:
    return {str(share.label): {"points": share.points, "mean_probability": share.mean_probability} for share in shares}
