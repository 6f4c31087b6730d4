"""The paper's bounds beside what they bound: each theorem's bound, the exact value to order 1/n, and Monte Carlo."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob._types import Floats
from carob.paper.experiments.parts import Experiment, Options, Part, Point, Results, mean_and_error
from carob.paper.experiments.trials import Trials, random_triplet_accuracies, triplet_accuracies
from carob.paper.theory import bounds
from carob.paper.theory.estimation import estimation_error
from carob.paper.theory.ising import Ising

SOURCES, EDGES = (6, 10, 14), (0, 1, 3)
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
BOUND, EXACT, MONTE_CARLO = "bound", "exact asymptotic value", "Monte Carlo"
# The figure of each statement, and whether it bounds from above.
STATEMENTS = {
    "Theorem 2": ("theory_theorem_2", True),
    "Theorem 3": ("theory_theorem_3", True),
    "Theorem 4": ("theory_theorem_4", False),
    "Proposition 1": ("theory_proposition_1", True),
}


def model(m: int, d: int) -> Ising:
    """Sources that are right 70 to 90 % of the time, the first d pairs of them dependent."""
    return Ising.from_means(np.linspace(0.7, 0.9, m), epsilons={(2 * k, 2 * k + 1): 0.1 for k in range(d)})


def _parts(options: Options) -> list[Part]:
    return [Part(_name(m, d), _work, {"m": m, "d": d}) for m in SOURCES for d in EDGES]


def _name(m: int, d: int) -> str:
    return f"theory m={m} d={d}"


def _work(m: int, d: int, options: Options, rng: np.random.Generator) -> dict[str, dict[str, dict[str, float]]]:
    """By n: of every statement, the bound, the exact value, Monte Carlo and its standard error."""
    trials = Trials(model(m, d))
    return {str(n): _compare(trials, n, options.trials, rng) for n in SIZES}


def _compare(trials: Trials, n: int, size: int, rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Excess errors are in the paper's form."""
    truth = trials.truth
    b = trials.moments(trials.sample(n, size, rng))
    median = triplet_accuracies(b, n, "median")
    rho = float(((median - truth.a) ** 2).mean(axis=0).max())
    random = _excess(truth, random_triplet_accuracies(b, n, rng))
    found = {
        "Theorem 2": (
            bounds.labeled_bound(truth, n).total,
            estimation_error(truth, "labeled", n),
            _excess(truth, trials.labeled(n, size, rng)),
        ),
        "Theorem 3": (bounds.unlabeled_bound(truth, n).total, estimation_error(truth, "random", n), random),
        "Proposition 1": (
            bounds.corrected_bound(truth, rho).total,
            estimation_error(truth, "median", n),
            _excess(truth, median),
        ),
    }
    if truth.theta_edges:
        found["Theorem 4"] = (bounds.lower_bound(truth).total, estimation_error(truth, "random"), random)
    result = {}
    for statement, (bound, error, excess) in found.items():
        value, se, _ = mean_and_error(excess)
        result[statement] = {
            "bound": bound,
            "exact": truth.inference_bias + float(error.sum()),
            "monte_carlo": value,
            "monte_carlo_se": se,
            "inference_bias": truth.inference_bias,
        }
    return result


def _excess(truth: Ising, estimate: Floats) -> Floats:
    """B_I and the estimation error, for every row of estimates."""
    a = truth.a
    error = (1 + a) / 2 * np.log((1 + a) / (1 + estimate)) + (1 - a) / 2 * np.log((1 - a) / (1 - estimate))
    return np.asarray(truth.inference_bias + error.sum(axis=1))


def _tables(results: Results, options: Options) -> dict[str, list[dict[str, Any]]]:
    rows = []
    for statement, (_, above) in STATEMENTS.items():
        for m in SOURCES:
            for d in EDGES:
                for n in SIZES:
                    found = results[_name(m, d)][str(n)].get(statement)
                    if found is not None:
                        row = {"statement": statement, "m": m, "d": d, "n": n, **found}
                        rows.append(row | {"holds": _holds(found, above)})
    return {"theory": rows}


def _holds(found: dict[str, float], above: bool) -> bool:
    """Whether the exact value and Monte Carlo are on the right side; rounding and noise allowed."""
    sign = 1 if above else -1
    room = sign * (found["bound"] - found["exact"]), sign * (found["bound"] - found["monte_carlo"])
    # Monte Carlo may be on the wrong side by four standard errors, as Theorem 2's bound is exact.
    return room[0] >= -1e-9 * found["exact"] and room[1] >= -4 * found["monte_carlo_se"]


def _points(results: Results, options: Options) -> list[Point]:
    points = []
    for row in _tables(results, options)["theory"]:
        figure, _ = STATEMENTS[row["statement"]]
        place = (figure, f"m = {row['m']}, d = {row['d']}")
        points.append(Point(*place, BOUND, row["n"], row["bound"], 0.0, 0.0))
        points.append(Point(*place, EXACT, row["n"], row["exact"], 0.0, 0.0))
        points.append(Point(*place, MONTE_CARLO, row["n"], row["monte_carlo"], row["monte_carlo_se"], 0.0))
    return points


EXPERIMENT = Experiment(_parts, _points, _tables)
