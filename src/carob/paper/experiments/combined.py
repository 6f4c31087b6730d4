"""Gold and unlabeled data together on the synthetic distribution (section 5.2 and the weights of appendix E)."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob._types import Floats
from carob.paper.datasets import paper_model
from carob.paper.experiments.parts import Experiment, Options, Part, Point, Results, mean_and_error
from carob.paper.experiments.trials import Aggregate, Trials, triplet_accuracies

SETTINGS: dict[str, tuple[int, Aggregate]] = {
    "well-specified (d=0, mean)": (0, "mean"),
    "misspecified (d=5, mean)": (5, "mean"),
    "corrected (d=5, median)": (5, "median"),
}
LABELED = (100, 120, 140, 160, 180, 200)
UNLABELED = 1_000
_WEIGHTS = np.linspace(0, 1, 101)


def _parts(options: Options) -> list[Part]:
    return [Part(f"combined {panel} n={n}", _work, {"panel": panel, "n": n}) for panel in SETTINGS for n in LABELED]


def _work(panel: str, n: int, options: Options, rng: np.random.Generator) -> dict[str, Any]:
    d, aggregate = SETTINGS[panel]
    trials = Trials(paper_model(d, scale=options.scale))
    b = trials.moments(trials.sample(UNLABELED, options.trials, rng))
    unlabeled = triplet_accuracies(b, UNLABELED, aggregate, options.negative)
    labeled = trials.labeled(n, options.trials, rng)
    alone = trials.labeled(n, 5 * options.trials, rng)  # which cost next to nothing
    alpha = green_strawderman_weight(unlabeled, labeled, n, trials.m - 2)
    green = alpha[:, None] * unlabeled + (1 - alpha[:, None]) * labeled
    tried = [trials.excess(weight * unlabeled + (1 - weight) * labeled) for weight in _WEIGHTS]
    best = int(np.argmin([risks.mean() for risks in tried]))
    return {
        "labeled only": mean_and_error(trials.excess(alone)),
        "unlabeled": mean_and_error(trials.excess(unlabeled)),
        "green": mean_and_error(trials.excess(green)),
        "optimal": mean_and_error(tried[best]),
        "green weight": mean_and_error(alpha),
        "optimal weight": _best_weight(tried, best),
    }


def green_strawderman_weight(unlabeled: Floats, labeled: Floats, n: int, r: float) -> Floats:
    """Weight of the unlabeled estimate: min(r / ||p_L - p_U||^2, 1), with Sigma = diag(p_L (1 - p_L) / n)."""
    p = (1 + labeled) / 2
    norm = ((labeled - unlabeled) ** 2 / 4 * n / (p * (1 - p))).sum(axis=1)
    return np.minimum(r / np.maximum(norm, 1e-300), 1)


def _best_weight(tried: list[Floats], best: int) -> tuple[float, float, float]:
    """The best weight and its standard errors: the noise of the slope of the mean risk, over its curvature."""
    at = min(max(best, 1), len(tried) - 2)
    step = _WEIGHTS[1]
    _, *noise = mean_and_error((tried[at + 1] - tried[at - 1]) / (2 * step))
    curvature = float((tried[at + 1] + tried[at - 1] - 2 * tried[at]).mean() / step**2)
    ours, paper = (max(error / max(curvature, 1e-12), step / 2) for error in noise)
    return float(_WEIGHTS[best]), ours, paper


def _points(results: Results, options: Options) -> list[Point]:
    points = []
    for panel in SETTINGS:
        found = {n: results[f"combined {panel} n={n}"] for n in LABELED}
        # The unlabeled estimate does not depend on n: one mean over the trials of all n.
        alone = np.array([found[n]["unlabeled"] for n in LABELED])
        error = float(np.sqrt((alone[:, 1] ** 2).sum()) / len(LABELED))
        unlabeled = float(alone[:, 0].mean()), error, float(alone[:, 2].mean())
        for n in LABELED:
            curves = {curve: found[n][curve] for curve in ("labeled only", "green", "optimal")}
            curves[f"unlabeled only (n_U={UNLABELED})"] = unlabeled
            weights = {curve: found[n][f"{curve} weight"] for curve in ("green", "optimal")}
            for figure, values in (("combined_error", curves), ("combined_weight_on_unlabeled", weights)):
                points += [Point(figure, panel, curve, n, *value) for curve, value in values.items()]
    return points


EXPERIMENT = Experiment(_parts, _points)
