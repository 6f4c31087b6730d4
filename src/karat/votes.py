"""What every room works on: votes, gold and vote patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.coding import ABSTAIN, Coding, Column, Label, find_coding, is_missing, whole_array_levels
from karat.errors import InputError, examples


@dataclass(frozen=True, eq=False)
class Gold:
    """The true class of each point, where somebody looked.

    Parameters
    ----------
    values : array of int8, shape (n,)
        Class index, -1 where the class is not known.
    classes : tuple
        Names of the classes.
    """

    values: npt.NDArray[np.int8]
    classes: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """True where the class is known, shape (n,)."""
        return self.values != ABSTAIN

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many points of each class are known, shape (K,)."""
        return np.bincount(self.values[self.known], minlength=len(self.classes)).astype(np.int64)

    def take(self, rows: npt.NDArray[Any] | slice) -> Gold:
        """Gold of some of the points."""
        return replace(self, values=self.values[rows])


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct rows of a vote matrix and how often each occurs.

    Parameters
    ----------
    values : array of int8, shape (p, m)
        Distinct rows.
    counts : array of int64, shape (p,)
        How many points have that row.
    inverse : array of int, shape (n,)
        The pattern of each point.
    """

    values: npt.NDArray[np.int8]
    counts: npt.NDArray[np.int64]
    inverse: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes of m sources on n points.

    Parameters
    ----------
    values : array of int8, shape (n, m)
        Class index 0..K-1, or -1 where a source does not vote. Columns are contiguous.
    sources : tuple of str
        Names of the sources.
    coding : Coding
        How classes and abstains were written where the votes came from.
    keys : array, shape (n,), or None
        Identifiers of the points.
    gold : Gold or None
        Gold that came with the votes. `LabelModel.fit` uses gold only where it is handed over.

    Examples
    --------
    >>> votes = Votes.from_array([[0, 1, 1], [1, 1, 0]], sources=["a", "b", "c"])
    >>> votes
    Votes(2 points, 3 sources, classes 0, 1)
    """

    values: npt.NDArray[np.int8]
    sources: tuple[str, ...]
    coding: Coding
    keys: npt.NDArray[Any] | None = field(default=None, repr=False)
    gold: Gold | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        values = np.asfortranarray(self.values)
        object.__setattr__(self, "values", values)
        if values.ndim != 2 or values.dtype != np.int8 or values.shape[1] != len(self.sources):
            raise InputError(
                f"Votes holds int8 of shape (points, {len(self.sources)}), not {values.dtype} of shape {values.shape}; "
                "Votes.from_array takes anything."
            )
        if values.size and (values.min() < ABSTAIN or values.max() >= len(self.classes)):
            raise InputError(
                "Votes holds class indices, or -1 for an abstain; Votes.from_array takes classes as they are."
            )
        repeated = sorted(name for name, count in Counter(self.sources).items() if count > 1)
        if repeated:
            raise InputError(f"source names must differ; {examples(repeated)} occur more than once. Rename them.")

    @classmethod
    def from_array(
        cls,
        array: Any,
        sources: Sequence[str] | None = None,
        *,
        classes: Sequence[Label] | None = None,
        abstain: Label | float | None = None,
        gold: Any = None,
    ) -> Votes:
        """Votes from a NumPy array, nested lists or a SciPy sparse matrix, a row per point, a column per source.

        In a sparse matrix an entry that is not stored is an abstain, and a stored 0 is a vote for 0.
        """
        values, empty = _dense(array)
        if values.ndim != 2:
            raise InputError(f"votes must have two axes, points and sources; this array has shape {values.shape}.")
        n, m = values.shape
        names = tuple(sources) if sources is not None else tuple(f"s{i}" for i in range(m))
        if len(names) != m:
            raise InputError(f"{len(names)} source names for {m} columns.")
        check_size(n, m)
        truth = None if gold is None else gold_column(gold, abstain)
        known = [] if truth is None else truth.levels
        if values.dtype.kind in "iu" and empty is None:
            coding = find_coding(whole_array_levels(values), known, classes, abstain)
            votes = cls.coded(values, names, coding)
        else:
            columns = _columns(values, empty, names, abstain)
            coding = find_coding({v for column in columns for v in column.levels}, known, classes, abstain)
            votes = cls.of_columns(columns, names, coding)
        return votes if truth is None else replace(votes, gold=votes.code_gold(truth))

    @classmethod
    def coded(cls, array: Any, sources: tuple[str, ...], coding: Coding) -> Votes:
        """Votes from an array whose coding is known; values outside it are refused."""
        values, empty = _dense(array)
        if values.ndim != 2 or values.shape[1] != len(sources):
            raise InputError(
                f"votes of shape {values.shape} do not fit {len(sources)} sources; a column per source is due."
            )
        check_size(*values.shape)
        if values.dtype.kind in "iu" and empty is None and coding.classes == tuple(range(len(coding.classes))):
            # The values are the class indices already; nothing to look up, and an int8 array is not copied.
            low = ABSTAIN if coding.abstain == (ABSTAIN,) else 0
            if values.min() >= low and values.max() < len(coding.classes):
                return cls(values.astype(np.int8, copy=False), sources, coding)
        nan = next((v for v in coding.abstain if is_missing(v)), None)
        return cls.of_columns(_columns(values, empty, sources, nan), sources, coding)

    @classmethod
    def of_columns(
        cls,
        columns: Iterable[Column],
        sources: tuple[str, ...],
        coding: Coding,
        keys: npt.NDArray[Any] | None = None,
    ) -> Votes:
        """Votes from one `Column` per source."""
        values = np.stack([coding.codes(column) for column in columns]).T
        return cls(values, sources, coding, keys)

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> Votes:
        """Votes from a data frame of any library that speaks Arrow; the options are those of `read_votes`."""
        from karat.tables import read_votes

        return read_votes(frame, **options)

    @classmethod
    def from_long(cls, frame: Any, **options: Any) -> Votes:
        """Votes from a frame with a row per vote (task, worker, label); the options are those of `read_votes`."""
        from karat.tables import read_votes

        return read_votes(frame, layout="long", **options)

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __repr__(self) -> str:
        names = ", ".join(str(label) for label in self.classes[:5]) + (", ..." if len(self.classes) > 5 else "")
        return f"Votes({len(self):,} points, {len(self.sources):,} sources, classes {names})"

    @property
    def classes(self) -> tuple[Label, ...]:
        """Names of the classes."""
        return self.coding.classes

    def code_gold(self, labels: Any) -> Gold:
        """Gold labels, written as the votes are, for the points of these votes.

        Unknown labels are empty, None, NaN, -1 where -1 is no class, or what the votes write for an abstain.
        """
        if isinstance(labels, Gold):
            gold = labels
        else:
            column = labels if isinstance(labels, Column) else gold_column(labels, float("nan"))
            unknown = {*self.coding.abstain, "", ABSTAIN} - set(self.classes)
            gold = Gold(Coding(self.classes, tuple(unknown)).codes(column), self.classes)
        if len(gold) != len(self):
            raise InputError(
                f"gold has {len(gold):,} labels for {len(self):,} points; give one per point, empty where unknown."
            )
        if gold.classes != self.classes:
            raise InputError(f"gold has classes {gold.classes} and the votes have {self.classes}.")
        return gold

    def take(self, rows: npt.NDArray[Any] | slice) -> Votes:
        """The votes on some of the points, with their keys and gold."""
        return replace(
            self,
            values=self.values[rows],
            keys=None if self.keys is None else self.keys[rows],
            gold=None if self.gold is None else self.gold.take(rows),
        )

    def select(self, sources: Iterable[str]) -> Votes:
        """The votes of some of the sources, in the order given."""
        wanted = tuple(sources)
        missing = [name for name in wanted if name not in self.sources]
        if missing:
            raise InputError(f"no source {examples(missing)}; the sources are {examples(self.sources)}.")
        columns = [self.sources.index(name) for name in wanted]
        return replace(self, values=self.values[:, columns], sources=wanted)

    def distinct(self) -> Votes:
        """The distinct rows as votes, in the order of `patterns`."""
        return Votes(self.patterns.values, self.sources, self.coding)

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rows with their counts."""
        n = len(self)
        base = len(self.classes) + 1
        code = np.zeros(n, dtype=np.int64)
        size = 1  # codes seen so far are below this
        for column in self.values.T:
            if size > np.iinfo(np.int64).max // base:
                code = np.unique(code, return_inverse=True)[1].astype(np.int64, copy=False)
                size = n
            code = code * base + (column + np.int64(1))
            size *= base
        _, first, inverse, counts = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
        return Patterns(self.values[first], counts.astype(np.int64), inverse)


def check_size(n: int, m: int) -> None:
    """Refuse votes without points or without sources."""
    if n == 0:
        raise InputError("there are no points: the votes have zero rows.")
    if m == 0:
        raise InputError("there are no sources: no column is left once key, gold and dropped columns are gone.")


def _dense(array: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | None]:
    """Array and empty cells of a NumPy array, nested lists or a SciPy sparse matrix."""
    if hasattr(array, "tocoo"):
        coo = array.tocoo()
        if len(coo.shape) != 2:
            raise InputError(f"a sparse matrix of votes has two axes; this one has shape {coo.shape}.")
        values = np.zeros(coo.shape, dtype=coo.dtype, order="F")
        empty = np.ones(coo.shape, dtype=bool, order="F")
        values[coo.row, coo.col] = coo.data
        empty[coo.row, coo.col] = False
        return values, empty
    if isinstance(array, np.ma.MaskedArray):
        values, missing = _dense(array.data)
        mask = np.ma.getmaskarray(array)
        return values, mask if missing is None else mask | missing
    try:
        values = np.asarray(array)
    except ValueError as error:
        raise InputError(f"votes must be a rectangle, a row per point and a column per source: {error}.") from None
    if values.dtype.kind == "U" and not isinstance(array, np.ndarray):
        values = np.asarray(array, dtype=object)  # NumPy would turn numbers beside text into text
    if values.dtype.kind == "O":
        none = np.array([is_missing(v) for v in values.ravel()], dtype=bool).reshape(values.shape)
        items = values[~none].tolist()
        kinds = {type(item) for item in items}
        if any(not issubclass(kind, str | bool | int | float | np.generic) for kind in kinds):
            raise InputError(f"a vote must be a number, a boolean or text, not {examples(items[:3])}.")
        if len({issubclass(kind, str) for kind in kinds}) == 2:
            raise InputError(f"the votes mix text and numbers: {examples(items[:5])}. Write all classes the same way.")
        full = np.array(items) if items else np.zeros(0, dtype=np.int8)
        if full.dtype.kind == "O":
            raise InputError(f"a vote must be a class, not a number as large as {max(items, key=abs)}.")
        filled = np.zeros(values.shape, dtype=full.dtype)
        filled[~none] = full
        return filled, none
    if values.dtype.kind not in "biufU":
        raise InputError(f"votes must be numbers, booleans or text, not {values.dtype}.")
    return values, None


def _columns(
    values: npt.NDArray[Any],
    empty: npt.NDArray[np.bool_] | None,
    names: Sequence[str],
    abstain: Label | float | None,
) -> list[Column]:
    return [
        Column.of(values[:, i], None if empty is None else empty[:, i], f"source {name!r}", abstain)
        for i, name in enumerate(names)
    ]


def gold_column(labels: Any, abstain: Label | float | None) -> Column:
    """Gold labels as a column; NaN among numbers is an empty cell."""
    values, empty = _dense(labels)
    if values.ndim != 1:
        raise InputError(f"gold must have one axis, a label per point; this array has shape {values.shape}.")
    return Column.of(values, empty, "gold", float("nan") if values.dtype.kind == "f" else abstain)
