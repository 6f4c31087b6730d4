"""Canonical parameters from means, one connected component of the graph at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from carob._types import Floats
from carob.errors import InputError, examples

Edge = tuple[int, int]
LARGEST = 20  # sources up to which all vote patterns are enumerated


def check_edge(edge: Any, m: int) -> Edge:
    """An edge as (smaller, larger), refused where it is none."""
    try:
        i, j = (int(end) for end in edge)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"an edge is a pair of sources, not {edge!r}.") from None
    if i == j:
        raise InputError(f"edge {edge!r} connects a source with itself.")
    if not (0 <= i < m and 0 <= j < m):
        raise InputError(f"edge {edge!r} names a source that is not there; sources are 0 to {m - 1}.")
    return (i, j) if i < j else (j, i)


def agreement_range(p: float, q: float) -> tuple[float, float]:
    """Between which probabilities two sources of these accuracies can agree.

    >>> agreement_range(0.75, 0.5)
    (0.25, 0.75)
    """
    return abs(p + q - 1), 1 - abs(p - q)


def signs(m: int) -> Floats:
    """All 2**m rows of -1 and +1, the last source changing fastest.

    >>> signs(2)
    array([[-1., -1.],
           [-1.,  1.],
           [ 1., -1.],
           [ 1.,  1.]])
    """
    bits = (np.arange(2**m)[:, None] >> np.arange(m - 1, -1, -1)) & 1
    return (2 * bits - 1).astype(np.float64)


def canonical_parameters(
    component: tuple[int, ...], p: Floats, agreements: Mapping[Edge, float]
) -> tuple[Floats, dict[Edge, float]]:
    """Canonical parameters of a component from the accuracies of its sources and the agreements of its edges."""
    if len(component) == 1:
        right = p[component[0]]
        return np.array([0.5 * np.log(right / (1 - right))]), {}
    if len(component) == 2:
        ((edge, agreement),) = agreements.items()
        both = (p[edge[0]] + p[edge[1]] + agreement - 1) / 2
        first, second = p[edge[0]] - both, p[edge[1]] - both
        neither = agreement - both
        theta = np.array([np.log(both * first / (second * neither)), np.log(both * second / (first * neither))]) / 4
        return theta, {edge: float(np.log(both * neither / (first * second)) / 4)}
    return _canonical_by_newton(component, p, agreements)


def _canonical_by_newton(
    component: tuple[int, ...], p: Floats, agreements: Mapping[Edge, float]
) -> tuple[Floats, dict[Edge, float]]:
    """The same where edges connect more than two sources: the maximum of a concave function, by Newton's method."""
    if len(component) > LARGEST:
        raise InputError(f"edges connect {len(component)} sources; at most {LARGEST} can be.")
    s = signs(len(component))
    place = {source: k for k, source in enumerate(component)}
    features = np.column_stack([s, *(s[:, place[i]] * s[:, place[j]] for i, j in agreements)])
    target = np.array([*(2 * p[list(component)] - 1), *(2 * value - 1 for value in agreements.values())])
    theta = np.concatenate([np.arctanh(2 * p[list(component)] - 1), np.zeros(len(agreements))])

    def dual(x: Floats) -> tuple[float, Floats]:
        energy = features @ x
        top = energy.max()
        weight = np.exp(energy - top)
        return float(x @ target - top - np.log(weight.sum())), weight / weight.sum()

    value, probability = dual(theta)
    for _ in range(200):
        mean = probability @ features
        gradient = target - mean
        if np.abs(gradient).max() < 1e-13:
            break
        centred = features - mean
        step = np.linalg.lstsq(centred.T @ (centred * probability[:, None]), gradient, rcond=None)[0]
        scale = 1.0
        while scale > 1e-12:
            new_value, new_probability = dual(theta + scale * step)
            if new_value >= value - 1e-15:
                break
            scale /= 2
        theta, value, probability = theta + scale * step, new_value, new_probability
    if np.abs(target - probability @ features).max() > 1e-9 or np.abs(theta).max() > 50:
        raise InputError(
            f"no distribution of sources {examples(component)} has these accuracies and agreements together; each pair "
            "is feasible, all of them are not. Bring the agreements nearer to those of independent sources."
        )
    return theta[: len(component)], dict(zip(agreements, theta[len(component) :].tolist(), strict=True))
