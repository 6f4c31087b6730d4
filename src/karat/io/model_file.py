"""Models as JSON files: readable, versioned, never pickled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from karat.calibrate.recalibrate import Recalibration
from karat.errors import InputError
from karat.estimate.fit import Fitted
from karat.estimate.intervals import Intervals
from karat.io.coding import Coding
from karat.io.files import whole_file
from karat.io.plain import plain
from karat.model import LabelModel, parameters
from karat.source_model import SourceModel
from karat.source_table import SourceTable

FORMAT = "karat model"
VERSION = 1


def write_model(path: str | Path, model: LabelModel) -> None:
    """Write a fitted model."""
    learned = model.source_model_
    params = model.get_params()
    if not isinstance(params["rng"], int | np.integer):  # a generator has no such form
        params["rng"] = None
    content = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": plain(params),
        "classes": list(learned.classes),
        "abstain": plain(model.coding_.abstain),  # NaN, which JSON does not know, becomes null
        "class_balance": [
            learned.class_balance.tolist(),
            plain(model.class_balance_low_),
            plain(model.class_balance_high_),
        ],
        "intervals": model.fitted_.intervals.method,
        "recalibration": None if model.fitted_.recalibration is None else plain(vars(model.fitted_.recalibration)),
        "notes": list(model.fitted_.notes),
        "sources": model.source_table_.rows(),
        "groups": [list(group) for group in learned.groups],
        "tables": [table.tolist() for table in learned.tables],
    }
    with whole_file(path) as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False).encode())


def read_model(path: str | Path) -> LabelModel:
    """Read a model, refusing files that are damaged, foreign or newer."""
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the model file {str(path)!r}: {error.strerror}.") from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"the model file {str(path)!r} is damaged: {error}. Fit and save the model again.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{str(path)!r} is not a karat model. Models are written by `karat fit --model` and save().")
    version = content.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise InputError(
            f"{str(path)!r} has version {version!r} of the model format; this karat reads up to version {VERSION}. "
            "Update karat, or fit and save the model again."
        )
    try:
        return _model(content)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise InputError(
            f"the model file {str(path)!r} is damaged ({reason}). Fit and save the model again."
        ) from error


def _model(content: dict[str, Any]) -> LabelModel:
    rows = content["sources"]

    def column(name: str, dtype: Any = np.float64) -> Any:
        return np.array([row[name] for row in rows], dtype=dtype)

    table = SourceTable(
        [row["source"] for row in rows],
        [row["polarity"] for row in rows],
        *map(column, ("coverage", "overlaps", "conflicts")),
        *(column(name, np.int64) for name in ("correct", "incorrect")),
        *map(column, ("empirical_accuracy", "accuracy", "low", "high")),
    )
    balance, low, high = (np.array(values, dtype=np.float64) for values in content["class_balance"])
    if not all(isinstance(label, str | int) for label in content["classes"]):
        raise InputError("its classes are no labels")
    if not all(label is None or isinstance(label, str | int | float) for label in content["abstain"]):
        raise InputError("its abstain values are no labels")
    coding = Coding(
        tuple(content["classes"]), tuple(float("nan") if label is None else label for label in content["abstain"])
    )
    learned = SourceModel(
        tuple(table.source),
        coding.classes,
        balance,
        tuple(tuple(group) for group in content["groups"]),
        tuple(np.array(values, dtype=np.float64) for values in content["tables"]),
    )
    params = content["parameters"]
    if sorted(params) != sorted(parameters()):
        raise InputError("its parameters are not those of a LabelModel")
    intervals = Intervals(table.low, table.high, low, high, content["intervals"])
    scaling = content["recalibration"]
    recalibration = None
    if scaling is not None:
        recalibration = Recalibration(**{name: np.array(values, dtype=np.float64) for name, values in scaling.items()})
        if recalibration.shift.shape != (len(recalibration.weight), len(coding.classes)):
            raise InputError("its recalibration does not fit its classes")
    fitted = Fitted(learned, intervals, recalibration, tuple(content["notes"]))
    return LabelModel(**params)._set(fitted, coding, table)
