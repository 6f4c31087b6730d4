"""What an estimator returns: how every source votes, given the class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carob._types import Bools, Codes, Floats, Group, Ints, Label, cached_property
from carob.errors import InputError
from carob.votes.outputs import LARGEST_TABLE, SILENT

_ROUNDING = 1e-12
_SMALLEST = 1e-9  # probability of an output that scores hardly ever come to


@dataclass(frozen=True, eq=False)
class SourceModel:
    """Class balance, and the probability of every output of every source given the class.

    Sources that are known to depend on each other form a group with one joint table; all others are a group
    of their own. Groups are independent given the class.

    Parameters
    ----------
    sources : tuple of str
    classes : tuple
    class_balance : array of float, shape (K,)
    groups : tuple of tuples of int
        Each source is in one group.
    tables : tuple of arrays
        ``tables[g][y, u, v, ...]``: probability that the sources of group g give outputs u, v, ... where the class is
        y; for outputs see `carob.votes.outputs`.
    """

    sources: tuple[str, ...]
    classes: tuple[Label, ...]
    class_balance: Floats
    groups: tuple[Group, ...]
    tables: tuple[Floats, ...]

    def __post_init__(self) -> None:
        K = len(self.classes)
        # Contiguous: NumPy's logarithm of a strided array may differ in the last bit.
        tables = tuple(np.ascontiguousarray(table, dtype=np.float64) for table in self.tables)
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "class_balance", check_class_balance(self.class_balance, self.classes))
        if sorted(i for group in self.groups for i in group) != list(range(len(self.sources))):
            raise InputError("a source model needs every source in exactly one group.")
        for group, table in zip(self.groups, self.tables, strict=True):
            name = " and ".join(repr(self.sources[i]) for i in group)
            if table.ndim != len(group) + 1 or len(table) != K or min(table.shape) < 2:
                raise InputError(f"the table of {name} has shape {table.shape}.")
            if len(group) > 1 and table[0].size > LARGEST_TABLE:
                raise InputError(f"{name} together have too many outputs to be taken as one source.")
            if not (np.isfinite(table).all() and (table >= 0).all()):
                raise InputError(f"the table of {name} holds numbers that are no probabilities.")
            if not np.allclose(table.reshape(K, -1).sum(axis=1), 1, atol=1e-6):
                raise InputError(f"the probabilities of {name} do not add up to 1.")
            if ((table > 0).any(axis=0) != (table > 0).all(axis=0)).any():
                raise InputError(f"an output of {name} is impossible for one class only; give it a small probability.")

    @classmethod
    def independent(
        cls, sources: Sequence[str], classes: Sequence[Label], class_balance: Floats, tables: Iterable[Floats]
    ) -> SourceModel:
        """A model without dependent groups, from a table per source, shape (K, outputs)."""
        groups = tuple((i,) for i in range(len(sources)))
        return cls(tuple(sources), tuple(classes), class_balance, groups, tuple(tables))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many outputs each source has."""
        return tuple(table.shape[1] for table in self.source_tables)

    @cached_property
    def source_tables(self) -> tuple[Floats, ...]:
        """Probability of every output given the class, shape (K, outputs), for each source by itself."""
        found: dict[int, Floats] = {}
        for group, table in zip(self.groups, self.tables, strict=True):
            for place, i in enumerate(group):
                others = tuple(axis for axis in range(1, table.ndim) if axis != place + 1)
                found[i] = table.sum(axis=others)
        return tuple(found[i] for i in range(len(self.sources)))

    @property
    def conditionals(self) -> Floats:
        """The same as one array, shape (m, K, outputs), where all sources have as many outputs."""
        return np.stack(self.source_tables)

    @cached_property
    def accuracy(self) -> Floats:
        """Probability that a vote is right, for each source, shape (m,)."""
        return np.array([float(accuracy(table, self.class_balance)) for table in self.source_tables])

    def as_voted(self, scored: Bools, bin_classes: Sequence[Codes]) -> SourceModel:
        """The model of the votes that scores come to, each source by itself; itself where there are no scores.

        Parameters
        ----------
        scored : array of bool, shape (m,)
            Sources that give scores.
        bin_classes : sequence of arrays
            The class that each bin of each of these is read as.
        """
        if not scored.any():
            return self
        tables, K, classes_of = list(self.source_tables), len(self.classes), iter(bin_classes)
        for i in np.flatnonzero(scored):
            read = np.append(SILENT, 1 + next(classes_of).astype(np.int64))
            tables[i] = np.maximum(tables[i] @ (read[:, None] == np.arange(K + 1)), _SMALLEST)
            tables[i] /= tables[i].sum(axis=1, keepdims=True)
        return SourceModel.independent(self.sources, self.classes, self.class_balance, tables)

    def __repr__(self) -> str:
        return f"SourceModel({len(self.sources)} sources, classes {self.classes})"


def source_model_of(model: Any) -> SourceModel:
    """The source model itself, or that of a fitted `LabelModel`."""
    found = getattr(model, "source_model_", model)
    if not isinstance(found, SourceModel):
        raise TypeError(f"a SourceModel or a fitted LabelModel is needed, not {type(model).__name__}.")
    return found


def accuracy(tables: Floats, class_balance: Floats) -> Floats:
    """P(right | votes) of sources that vote, from their tables, over the axes before (K, outputs).

    That is sum_y P(y) P(votes y | y) / sum_y P(y) P(votes | y).
    """
    right = np.diagonal(tables[..., SILENT + 1 :], axis1=-2, axis2=-1)
    votes = 1 - tables[..., SILENT]
    return np.asarray((class_balance * right).sum(axis=-1) / np.maximum((class_balance * votes).sum(axis=-1), 1e-300))


def check_class_balance(class_balance: Any, classes: Sequence[Label]) -> Floats:
    """Class balance as an array, shape (K,); for two classes a number is the probability of the second.

    >>> check_class_balance(0.3, ("ham", "spam"))
    array([0.7, 0.3])
    """
    K = len(classes)
    if class_balance is None:
        return np.full(K, 1 / K)
    try:
        given = np.asarray(class_balance, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"class_balance is a number or {K} numbers, not {class_balance!r}.") from None
    if given.ndim == 0 and K == 2:
        given = np.array([1 - given, given])
    if given.shape != (K,):
        raise InputError(
            f"class_balance must hold {K} probabilities, one per class of {classes}, not {class_balance!r}."
        )
    if not (np.isfinite(given).all() and (given > 0).all() and (given < 1).all()):
        raise InputError(f"class_balance must be strictly between 0 and 1, not {class_balance!r}: no class is certain.")
    if abs(given.sum() - 1) > 1e-6:
        raise InputError(f"class_balance must add up to 1; {class_balance!r} adds up to {given.sum():.6g}.")
    # What adds up to 1 but for rounding stays as it is, bit by bit, so that a model can be saved and read again.
    return given if abs(given.sum() - 1) <= _ROUNDING else given / given.sum()


def gold_balance(counts: Ints | Floats, more: Floats | None = None) -> Floats:
    """Class balance of gold with some points more of each class, so that no class is impossible.

    `counts`, shape (K,): gold labels of each class, or what they stand for in a random sample. `more`, shape (K,): one
    of each class where not given.

    Examples
    --------
    >>> gold_balance(np.array([2, 5]))
    array([0.33333333, 0.66666667])
    """
    added = np.ones(len(counts)) if more is None else more
    return (counts + added) / (counts.sum() + added.sum())
