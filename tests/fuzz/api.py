"""Calls of the Python API with arrays, options and arguments of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

import carob
from carob import paper
from fuzz.tables import CODINGS, chance, pick

ODD: list[Any] = [
    None, 0, 1, -1, 0.5, float("nan"), float("inf"), 2**70, 10**400, True, "", "x", "x" * 5_000, b"bytes", [], [1, 2],
    {}, {"a": 1}, (), object(), np.array([0.2, 0.8]), np.array([]), np.zeros((2, 2)), np.nan, 1 + 2j, range(3),
    np.float16(0.5), np.int8(1), [[]], [None], {1, 2}, np.datetime64("2020-01-01"),
]  # fmt: skip
DTYPES = [np.int8, np.int64, np.uint8, np.uint64, np.float16, np.float32, np.float64, bool, object, "U3", "S3", "M8[D]"]


def an_array(rng: np.random.Generator) -> Any:
    """An array, lists, a masked array or a sparse matrix of votes."""
    n, m = int(pick(rng, [0, 1, 5, 40, 40])), int(pick(rng, [0, 1, 3, 5]))
    coding = pick(rng, CODINGS)
    rows = [[pick(rng, coding) for _ in range(m)] for _ in range(n)]
    numbers = rng.integers(-1, 3, (n, m))
    match int(rng.integers(6)):
        case 0:
            return rows
        case 1:
            return numbers.astype(pick(rng, DTYPES))
        case 2:
            return np.ma.masked_equal(numbers, -1)
        case 3:
            made = (
                sparse.random(n, m, 0.5, pick(rng, ["coo", "csr", "csc", "dok", "lil"]), rng=rng) if n and m else rows
            )
            return made
        case 4:
            return rng.integers(0, 2, (40, 4))
        case _:
            return pick(rng, ODD)


def options(rng: np.random.Generator) -> dict[str, Any]:
    """Options of a LabelModel, some of them odd."""
    sound: dict[str, list[Any]] = {
        "method": ["consensus", "triplets", "labeled", "tensors"],
        "class_balance": [0.5, [0.3, 0.7]],
        "known_pairs": [[(0, 1)], [("s0", "s1")]],
        "classes": [[0, 1], ["no", "yes"]],
        "abstain": [-1, float("nan"), "N/A"],
        "level": [0.5, 0.99],
        "replicates": [0, 3],
        "rng": [0, None, np.random.default_rng(0)],
        "strict": [True],
    }
    chosen = {name: pick(rng, values) for name, values in sound.items() if chance(rng, 0.15)}
    if chance(rng, 0.4):
        chosen[pick(rng, list(sound))] = pick(rng, ODD)
    return {"replicates": 3} | chosen


def _fit(rng: np.random.Generator) -> Any:
    votes = an_array(rng)
    gold = None
    if chance(rng, 0.4):
        number = len(votes) if hasattr(votes, "__len__") and not sparse.issparse(votes) else 40
        gold = rng.integers(-1, 2, number) if chance(rng, 0.7) else pick(rng, ODD)
    model = carob.LabelModel(**options(rng)).fit(votes, gold)
    return model.predict_proba(votes)


def _votes(rng: np.random.Generator) -> carob.Votes:
    return carob.Votes.from_array(np.random.default_rng(int(rng.integers(3))).integers(0, 2, (40, 4)))


def _argument(rng: np.random.Generator) -> Any:
    """What a function of the theory, of moments or of values may be handed."""
    truth = paper.Ising.from_means(accuracies=[0.7, 0.6, 0.8], agreements={}, class_balance=0.5)
    return pick(rng, [*ODD, truth, truth.source_model(), _votes(rng), carob.Moments.of(_votes(rng)), an_array(rng)])


FUNCTIONS: list[Callable[..., Any]] = [
    paper.decompose, paper.average_decomposition, paper.asymptotics, paper.known_curve,
    paper.expected_loss, carob.Moments.of, paper.triplets, paper.labeled, paper.posterior, paper.dependent_pairs,
    paper.class_balance, paper.data_value_ratio, paper.equivalent_labels, paper.tensors, paper.topics, carob.pick,
    carob.rate, carob.read_votes, carob.load, carob.Votes.from_array, carob.Votes.from_frame, carob.check,
    *(getattr(paper.bounds, name) for name in paper.bounds.__all__),
    paper.combine.linear, paper.combine.optimal_weight, paper.combine.green_strawderman,
]  # fmt: skip


def _call(rng: np.random.Generator) -> Any:
    function = pick(rng, FUNCTIONS)
    return function(*(_argument(rng) for _ in range(int(rng.integers(1, 4)))))


def _moments(rng: np.random.Generator) -> Any:
    moments = carob.Moments.of(_votes(rng))
    options = ["aggregate", "class_balance", "symmetric", "known_pairs", "negative", "signs", "rng"]
    model = paper.triplets(moments, **{pick(rng, options): pick(rng, ODD)})
    return paper.posterior(_votes(rng), model)


def api_case(rng: np.random.Generator) -> Any:
    """Make a call and return what it gives."""
    return pick(rng, [_fit, _fit, _fit, _call, _call, _moments])(rng)
