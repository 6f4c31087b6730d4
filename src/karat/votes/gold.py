"""True classes, where somebody looked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from karat._types import ABSTAIN, AnyArray, Bools, Codes, Ints, Label


@dataclass(frozen=True, eq=False)
class Gold:
    """The true class of each point, where somebody looked.

    Parameters
    ----------
    values : array of int8, shape (n,)
        Class index, -1 where the class is not known.
    classes : tuple
        Names of the classes.
    reference : bool
        True where it came with a data set to measure with, so that nobody expects it to be learned from.
    """

    values: Codes
    classes: tuple[Label, ...]
    reference: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def known(self) -> Bools:
        """True where the class is known, shape (n,)."""
        return self.values != ABSTAIN

    @property
    def counts(self) -> Ints:
        """How many points of each class are known, shape (K,)."""
        return np.bincount(self.values[self.known], minlength=len(self.classes)).astype(np.int64)

    def take(self, rows: AnyArray | slice) -> Gold:
        """Gold of some of the points."""
        return replace(self, values=self.values[rows])
