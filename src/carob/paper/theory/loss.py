r"""The expected loss of naive Bayes under the exact model, for few sources by enumeration and for many on a grid.

Given the class y, the log-odds that naive Bayes gives is a constant plus a sum of independent parts, one per connected
component. The loss is log(1 + exp(-y x)) of the log-odds x. With up to `LARGEST` sources all sums are listed. With
more, each part is put on a grid, splitting every value between its two neighbours so that the mean stays; that is a
mean-preserving spread of variance at most h^2 / 4, and since the loss is convex with second derivative at most 1/4, the
result is too large by at most h^2 / 32 per part. The sum is then a convolution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carob._types import Floats
from carob.errors import InputError
from carob.paper.theory.canonical import LARGEST, signs
from carob.posterior.source_model import source_model_of

if TYPE_CHECKING:
    from carob.paper.theory.ising import Ising

_GRID = 1 << 18
_TAIL = 1e-16  # probability that may fall off the grid


@dataclass(frozen=True)
class ExpectedLoss:
    """An expected loss in nats.

    Parameters
    ----------
    value : float
    error : float
        The true value is between ``value - error`` and ``value``, but for rounding.
    """

    value: float
    error: float


def expected_loss(truth: Ising, model: Any) -> ExpectedLoss:
    """Expected cross-entropy of the normalised naive Bayes posterior of `model` on points of `truth`."""
    if not hasattr(truth, "components"):
        raise TypeError(f"truth must be an Ising model, not {type(truth).__name__}.")
    model = source_model_of(model)
    if len(model.sources) != truth.m:
        raise InputError(f"the model has {len(model.sources)} sources and the truth has {truth.m}.")
    if any(len(group) > 1 for group in model.groups):
        raise InputError("expected losses are for models of single sources, without dependent groups.")
    table = model.conditionals[:, :, 1:]
    if not (table > 0).all():
        raise InputError("the model gives a vote probability zero; its loss is infinite or not defined.")
    evidence = np.log(table[:, 1] / table[:, 0])  # log-odds that a vote -1 or +1 of each source is worth
    prior = float(np.log(model.class_balance[1] / model.class_balance[0]))
    # A vote of -1 adds middle - half, a vote of +1 adds middle + half.
    middle, half = evidence.mean(axis=1), (evidence[:, 1] - evidence[:, 0]) / 2
    return expected_log_loss(truth, prior + float(middle.sum()), half)


def expected_log_loss(truth: Ising, start: float, weights: Floats) -> ExpectedLoss:
    """E[log(1 + exp(-Y x))] of the log-odds ``x = start + sum_i weights_i l_i``."""
    if truth.m <= LARGEST:
        values, probability = _listed(truth, weights, range(len(truth.components)))
        total = 0.0
        for y, share in zip((-1, 1), truth.class_balance, strict=True):
            # l = y s, so y x = y start + sum of weights times s: one list serves both classes.
            total += share * float(probability @ np.logaddexp(0, -(y * start + values)))
        return ExpectedLoss(float(total), 0.0)
    return _on_grid(truth, start, weights)


def _listed(truth: Ising, weights: Floats, members: range | list[int]) -> tuple[Floats, Floats]:
    """All values of ``sum weights_i s_i`` over some components, and their probabilities."""
    values, probability = np.zeros(1), np.ones(1)
    for c in members:
        component = list(truth.components[c])
        part = signs(len(component)) @ weights[component]
        values = np.add.outer(values, part).ravel()
        probability = np.multiply.outer(probability, truth.component_probabilities[c]).ravel()
    return values, probability


def _on_grid(truth: Ising, start: float, weights: Floats) -> ExpectedLoss:
    sets: list[list[int]] = [[]]
    size = 0
    for c, component in enumerate(truth.components):
        if size + len(component) > 12 and sets[-1]:  # so many are listed together
            sets.append([])
            size = 0
        sets[-1].append(c)
        size += len(component)
    parts = [_listed(truth, weights, members) for members in sets]
    means = [float(values @ probability) for values, probability in parts]
    # Hoeffding: beyond this distance from the mean there is less than _TAIL.
    spread = sum((values.max() - values.min()) ** 2 for values, _ in parts)
    reach = min(np.sqrt(0.5 * np.log(2 / _TAIL) * spread), sum(values.max() - values.min() for values, _ in parts))
    reach = max(reach, 1e-9)
    h = 2.2 * reach / _GRID  # a tenth to spare for the splitting
    transform = np.ones(_GRID // 2 + 1, dtype=complex)
    for (values, probability), mean in zip(parts, means, strict=True):
        place = (values - mean) / h
        below = np.floor(place)
        share = place - below
        at = below.astype(np.int64)
        grid = np.bincount(at % _GRID, probability * (1 - share), _GRID)
        grid += np.bincount((at + 1) % _GRID, probability * share, _GRID)
        transform *= np.fft.rfft(grid)
    distribution = np.maximum(np.fft.irfft(transform, _GRID), 0)
    distribution /= distribution.sum()
    centre = sum(means)
    x = centre + h * ((np.arange(_GRID) + _GRID // 2) % _GRID - _GRID // 2)
    total = 0.0
    for y, share_of_class in zip((-1, 1), truth.class_balance, strict=True):
        total += share_of_class * float(distribution @ np.logaddexp(0, -(y * start + x)))
    farthest = abs(start) + float(np.abs(weights).sum())
    return ExpectedLoss(float(total), float(len(parts) * h**2 / 32 + 2 * _TAIL * farthest + 1e-13))
