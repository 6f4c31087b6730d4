"""Excess error against n, of labeled and unlabeled estimators, with and without dependent sources (section 4.4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob.paper.datasets import paper_model
from carob.paper.experiments.parts import Experiment, Options, Part, Point, Results, mean_and_error
from carob.paper.experiments.trials import Trials, triplet_accuracies

SIZES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_FIGURE = "excess_error"
# The paper's names of its curves, by panel, number of dependencies and estimator.
_CURVES = {
    ("unlabeled", 0, "mean"): "well-specified mean (d=0)",
    ("unlabeled", 5, "mean"): "misspecified mean (d=5)",
    ("unlabeled", 5, "median"): "corrected median (d=5)",
    ("labeled", 0, "labeled"): "well-specified (d=0)",
    ("labeled", 5, "labeled"): "misspecified (d=5)",
}


def _parts(options: Options) -> list[Part]:
    return [Part(f"excess-error d={d} n={n}", _work, {"d": d, "n": n}) for d in _edges(options) for n in SIZES]


def _edges(options: Options) -> tuple[int, ...]:
    return tuple(range(6)) if options.full else (0, 5)


def _work(d: int, n: int, options: Options, rng: np.random.Generator) -> dict[str, Any]:
    trials = Trials(paper_model(d, scale=options.scale))
    b = trials.moments(trials.sample(n, options.trials, rng))
    found: dict[str, Any] = {
        aggregate: mean_and_error(trials.excess(triplet_accuracies(b, n, aggregate, options.negative)))
        for aggregate in ("mean", "median")
    }
    found["labeled"] = mean_and_error(trials.excess(trials.labeled(n, options.trials, rng)))
    # The dotted line: naive Bayes with the true accuracies.
    found["B_I"] = (float(trials.excess(trials.truth.a[None])[0]), 0.0, 0.0)
    return found


def _points(results: Results, options: Options) -> list[Point]:
    points = []
    for d in _edges(options):
        for n in SIZES:
            found = results[f"excess-error d={d} n={n}"]
            for panel, estimators in (("unlabeled", ("mean", "median")), ("labeled", ("labeled",))):
                if d > 0:
                    points.append(Point(_FIGURE, panel, f"B_I (d={d})", n, *found["B_I"]))
                for estimator in estimators:
                    name = _CURVES.get((panel, d, estimator))
                    if name is None and not options.full:
                        continue
                    points.append(Point(_FIGURE, panel, name or f"{estimator} (d={d})", n, *found[estimator]))
    return points


EXPERIMENT = Experiment(_parts, _points)
