"""Plain values of a model file as what they are to be; others are refused."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from carob._types import Floats, Group
from carob.errors import InputError

_LARGEST = 1e9  # of numbers, products of which are summed


def numbers(values: Any, shape: tuple[int, ...] | None = None) -> Floats:
    """Finite numbers, none of them so large that probabilities made of them would not be."""
    found = np.array(values, dtype=np.float64)
    if shape is not None and found.shape != shape:
        raise InputError(f"numbers of shape {found.shape} stand where {shape} is due")
    if not (np.abs(found) <= _LARGEST).all():  # NaN is not, either
        raise InputError("it holds numbers that are missing or too large")
    return found


def shares(values: Any, shape: tuple[int, ...]) -> Floats:
    """Numbers from 0 to 1, NaN where one is not known."""
    found = np.array(values, dtype=np.float64)
    if found.shape != shape or (found < 0).any() or (found > 1).any():
        raise InputError("it holds shares that are not between 0 and 1, or too few or many of them")
    return found


def weights(values: Any) -> Floats:
    """Weights that add up to 1."""
    found = numbers(values)
    if found.ndim != 1 or (found < 0).any() or abs(found.sum() - 1) > 1e-6:
        raise InputError("it holds weights that do not add up to 1")
    return found


def texts(values: Any) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
        raise InputError("it holds something else where text is due")
    return tuple(values)


def text(value: Any) -> str:
    """One text."""
    return texts([value])[0]


def groups(values: Any, m: int, whole: bool = False) -> tuple[Group, ...]:
    """Groups of sources by position; `whole` where every source must be in exactly one."""
    found = tuple(tuple(index(i) for i in group) for group in values)
    members = sorted(i for group in found for i in group)
    if any(not 0 <= i < m for i in members):
        raise InputError("its groups name sources that it does not have")
    if whole and members != list(range(m)):
        raise InputError("its readings need every source in exactly one group")
    return found
