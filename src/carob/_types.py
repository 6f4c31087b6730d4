"""Names of the arrays and labels that all rooms speak of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
