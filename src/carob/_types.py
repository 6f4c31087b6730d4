"""Names of the arrays and labels that all rooms speak of, and two bases that they share."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]  # positions in another array
Hashes = npt.NDArray[np.uint16]  # of row numbers
Codes = npt.NDArray[np.int8]  # class indices or outputs, -1 where there is none
AnyArray = npt.NDArray[Any]
ABSTAIN = -1  # the code of a cell in which nothing is said

Label = str | int | bool  # a class as the user wrote it
Abstain = Label | float  # what means "no vote"; NaN is a float
Abstains = Abstain | Sequence[Abstain] | None  # one such value, several, or none given
Group = tuple[int, ...]  # positions of sources that are taken as one
Progress = Callable[[int, int], None]  # called with how many steps are done and how many there are


T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801
    """That of `functools` without the lock which Python 3.11 has there, as later versions are.

    All instances share that lock: a thread that holds it while others work for it would wait for ever where one of them
    asks for the same property of something else. Two threads at once may work out the same value twice.
    """

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> T:  # type: ignore[override]
        if instance is None:
            return self  # type: ignore[return-value]
        if self.attrname not in vars(instance):
            vars(instance)[self.attrname] = self.func(instance)
        value: T = vars(instance)[self.attrname]
        return value


class Shown:
    """A result that a notebook shows as words, tables and charts."""

    def _repr_html_(self) -> str:
        # Whatever shows results stands above all that makes them, and is loaded by its name.
        return str(importlib.import_module("carob.show.notebook").html(self))
