"""What a model file holds: a fitted model as plain values, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from karat.calibrate.cross_validation import CrossScore
from karat.calibrate.pool import Pool
from karat.calibrate.recalibrate import Recalibration
from karat.errors import InputError
from karat.estimate.consensus import Evidence
from karat.estimate.intervals import Intervals
from karat.fit import Fitted
from karat.io.coding import Coding
from karat.io.plain import plain
from karat.io.scales import Scale
from karat.io.spelling import Spelling
from karat.source_model import SourceModel
from karat.source_table import SourceTable

_LIMITS = {"low": -np.inf, "high": np.inf}


@dataclass(frozen=True, eq=False)
class FittedModel:
    """All that a fitted `karat.LabelModel` knows besides its parameters.

    Parameters
    ----------
    fitted : Fitted
    coding : Coding
    table : SourceTable
    notes : tuple of str
        What went into the model, a sentence each.
    aside : tuple of str
        What was set aside before, a sentence for each reason.
    all_sources : tuple of str
        The sources with those that were set aside, in their order; empty where none was.
    """

    fitted: Fitted
    coding: Coding
    table: SourceTable
    notes: tuple[str, ...]
    aside: tuple[str, ...] = ()
    all_sources: tuple[str, ...] = ()


def to_content(parameters: dict[str, Any], learned: FittedModel) -> dict[str, Any]:
    """A model as plain values."""
    model, intervals, scaling = learned.fitted.model, learned.fitted.intervals, learned.fitted.recalibration
    params = dict(parameters)
    if not isinstance(params["rng"], int | np.integer):  # a generator has no such form
        params["rng"] = None
    return {
        "parameters": params,
        "classes": list(model.classes),
        "abstain": learned.coding.abstain,  # NaN, which JSON does not know, becomes null
        "spelling": plain(vars(learned.coding.spelling)),
        "scales": {name: _scale_content(scale) for name, scale in learned.coding.scales if name in model.sources},
        "class_balance": [model.class_balance, intervals.balance_low, intervals.balance_high],
        "intervals": intervals.method,
        "recalibration": None if scaling is None else plain(vars(scaling)),
        "pool": None if learned.fitted.pool is None else _pool_content(learned.fitted.pool),
        "scores": [vars(score) for score in learned.fitted.scores],
        "notes": list(learned.notes),
        "aside": list(learned.aside),
        "all_sources": list(learned.all_sources),
        "sources": learned.table.rows(),
        "groups": [list(group) for group in model.groups],
        "tables": [table.tolist() for table in model.tables],
    }


def from_content(content: dict[str, Any], parameters: Sequence[str]) -> tuple[dict[str, Any], FittedModel]:
    """The parameters and the model that a file holds; a file that does not fit together is refused."""
    params = {"strict": False} | content["parameters"]  # which models of 0.1 do not have
    if sorted(params) != sorted(parameters):
        raise InputError("its parameters are not those of a LabelModel")
    table = _table(content["sources"])
    coding = _coding(content)
    balance, low, high = (np.array(values, dtype=np.float64) for values in content["class_balance"])
    model = SourceModel(
        tuple(table.source),
        coding.classes,
        balance,
        tuple(tuple(group) for group in content["groups"]),
        tuple(np.array(values, dtype=np.float64) for values in content["tables"]),
    )
    intervals = Intervals(table.low, table.high, low, high, content["intervals"])
    scaling = _recalibration(content["recalibration"], len(coding.classes))
    pool = _pool(content.get("pool"), model)
    scores = tuple(CrossScore(**score) for score in content.get("scores", []))
    fitted = Fitted(model, intervals, scaling, None, pool, table.accuracy, scores)
    aside = (tuple(content.get(name, [])) for name in ("aside", "all_sources"))
    return params, FittedModel(fitted, coding, table, tuple(content["notes"]), *aside)


def _coding(content: dict[str, Any]) -> Coding:
    if not all(isinstance(label, str | int) for label in content["classes"]):
        raise InputError("its classes are no labels")
    if not all(label is None or isinstance(label, str | int | float) for label in content["abstain"]):
        raise InputError("its abstain values are no labels")
    abstain = tuple(float("nan") if label is None else label for label in content["abstain"])
    spelling = content.get("spelling", {"ignore_case": False, "mapping": []})
    return Coding(
        tuple(content["classes"]),
        abstain,
        Spelling.of(bool(spelling["ignore_case"]), dict(spelling["mapping"])),
        tuple((name, _scale(scale)) for name, scale in content.get("scales", {}).items()),
    )


def _scale_content(scale: Scale) -> dict[str, Any]:
    """A scale as plain values; JSON knows no infinity, which no stated range is."""
    limits = {name: None if np.isinf(value) else value for name, value in (("low", scale.low), ("high", scale.high))}
    return vars(scale) | limits


def _scale(content: dict[str, Any]) -> Scale:
    numbers = {name: tuple(float(value) for value in content[name]) for name in ("edges", "centres", "standing")}
    low, high = (infinite if content[name] is None else float(content[name]) for name, infinite in _LIMITS.items())
    scale = Scale(content["kind"], **numbers, low=low, high=high)
    sizes = {len(scale.edges) + 1, len(scale.centres), len(scale.standing)}
    rising = all(a < b for a, b in pairwise(scale.edges))
    if len(sizes) > 1 or not rising or scale.kind not in ("score", "probability"):
        raise InputError("its scales of scores do not fit together")
    return scale


def _recalibration(scaling: dict[str, Any] | None, K: int) -> Recalibration | None:
    if scaling is None:
        return None
    numbers = {name: np.array(values, dtype=np.float64) for name, values in scaling.items() if name != "once"}
    found = Recalibration(**numbers, once=tuple(tuple(group) for group in scaling.get("once", ())))
    if found.shift.shape != (len(found.weight), K):
        raise InputError("its recalibration does not fit its classes")
    return found


def _pool_content(pool: Pool) -> dict[str, Any]:
    evidence = [found.log_odds for found in pool.evidence]
    return {**vars(pool), "evidence": evidence, "groups": pool.evidence[0].groups}


def _pool(content: dict[str, Any] | None, model: SourceModel) -> Pool | None:
    if content is None:
        return None
    groups = tuple(tuple(group) for group in content.pop("groups"))
    evidence = tuple(
        Evidence(np.array(found, dtype=np.float64), model.sizes, groups) for found in content.pop("evidence")
    )
    learned = np.array(content.pop("learned"), dtype=np.intp)
    numbers = {name: np.array(values, dtype=np.float64) for name, values in content.items()}
    pool = Pool(**numbers, evidence=evidence, learned=learned)
    K = len(model.classes)
    shape = (len(model.sources), max(model.sizes) - 1, K)
    if any(found.log_odds.shape != shape for found in evidence) or pool.shift.shape != (len(pool.weight), K):
        raise InputError("its readings do not fit its sources and classes")
    if not ((learned >= 0) & (learned < len(evidence))).all():
        raise InputError("its readings name evidence that it does not have")
    return pool


def _table(rows: list[dict[str, Any]]) -> SourceTable:
    def column(name: str, dtype: Any = np.float64) -> Any:
        return np.array([row[name] for row in rows], dtype=dtype)

    return SourceTable(
        [row["source"] for row in rows],
        [row["polarity"] for row in rows],
        *map(column, ("coverage", "overlaps", "conflicts")),
        *(column(name, np.int64) for name in ("correct", "incorrect")),
        *map(column, ("empirical_accuracy", "accuracy", "low", "high")),
    )
