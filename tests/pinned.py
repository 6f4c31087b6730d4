"""Numbers that must not change unnoticed, on small data: everything that a fit and a weighing come to.

python tests/pinned.py      writes tests/pinned.json anew; look at what changed, and say in CHANGELOG.md why.

The point estimates of the paper's fits were those of version 0.1 to 1e-12, as `scripts/compare_results.py` compares
them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from simulate import draw_votes, make_votes, sample, symmetric_conditionals, triplet_fit

from carob import Gold, LabelModel, Votes, data_value, plan
from carob.errors import InputError, NotIdentifiedError
from carob.read.model_file import plain

FILE = Path(__file__).with_name("pinned.json")


def some_votes() -> dict[str, Votes]:
    """Binary with abstains, always voting, one-sided with a rare class, three classes; a pair copies in each."""
    rng = np.random.default_rng(0)
    one_sided = np.array(
        [
            [[0.1, 0.7, 0.2], [0.2, 0.2, 0.6]], [[0.9, 0.0, 0.1], [0.4, 0.0, 0.6]], [[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]],
            [[0.3, 0.6, 0.1], [0.3, 0.1, 0.6]], [[0.0, 0.8, 0.2], [0.0, 0.3, 0.7]], [[0.2, 0.5, 0.3], [0.1, 0.2, 0.7]],
        ]
    )  # fmt: skip
    found = {
        "crowd": sample(400, abstain=0.3, balance=0.4),
        "always": sample(500, 1),
        "one-sided": draw_votes(rng, 600, one_sided, [0.8, 0.2]),
        "three": draw_votes(
            rng, 400, symmetric_conditionals([0.7, 0.6, 0.65, 0.8, 0.55, 0.7], 3, 0.2), [0.5, 0.3, 0.2]
        ),
    }
    for name, votes in found.items():
        values = votes.values.copy()
        follows = rng.random(len(votes)) < 0.6
        values[follows, 3] = values[follows, 4]
        found[name] = make_votes(values, len(votes.classes), votes.own_gold.values)
    return found


FITS: dict[str, dict[str, Any]] = {
    "default": {},
    "median": {"aggregate": "median"},
    "mean, balance given": {"aggregate": "mean", "class_balance": "even"},
    "random": {"aggregate": "random"},
    "absolute": {"negative": "absolute", "symmetric": True},
    "signs": {"signs": "data", "symmetric": True},
    "symmetric, pair": {"symmetric": True, "known_pairs": [(3, 4)]},
    "conditional, pairs": {"symmetric": False, "known_pairs": [("s3", "s4"), ("s4", "s0")]},
    "labeled": {"method": "labeled"},
    "labeled, pair": {"method": "labeled", "known_pairs": [(3, 4)]},
}
WEIGHED: dict[str, dict[str, Any]] = {
    "crowd": {},
    "always": {"class_balance": 0.5},
    "one-sided": {"known_pairs": [(3, 4)]},
    "three": {"known_pairs": [(3, 4)], "level": 0.8},
}


def few(votes: Votes, n: int) -> Gold:
    """Gold for the first n points."""
    return Gold(np.where(np.arange(len(votes)) < n, votes.own_gold.values, -1).astype(np.int8), votes.classes)


def fitted(votes: Votes, options: dict[str, Any], n_gold: int) -> dict[str, Any]:
    """What a fit comes to."""
    if options.get("class_balance") == "even":
        options = options | {"class_balance": [1 / len(votes.classes)] * len(votes.classes)}
    gold = few(votes, n_gold) if n_gold else None
    try:
        if {*options} & {"aggregate", "symmetric", "negative", "signs"}:
            fit = triplet_fit(votes, gold, replicates=12, **options)
        else:
            fit = LabelModel(replicates=12, **options).fit(votes, gold).fit_
    except (InputError, NotIdentifiedError) as error:
        return {"refused": str(error)}
    return {
        "accuracy": fit.sources.accuracy,
        "low": fit.sources.low,
        "high": fit.sources.high,
        "balance": [fit.model.class_balance, fit.balance_low, fit.balance_high],
        "probabilities": fit.posterior(votes)[:12],
    }


def weighed(votes: Votes, options: dict[str, Any], n_gold: int) -> dict[str, Any]:
    """What the data are worth and how to spend."""
    model = LabelModel(**options)
    found: dict[str, Any] = data_value(votes, few(votes, n_gold), model=model).to_dict()
    if n_gold:
        spent = plan(votes, few(votes, n_gold), label_cost=0.5, point_cost=0.01, budget=30.0, model=model)
        found["plan"] = spent.to_dict()
    return found


def cases() -> list[str]:
    """Names of all cases."""
    fits = [f"{name}, {fit}, {n} gold" for name in some_votes() for fit in FITS for n in (0, 5, 60)]
    return [*fits, *(f"{name}, value, {n} gold" for name in WEIGHED for n in (0, 60))]


def result(case: str) -> Any:
    """One of them as plain values."""
    name, *middle, last = case.split(", ")
    fit, n_gold = ", ".join(middle), int(last.removesuffix(" gold"))
    votes = some_votes()[name]
    return plain(weighed(votes, WEIGHED[name], n_gold) if fit == "value" else fitted(votes, FITS[fit], n_gold))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a nest of dicts and lists, with where it is."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from leaves(item, f"{path}.{key}")
    else:
        yield path, value


if __name__ == "__main__":
    FILE.write_text(json.dumps({case: result(case) for case in cases()}, indent=None, separators=(",", ":")) + "\n")
