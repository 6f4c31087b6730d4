"""What a model file holds: a fitted model as plain values, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from operator import index
from typing import Any, TypeVar, get_args

import numpy as np

from carob._types import Floats, Ints
from carob.count.digest_content import digest_content, digest_of
from carob.errors import InputError, one_of
from carob.label.fit import MixtureFit
from carob.label.model import Correction, Mixture
from carob.label.readings import Reading
from carob.model.karat import PoolFit, RecalibratedFit
from carob.model.values import groups, numbers, shares, text, texts, weights
from carob.posterior.fit import Fit
from carob.posterior.losses import CrossScore
from carob.posterior.settings import Method
from carob.posterior.source_model import SourceModel
from carob.posterior.source_table import SourceTable
from carob.read.model_file import plain
from carob.votes.coding import Coding, Spelling
from carob.votes.columns import MAX_CLASSES
from carob.votes.messages import messages_of
from carob.votes.scales import Scale

LAST_OF_KARAT = 4  # the last version of the format that was written under that name
_PARAMETERS = ("method", "class_balance", "known_pairs", "classes", "abstain", "level", "replicates", "rng", "strict")
_PAPER_ONLY = ("aggregate", "symmetric", "negative", "signs")  # parameters of these versions
_LIMITS = {"low": -np.inf, "high": np.inf}
T = TypeVar("T")


def model_content(parameters: dict[str, Any], fit: Fit) -> dict[str, Any]:
    """A model as plain values."""
    model = fit.model
    params = dict(parameters)
    if not isinstance(params["rng"], int | np.integer):  # a generator has no such form
        params["rng"] = None
    return {
        "parameters": params,
        "method": fit.method,
        "learned_from": [fit.n_points, fit.n_gold],
        "classes": list(model.classes),
        "abstain": fit.coding.abstain,  # NaN, which JSON does not know, becomes null
        "spelling": plain(vars(fit.coding.spelling)),
        "scales": {name: _scale_content(scale) for name, scale in fit.coding.scales if name in model.sources},
        "class_balance": [model.class_balance, fit.balance_low, fit.balance_high],
        "mixture": _mixture_content(fit.mixture) if isinstance(fit, MixtureFit) else None,
        **(fit.content() if isinstance(fit, RecalibratedFit | PoolFit) else {}),
        "scores": [vars(score) for score in fit.scores],
        "notes": list(fit.notes),
        "findings": list(fit.findings),
        "worse": list(fit.worse),
        "bin_classes": [classes.tolist() for classes in fit.bin_classes],
        "messages": [vars(message) for message in fit.messages],
        "all_sources": list(fit.all_sources),
        "sources": fit.sources.rows(),
        "groups": [list(group) for group in model.groups],
        "tables": [table.tolist() for table in model.tables],
        "digest": None if fit.digest is None else digest_content(fit.digest),
    }


def fit_of(content: dict[str, Any], version: int) -> tuple[dict[str, Any], Fit]:
    """The parameters of a model and its fit, from what a file holds; what does not fit together is refused."""
    params = content["parameters"]
    if version <= LAST_OF_KARAT:
        params = {name: value for name, value in params.items() if name not in _PAPER_ONLY} | {"method": "consensus"}
    if not {*params} <= {*_PARAMETERS}:
        raise InputError("its parameters are not those of a LabelModel")
    table = _table(content["sources"])
    coding = _coding(content, table.source)
    K = len(coding.classes)
    balance = numbers(content["class_balance"][0], (K,))
    low, high = (shares(values, (K,)) for values in content["class_balance"][1:])
    model = SourceModel(
        tuple(table.source),
        coding.classes,
        balance,
        groups(content["groups"], len(table.source)),
        tuple(numbers(values) for values in content["tables"]),
    )
    scales = dict(coding.scales)
    if model.sizes != tuple(scales[name].size + 1 if name in scales else K + 1 for name in model.sources):
        raise InputError("its tables do not fit its classes and scales")
    messages = messages_of(content.get("messages", content.get("aside", [])))
    all_sources = texts(content.get("all_sources", []))
    if all_sources and (len({*all_sources}) < len(all_sources) or not {*all_sources} >= {*model.sources}):
        raise InputError("its sources are not among those that it was fitted to")
    kept = content.get("digest")
    digest = None if kept is None else digest_of(kept, coding)
    if digest is not None and (digest.sources != model.sources or digest.rows.max(initial=0) >= len(digest)):
        raise InputError("its digest is of other sources or points")
    n_points, n_gold = (index(number) for number in content.get("learned_from", (0, 0)))
    method = content.get("method", params["method"])
    one_of("method", method, get_args(Method))
    fit = Fit(
        method,
        n_points,
        n_gold,
        model,
        coding,
        all_sources or model.sources,
        messages,
        table,
        low,
        high,
        texts(content["notes"]),
        texts(content.get("findings", [])),
        texts(content.get("worse", [])),
        tuple(_score(score) for score in content.get("scores", [])),
        tuple(np.array(classes, dtype=np.int8) for classes in content.get("bin_classes", [])),
        digest,
    )
    values = {field.name: getattr(fit, field.name) for field in fields(Fit)}
    if content.get("mixture") is not None:
        return params, MixtureFit(**values, mixture=_mixture(content["mixture"], model))
    for kind in (PoolFit, RecalibratedFit):
        if content.get(kind.NAME) is not None:
            return params, kind(**values, **kind.checked(content[kind.NAME], model))
    return params, fit


def _mixture_content(mixture: Mixture) -> dict[str, Any]:
    parts = {name: [vars(part) for part in getattr(mixture, name)] for name in ("readings", "corrections")}
    return {field.name: getattr(mixture, field.name) for field in fields(Mixture)} | parts


def _score(content: dict[str, Any]) -> CrossScore:
    numbers = {name: np.nan if value is None else float(value) for name, value in content.items() if name != "name"}
    return CrossScore(text(content["name"]), **numbers)


def _coding(content: dict[str, Any], sources: Sequence[str]) -> Coding:
    classes = tuple(content["classes"])
    if not all(isinstance(label, str | int) for label in classes) or not 2 <= len({*classes}) == len(classes):
        raise InputError("its classes are no labels, or the same twice")
    if len(classes) > MAX_CLASSES:
        raise InputError("it has too many classes")
    if not all(label is None or isinstance(label, str | int | float) for label in content["abstain"]):
        raise InputError("its abstain values are no labels")
    abstain = tuple(float("nan") if label is None else label for label in content["abstain"])
    spelling = content.get("spelling", {"ignore_case": False, "mapping": []})
    scales = tuple((name, _scale(scale)) for name, scale in content.get("scales", {}).items())
    if not {name for name, _ in scales} <= {*sources}:
        raise InputError("its scales name sources that it does not have")
    mapping = dict(spelling["mapping"])
    if not all(isinstance(label, str | int) for label in mapping.values()):
        raise InputError("it reads values as something that is no label")
    return Coding(classes, abstain, Spelling.of(bool(spelling["ignore_case"]), mapping), scales)


def _scale_content(scale: Scale) -> dict[str, Any]:
    """A scale as plain values; JSON knows no infinity, which no stated range is."""
    limits = {name: None if np.isinf(value) else value for name, value in (("low", scale.low), ("high", scale.high))}
    return vars(scale) | limits


def _scale(content: dict[str, Any]) -> Scale:
    parts = {name: tuple(numbers(content[name]).tolist()) for name in ("edges", "centres", "standing")}
    low, high = (infinite if content[name] is None else float(content[name]) for name, infinite in _LIMITS.items())
    scale = Scale(content["kind"], **parts, low=low, high=high)
    sizes = {len(scale.edges) + 1, len(scale.centres), len(scale.standing)}
    rising = all(a < b for a, b in pairwise(scale.edges)) and low < high
    if len(sizes) > 1 or not rising or scale.kind not in ("score", "probability"):
        raise InputError("its scales of scores do not fit together")
    return scale


def _mixture(content: dict[str, Any], model: SourceModel) -> Mixture:
    m, V, K = len(model.sources), max(model.sizes) - 1, len(model.classes)
    readings = tuple(_fields(Reading, reading, m, V, K) for reading in content["readings"])
    hard = tuple(reading.before_hard is not None for reading in readings)
    if hard != (True, False, False) or readings[0].if_hard is None:
        raise InputError("its readings are not those of a mixture")
    corrections = tuple(_fields(Correction, correction, m, V, K) for correction in content["corrections"])
    if corrections:
        weights([correction.weight for correction in corrections])
    offset = numbers(content["offset"], (K,))
    if not (offset > 0).all() or len(weights(content["weights"])) != len(readings):
        raise InputError("its readings do not fit its sources and classes")
    counts_for = numbers(content["counts_for"], (m, V, K))
    given = None if content["given"] is None else weights(content["given"])
    if given is not None and len(given) != K:
        raise InputError("its class balance does not fit its classes")
    of_groups = groups(content["groups"], m, True)
    return Mixture(readings, weights(content["weights"]), of_groups, counts_for, corrections, given, offset)


def _fields(kind: type[T], content: dict[str, Any], m: int, V: int, K: int) -> T:
    """A reading or a correction, its arrays of the shapes that they must have."""
    shapes = {
        "tables": (m, V, K), "if_hard": (m, V, K), "silence": (m, K), "hits": (m, K), "before": (K,),
        "before_hard": (K,), "weight": (), "slopes": (3,), "silent": (K,), "matrix": (K, K), "own": (m, V, K),
    }  # fmt: skip
    return kind(**{name: None if value is None else numbers(value, shapes[name]) for name, value in content.items()})


def _table(rows: list[dict[str, Any]]) -> SourceTable:
    m = len(rows)

    def share(name: str) -> Floats:
        return shares([row[name] for row in rows], (m,))

    def counts(name: str) -> Ints:
        return np.array([index(row[name]) for row in rows], dtype=np.int64)

    names = texts([row["source"] for row in rows])
    if len({*names}) < m or not m:
        raise InputError("it has no sources, or the same one twice")
    return SourceTable(
        list(names),
        [list(row["polarity"]) for row in rows],
        share("coverage"), share("overlaps"), share("conflicts"),
        counts("correct"), counts("incorrect"),
        share("empirical_accuracy"), share("accuracy"), share("low"), share("high"),
    )  # fmt: skip
