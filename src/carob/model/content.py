"""What a model file holds: a fitted model as plain values, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from operator import index
from typing import Any, get_args

import numpy as np

from carob._types import Floats, Group, Ints
from carob.count.digest_content import digest_content, digest_of
from carob.errors import InputError, one_of
from carob.label.consensus import Evidence
from carob.label.fit import MixtureFit
from carob.label.pool import Pool
from carob.posterior.fit import Fit
from carob.posterior.losses import CrossScore
from carob.posterior.naive_bayes import softmax
from carob.posterior.settings import Method
from carob.posterior.source_model import SourceModel
from carob.posterior.source_table import SourceTable
from carob.read.model_file import plain
from carob.votes import Votes
from carob.votes.coding import Coding, Spelling
from carob.votes.columns import MAX_CLASSES
from carob.votes.messages import messages_of
from carob.votes.scales import Scale

LAST_OF_KARAT = 4  # the last version of the format that was written under that name
_PARAMETERS = ("method", "class_balance", "known_pairs", "classes", "abstain", "level", "replicates", "rng", "strict")
_PAPER_ONLY = ("aggregate", "symmetric", "negative", "signs")  # parameters of these versions
_SCALING = ("weight", "slope", "exponent", "count", "shift", "once")
_LIMITS = {"low": -np.inf, "high": np.inf}
_LARGEST = 1e9  # of numbers, products of which are summed
_LARGEST_EXPONENT = 100.0  # of 2
_LARGEST_REPETITION = 100.0  # the votes on a point would count as a hundredth of one


@dataclass(frozen=True, eq=False, kw_only=True)
class RecalibratedFit(Fit):
    """A fit of votes and gold as versions 0.1 and 0.2 made it: naive Bayes, scaled as gold showed.

    Parameters
    ----------
    weight, slope, exponent, count : arrays, shape (G,)
        Share of each scaling in a mixture; a, g and c of ``log P(y) + a (2 / (v + 1))^g L_y + c 2 n_y / (v + 2) + b_y``
        with v votes on the point, n_y of them for class y, and L the log-likelihoods of naive Bayes.
    shift : array, shape (G, K)
        b.
    once : tuple of tuples of int
        Groups of sources whose votes for a class count as one.
    """

    weight: Floats
    slope: Floats
    exponent: Floats
    count: Floats
    shift: Floats
    once: tuple[Group, ...]

    def posterior(self, votes: Votes) -> Floats:
        """Probability of each class for each point, shape (n, K)."""
        balance = self.model.class_balance
        prior = np.log(balance)
        evidence = np.log(np.maximum(super().posterior(votes), 1e-300)) - prior
        evidence -= evidence.mean(axis=1, keepdims=True)
        tally = votes.leanings(once=self.once)
        number = tally.sum(axis=1)
        tally = 2 * tally / (number + 2)[:, None]
        result = np.zeros_like(evidence)
        for w, a, g, c, b in zip(self.weight, self.slope, self.exponent, self.count, self.shift, strict=True):
            result += w * softmax(prior + b + c * tally + (a * (2 / (number + 1)) ** g)[:, None] * evidence)
        return np.where((number == 0)[:, None], balance, result)


def model_content(parameters: dict[str, Any], fit: Fit) -> dict[str, Any]:
    """A model as plain values."""
    model = fit.model
    params = dict(parameters)
    if not isinstance(params["rng"], int | np.integer):  # a generator has no such form
        params["rng"] = None
    scaling = None
    if isinstance(fit, RecalibratedFit):
        scaling = {name: plain(getattr(fit, name)) for name in _SCALING}
    return {
        "parameters": params,
        "method": fit.method,
        "learned_from": [fit.n_points, fit.n_gold],
        "classes": list(model.classes),
        "abstain": fit.coding.abstain,  # NaN, which JSON does not know, becomes null
        "spelling": plain(vars(fit.coding.spelling)),
        "scales": {name: _scale_content(scale) for name, scale in fit.coding.scales if name in model.sources},
        "class_balance": [model.class_balance, fit.balance_low, fit.balance_high],
        "recalibration": scaling,
        "pool": _pool_content(fit.mixture) if isinstance(fit, MixtureFit) else None,
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
    balance = _numbers(content["class_balance"][0], (K,))
    low, high = (_shares(values, (K,)) for values in content["class_balance"][1:])
    model = SourceModel(
        tuple(table.source),
        coding.classes,
        balance,
        _groups(content["groups"], len(table.source)),
        tuple(_numbers(values) for values in content["tables"]),
    )
    scales = dict(coding.scales)
    if model.sizes != tuple(scales[name].size + 1 if name in scales else K + 1 for name in model.sources):
        raise InputError("its tables do not fit its classes and scales")
    messages = messages_of(content.get("messages", content.get("aside", [])))
    all_sources = _texts(content.get("all_sources", []))
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
        _texts(content["notes"]),
        _texts(content.get("findings", [])),
        _texts(content.get("worse", [])),
        tuple(_score(score) for score in content.get("scores", [])),
        tuple(np.array(classes, dtype=np.int8) for classes in content.get("bin_classes", [])),
        digest,
    )
    values = {field.name: getattr(fit, field.name) for field in fields(Fit)}
    if content.get("pool") is not None:
        return params, MixtureFit(**values, mixture=_pool(content["pool"], model))
    if content.get("recalibration") is not None:
        return params, RecalibratedFit(**values, **_scaling(content["recalibration"], model))
    return params, fit


def _numbers(values: Any, shape: tuple[int, ...] | None = None) -> Floats:
    """Finite numbers, none of them so large that probabilities made of them would not be."""
    found = np.array(values, dtype=np.float64)
    if shape is not None and found.shape != shape:
        raise InputError(f"numbers of shape {found.shape} stand where {shape} is due")
    if not (np.abs(found) <= _LARGEST).all():  # NaN is not, either
        raise InputError("it holds numbers that are missing or too large")
    return found


def _shares(values: Any, shape: tuple[int, ...]) -> Floats:
    """Numbers from 0 to 1, NaN where one is not known."""
    found = np.array(values, dtype=np.float64)
    if found.shape != shape or (found < 0).any() or (found > 1).any():
        raise InputError("it holds shares that are not between 0 and 1, or too few or many of them")
    return found


def _mixture(values: Any) -> Floats:
    """Weights that add up to 1."""
    found = _numbers(values)
    if found.ndim != 1 or (found < 0).any() or abs(found.sum() - 1) > 1e-6:
        raise InputError("it holds weights that do not add up to 1")
    return found


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
        raise InputError("it holds something else where text is due")
    return tuple(values)


def _text(value: Any) -> str:
    return _texts([value])[0]


def _groups(values: Any, m: int) -> tuple[Group, ...]:
    """Groups of sources by position."""
    found = tuple(tuple(index(i) for i in group) for group in values)
    if any(not 0 <= i < m for group in found for i in group):
        raise InputError("its groups name sources that it does not have")
    return found


def _score(content: dict[str, Any]) -> CrossScore:
    numbers = {name: np.nan if value is None else float(value) for name, value in content.items() if name != "name"}
    return CrossScore(_text(content["name"]), **numbers)


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
    numbers = {name: tuple(_numbers(content[name]).tolist()) for name in ("edges", "centres", "standing")}
    low, high = (infinite if content[name] is None else float(content[name]) for name, infinite in _LIMITS.items())
    scale = Scale(content["kind"], **numbers, low=low, high=high)
    sizes = {len(scale.edges) + 1, len(scale.centres), len(scale.standing)}
    rising = all(a < b for a, b in pairwise(scale.edges)) and low < high
    if len(sizes) > 1 or not rising or scale.kind not in ("score", "probability"):
        raise InputError("its scales of scores do not fit together")
    return scale


def _scaling(content: dict[str, Any], model: SourceModel) -> dict[str, Any]:
    weight = _mixture(content["weight"])
    G = len(weight)
    slope, exponent, count = (_numbers(content[name], (G,)) for name in ("slope", "exponent", "count"))
    if not ((exponent >= 0) & (exponent <= _LARGEST_EXPONENT)).all():
        raise InputError("its recalibration has powers that are too large")
    return {
        "weight": weight,
        "slope": slope,
        "exponent": exponent,
        "count": count,
        "shift": _numbers(content["shift"], (G, len(model.classes))),
        "once": _groups(content.get("once", ()), len(model.sources)),
    }


def _pool_content(pool: Pool) -> dict[str, Any]:
    evidence, silence = [found.log_odds for found in pool.evidence], [found.silence for found in pool.evidence]
    return {**vars(pool), "evidence": evidence, "silence": silence, "groups": pool.evidence[0].groups}


def _pool(content: dict[str, Any], model: SourceModel) -> Pool:
    m, K = len(model.sources), len(model.classes)
    groups = _groups(content["groups"], m)
    if sorted(i for group in groups for i in group) != list(range(m)):
        raise InputError("its readings need every source in exactly one group")
    shape = (m, max(model.sizes) - 1, K)
    said = content["evidence"]
    silence = [
        None if found is None else _numbers(found, (m, K)) for found in content.get("silence", [None] * len(said))
    ]
    if len(silence) != len(said):
        raise InputError("its readings say of more or less evidence than there is what silence means")
    evidence = tuple(
        Evidence(_numbers(found, shape), model.sizes, groups, silent)
        for found, silent in zip(said, silence, strict=True)
    )
    weight = _mixture(content["weight"])
    R = len(weight)
    learned = np.array(content["learned"])
    if learned.shape != (R,) or learned.dtype.kind != "i" or not ((learned >= 0) & (learned < len(evidence))).all():
        raise InputError("its readings name evidence that it does not have")
    slope, repetition, count = (_numbers(content[name], (R,)) for name in ("slope", "repetition", "count"))
    if not ((repetition >= 0) & (repetition <= _LARGEST_REPETITION)).all():
        raise InputError("its readings have correlations that are none")
    balance, silent = (_mixture(content[name]) for name in ("class_balance", "silent"))
    if len(balance) != K or len(silent) != K or not (balance > 0).all():
        raise InputError("its readings do not fit its sources and classes")
    shift = _numbers(content["shift"], (R, K))
    return Pool(balance, silent, evidence, weight, slope, repetition, count, shift, learned.astype(np.intp))


def _table(rows: list[dict[str, Any]]) -> SourceTable:
    m = len(rows)

    def shares(name: str) -> Floats:
        return _shares([row[name] for row in rows], (m,))

    def counts(name: str) -> Ints:
        return np.array([index(row[name]) for row in rows], dtype=np.int64)

    names = _texts([row["source"] for row in rows])
    if len({*names}) < m or not m:
        raise InputError("it has no sources, or the same one twice")
    return SourceTable(
        list(names),
        [list(row["polarity"]) for row in rows],
        shares("coverage"), shares("overlaps"), shares("conflicts"),
        counts("correct"), counts("incorrect"),
        shares("empirical_accuracy"), shares("accuracy"), shares("low"), shares("high"),
    )  # fmt: skip
