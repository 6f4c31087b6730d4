"""Learning curves, the risk of an estimator against how much it learned from, over samples of a known distribution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from carob._types import Floats
from carob.errors import InputError, a_whole_number, of_kind, one_of
from carob.paper.theory.decomposition import Learner, learn
from carob.paper.theory.ising import Ising, accuracy_model
from carob.paper.theory.loss import expected_loss
from carob.posterior.settings import random_generator


@dataclass(frozen=True, eq=False)
class Curve:
    """Risk against the number of points.

    Parameters
    ----------
    n : array, shape (g,)
    risk : array, shape (g,)
        Mean over draws.
    error : array, shape (g,)
        Standard error of that mean.
    """

    n: Floats
    risk: Floats
    error: Floats

    @classmethod
    def of_draws(cls, sizes: Sequence[int], risks: Sequence[npt.ArrayLike]) -> Curve:
        """From the risks of several draws at each size."""
        drawn = [np.asarray(found, dtype=np.float64) for found in risks]
        mean = np.array([found.mean() for found in drawn])
        error = np.array([found.std(ddof=1) / np.sqrt(len(found)) for found in drawn])
        return cls(np.asarray(sizes, dtype=np.float64), mean, error)


def known_curve(
    truth: Ising,
    learner: Learner,
    sizes: Sequence[int],
    trials: int = 100,
    rng: np.random.Generator | int | None = None,
) -> Curve:
    """Risk of an estimator of the paper under a known distribution, by Monte Carlo over samples of each size.

    Every sample's own risk is exact; what is random is the sample.

    Examples
    --------
    >>> from carob.paper.datasets import paper_model
    >>> truth = paper_model(0)
    >>> curve = known_curve(truth, "labeled", [100, 10_000], trials=20, rng=0)
    >>> (curve.risk - truth.conditional_entropy).round(4)
    array([0.0222, 0.0002])
    """
    sizes = _sizes(truth, sizes, trials)
    one_of("learner", learner, get_args(Learner))
    rng = random_generator(rng)
    risks = [
        [
            expected_loss(truth, accuracy_model(learn(counts, learner, rng), truth.class_balance)).value
            for counts in truth.sample_counts(n, rng, trials)
        ]
        for n in sizes
    ]
    return Curve.of_draws(sizes, risks)


def _sizes(truth: Ising, sizes: Sequence[int], trials: int) -> list[int]:
    """Numbers of points, where all that was handed over is what it should be."""
    of_kind("truth", truth, Ising)
    if a_whole_number("trials", trials) < 1:
        raise InputError(f"trials must be 1 or more, not {trials}.")
    if isinstance(sizes, str | dict) or not isinstance(sizes, Iterable):
        raise TypeError(f"sizes must be numbers of points, not {type(sizes).__name__}.")
    found = [a_whole_number("a size", n) for n in sizes]
    if not found or min(found) < 1:
        raise InputError("sizes must be one or more numbers of points of 1 or more each.")
    return found
