"""What a source may say: nothing, or one of some outputs. Outputs are not classes.

The output 0 of every source is "nothing said"; its other outputs count from 1. Of a source that votes, output k + 1 is
a vote for class k; a source that gives something else has other outputs, of any number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carob._types import AnyArray, Floats, Group, Ints, Places, cached_property

SILENT = 0  # the output of a source that said nothing
LARGEST_TABLE = (
    4096  # joint outputs of a group of sources, so that a place among them fits two bytes with room to spare
)


@dataclass(frozen=True)
class Outputs:
    """How many outputs each source has, "nothing said" among them.

    >>> outputs = Outputs.of_votes(sources=2, classes=3)
    >>> outputs.sizes, outputs.source.tolist(), outputs.spoken.tolist()
    ((4, 4), [0, 0, 0, 1, 1, 1], [1, 2, 3, 1, 2, 3])
    """

    sizes: tuple[int, ...]  # one number per source
    # how far each of the F outputs that are not silent speaks for the second of two classes, from 0 to 1, where
    # some source gives scores; else empty
    leaning: tuple[float, ...] = ()

    @classmethod
    def of_votes(cls, sources: int, classes: int) -> Outputs:
        """Outputs of sources that each vote for one of the classes, or not at all."""
        return cls((classes + 1,) * sources)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def source(self) -> Places:
        """The source of every output but the silent ones, shape (F,): sources in order, and their outputs in order."""
        return np.repeat(np.arange(len(self.sizes)), np.array(self.sizes, dtype=np.int64) - 1)

    @cached_property
    def spoken(self) -> Places:
        """Which output of its source each of these is, shape (F,)."""
        return np.arange(len(self.source)) - self.first[self.source] + 1

    @cached_property
    def first(self) -> Places:
        """Where the outputs of each source start among the F, shape (m,)."""
        return np.concatenate([[0], np.cumsum(np.array(self.sizes, dtype=np.int64) - 1)[:-1]]).astype(np.intp)

    @cached_property
    def grades(self) -> Floats:
        """Every output but the silent ones as a number, from -1 for the first of two classes to 1 for the second."""
        leaning = np.array(self.leaning) if self.leaning else self.spoken - 1
        return np.asarray(2.0 * leaning - 1)

    def number(self, group: Group) -> int:
        """How many joint outputs a group of sources has."""
        return int(np.prod([self.sizes[i] for i in group], dtype=np.int64))


def joint_output(outputs: Sequence[AnyArray], sizes: Sequence[int]) -> Ints:
    """One number for the outputs of several sources on each point; the last source's changes fastest.

    >>> joint_output([np.array([0, 2]), np.array([1, 0])], (3, 3)).tolist()
    [1, 6]
    """
    place = np.zeros(len(outputs[0]), dtype=np.int64)
    for output, size in zip(outputs, sizes, strict=True):
        place = place * size + output
    return place
