"""How many unlabeled points do as well as a gold label, against n_U and the number of dependencies (section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carob._types import Floats
from carob.paper.datasets import paper_model
from carob.paper.experiments.parts import Experiment, Options, Part, Point, Results, mean_and_error
from carob.paper.experiments.trials import Trials, triplet_accuracies
from carob.paper.ratio import Convention, data_value_ratio, equivalent_labels

SIZES = (100, 200, 500, *range(1_000, 10_001, 1_000))
EDGES = (0, 1, 2, 4)
# The appendix: every n from 10 to 100, every second to 1,000, every tenth to 5,000.
GRID = (*range(10, 101), *range(102, 1_001, 2), *range(1_010, 5_001, 10))
_CURVES = {"mean": "baseline mean", "median": "corrected median"}
_CHUNKS = 6


def _parts(options: Options) -> list[Part]:
    parts = []
    for d in EDGES:
        parts.append(Part(f"data-value-ratio unlabeled d={d}", _unlabeled, {"d": d}))
        for chunk in range(_CHUNKS):
            sizes = GRID[chunk::_CHUNKS]
            parts.append(Part(f"data-value-ratio labeled d={d} {chunk}", _labeled, {"d": d, "sizes": sizes}))
    return parts


def _unlabeled(d: int, options: Options, rng: np.random.Generator) -> dict[str, Any]:
    trials = Trials(paper_model(d, scale=options.scale))
    found: dict[str, Any] = {}
    for n in SIZES:
        b = trials.moments(
            trials.sample(n, 4 * options.trials, rng)
        )  # of few risks, beside the many of the labeled grid
        for aggregate in ("mean", "median"):
            risks = trials.loss(triplet_accuracies(b, n, aggregate, options.negative))
            found[f"{aggregate} {n}"] = mean_and_error(risks)
    return found


def _labeled(d: int, sizes: tuple[int, ...], options: Options, rng: np.random.Generator) -> dict[str, Any]:
    trials = Trials(paper_model(d, scale=options.scale))
    return {str(n): mean_and_error(trials.loss(trials.labeled(n, options.trials, rng))) for n in sizes}


def _points(results: Results, options: Options) -> list[Point]:
    points = []
    for d in EDGES:
        labeled: dict[str, Any] = {}
        for chunk in range(_CHUNKS):
            labeled |= results[f"data-value-ratio labeled d={d} {chunk}"]
        curve = np.array([labeled[str(n)] for n in GRID])
        unlabeled = results[f"data-value-ratio unlabeled d={d}"]
        for aggregate, name in _CURVES.items():
            for n in SIZES:
                found = ratio(n, unlabeled[f"{aggregate} {n}"], GRID, curve, options.convention)
                points.append(Point("data_value_ratio", f"d={d}", name, n, *found))
    return points


def ratio(
    n: int, risk: Sequence[float], grid: Sequence[int], curve: Floats, convention: Convention
) -> tuple[float, float, float]:
    """V of n unlabeled points, with its standard error and that of the paper's.

    The errors are the spread of V where both risks are given their own noise once more: the first point of a noisy
    curve that is low enough varies more than the noise of a single point says.

    `risk`: mean, standard error and the paper's standard error of the unlabeled risk. `curve`, shape (g, 3): the same
    of the labeled risk at every n of the grid.
    """
    rng = np.random.default_rng(n)
    noise = rng.standard_normal((200, len(grid) + 1))  # repetitions behind a standard error of V

    def value(labeled: Floats, unlabeled: float) -> float:
        return float(data_value_ratio(n, equivalent_labels(grid, labeled, unlabeled, convention)))

    spreads = [
        np.std([value(curve[:, 0] + extra[1:] * curve[:, k], risk[0] + extra[0] * risk[k]) for extra in noise])
        for k in (1, 2)
    ]
    return value(curve[:, 0], risk[0]), float(spreads[0]), float(spreads[1])


EXPERIMENT = Experiment(_parts, _points)
