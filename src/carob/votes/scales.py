"""Scores: sources that give a number rather than a class, as LLM judges do.

The numbers of a source are sorted into bins, each of which is an output like a vote for a class; which class a bin
speaks for, and how strongly, is learned as it is of a vote. Where a source gives few different numbers each has a bin
of its own, so that nothing is rounded away; where it gives many, bins hold about as many points each.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from carob._types import ABSTAIN, Bools, Codes, Floats
from carob.errors import InputError, examples, one_of
from carob.votes.storage import Storage

SURE = 4.0  # standard errors from which on a correlation is no chance

ColumnKind = Literal["vote", "score", "probability"]
ALL = "*"  # stands for all sources that are not named
MOST_BINS = 32  # of a source with more different numbers


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of scores."""

    where: str  # what to call the column in an error
    values: Floats  # shape (n,): NaN in an empty cell

    @classmethod
    def of(cls, values: npt.NDArray[Any], empty: Bools | None, where: str, none: Collection[float]) -> Numbers:
        """Take numbers; NaN and infinity are refused, NaN unless it is among those that mean "nothing said"."""
        if values.dtype.kind not in "biuf":
            raise InputError(
                f"{where} holds {examples(values[:3].tolist())}: a score is a number. Correct it, or read the column "
                "as votes (kinds=; --kind)."
            )
        numbers = values.astype(np.float64)
        full = ~np.isin(numbers, [value for value in none if value == value])
        full &= True if empty is None else ~empty
        full &= ~np.isnan(numbers) if any(value != value for value in none) else True
        bad = full & ~np.isfinite(numbers)
        if bad.any():
            kind = "NaN" if np.isnan(numbers[bad][0]) else "infinity"
            hint = ", or say that NaN is an abstain (abstain=float('nan'); --abstain nan)" if kind == "NaN" else ""
            raise InputError(
                f"{where} holds {kind} in row {int(np.argmax(bad)) + 1:,}, which is no score. Leave the cell empty "
                f"where a source does not score{hint}."
            )
        return cls(where, np.where(full, numbers, np.nan))

    @property
    def full(self) -> Bools:
        """True where a cell is not empty, shape (n,)."""
        return ~np.isnan(self.values)

    def take(self, rows: npt.NDArray[Any]) -> Numbers:
        """Some of the cells."""
        return Numbers(self.where, self.values[rows])


@dataclass(frozen=True)
class StatedKind:
    """What a user says that a column holds.

    >>> StatedKind.of("judge", "score"), StatedKind.of("judge", "0..10")
    (StatedKind(kind='score', low=-inf, high=inf), StatedKind(kind='score', low=0.0, high=10.0))
    """

    kind: ColumnKind
    low: float = -np.inf
    high: float = np.inf

    @classmethod
    def of(cls, name: str, text: str) -> StatedKind:
        """From "vote", "score", "probability", or a range of scores such as "0..10"."""
        low, dots, high = str(text).partition("..")
        if dots:
            try:
                found = cls("score", float(low), float(high))
            except ValueError:
                found = cls("score", 0.0, 0.0)
            if not found.low < found.high:
                raise InputError(f"the kind of {name!r} is {text!r}; a range of scores is written 0..10.")
            return found
        one_of(f"the kind of {name!r}", text, get_args(ColumnKind))
        return cls(text, 0.0, 1.0) if text == "probability" else cls(text)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Scale:
    """How the numbers of a source become outputs.

    Examples
    --------
    >>> scale = Scale.of(np.array([1.0, 5.0, 9.0, 5.0, np.nan]), "score")
    >>> scale.edges, scale.codes(Numbers("judge", np.array([9.0, 4.0, np.nan]))).tolist()
    ((3.0, 7.0), [2, 1, -1])
    >>> [scale.words(output) for output in range(3)]
    ['up to 3', '3 to 7', '7 or more']
    """

    kind: ColumnKind  # a probability is that of the last of two classes, as the source states it
    edges: tuple[float, ...]  # where a bin ends and the next begins; a number on an edge is in the bin above it
    centres: tuple[float, ...]  # the mean of the numbers in each bin, one more than edges
    # the share of numbers below the middle of each bin; of a source whose high numbers speak for the first class,
    # the share above it
    standing: tuple[float, ...]
    # low, high: numbers outside are refused; infinite where no range was stated
    low: float = -np.inf
    high: float = np.inf

    @classmethod
    def of(cls, values: Floats, kind: ColumnKind, low: float = -np.inf, high: float = np.inf) -> Scale:
        """The bins that suit some numbers, of which NaN are left out."""
        full = np.sort(values[~np.isnan(values)])
        distinct = np.unique(full)
        if len(distinct) <= MOST_BINS:
            edges = distinct[1:] / 2 + distinct[:-1] / 2
        else:
            edges = np.unique(full[(len(full) * np.arange(1, MOST_BINS)) // MOST_BINS])
            edges = edges[edges > full[0]]
        place = np.searchsorted(edges, full, side="right")
        number = np.bincount(place, minlength=len(edges) + 1)
        centres = np.bincount(place, full / np.maximum(number, 1)[place], minlength=len(edges) + 1)
        standing = (np.cumsum(number) - number / 2) / max(len(full), 1)
        return cls(kind, tuple(edges.tolist()), tuple(centres.tolist()), tuple(standing.tolist()), low, high)

    @property
    def size(self) -> int:
        """How many bins there are."""
        return len(self.centres)

    @property
    def leaning(self) -> Floats:
        """How far each bin speaks for the second of two classes before anything is learned, from 0 to 1.

        Of a probability that is what it states; of a score, its rank, which no unit changes.
        """
        return np.array(self.centres if self.kind == "probability" and not self.turned else self.standing)

    @property
    def turned(self) -> bool:
        """Whether high numbers speak for the first class."""
        return self.standing[0] > self.standing[-1]

    def turn(self) -> Scale:
        """The same with high numbers speaking for the other class."""
        return replace(self, standing=tuple(1 - share for share in self.standing))

    @property
    def stated(self) -> StatedKind:
        """What to say of the column for other numbers to be read so."""
        return StatedKind(self.kind, self.low, self.high)

    def codes(self, column: Numbers) -> Codes:
        """The bin of every number, -1 where there is none."""
        values = column.values
        empty = np.isnan(values)
        outside = ~empty & ((values < self.low) | (values > self.high))
        if outside.any():
            reason = "a probability is" if self.kind == "probability" else "its scores are"
            raise InputError(
                f"{column.where} holds {examples(np.unique(values[outside]).tolist())} (first in row "
                f"{int(np.argmax(outside)) + 1:,}): {reason} from {self.low:g} to {self.high:g}. Correct it, or state "
                "another kind or range (kinds=; --kind)."
            )
        return np.where(empty, ABSTAIN, np.searchsorted(np.array(self.edges), values, side="right")).astype(np.int8)

    def words(self, output: int) -> str:
        """A bin in words."""
        below = f"{self.edges[output - 1]:.4g}" if output > 0 else ""
        above = f"{self.edges[output]:.4g}" if output < len(self.edges) else ""
        if below and above:
            return f"{below} to {above}"
        return f"{below} or more" if below else f"up to {above}" if above else f"{self.centres[0]:.4g}"


def stated_kinds(kinds: Mapping[str, str] | str | None, names: Sequence[str]) -> dict[str, StatedKind]:
    """What a user says of columns, by name; one word, or what is said of "*", is said of all that are not named.

    >>> {name: stated.kind for name, stated in stated_kinds({"*": "score", "b": "vote"}, ["a", "b"]).items()}
    {'a': 'score', 'b': 'vote'}
    """
    said = {ALL: kinds} if isinstance(kinds, str) else dict(kinds or {})
    unknown = [name for name in said if name != ALL and name not in names]
    if unknown:
        raise InputError(
            f"there is no source {examples(unknown)} whose kind to state (kinds=; --kind); there are {examples(names)}."
        )
    named = {name: said.get(name, said.get(ALL)) for name in names}
    return {name: StatedKind.of(name, text) for name, text in named.items() if text is not None}


def score_words(scales: Sequence[tuple[str, Scale]]) -> list[str]:
    """Which sources give scores, and from where to where, a sentence for each kind.

    >>> score_words([("judge", Scale.of(np.array([0.0, 4.0, 9.0]), "score"))])
    ['Scores: judge (0 to 9).']
    >>> score_words([("judge", Scale.of(np.array([2.0, 4.0, 9.0]), "score", 0, 10))])
    ['Scores: judge (0 to 10).']
    """
    by_kind: dict[str, list[str]] = {}
    for name, scale in scales:
        low = scale.low if np.isfinite(scale.low) else scale.centres[0]
        high = scale.high if np.isfinite(scale.high) else scale.centres[-1]
        turned = ", high ones for the first class" if scale.turned else ""
        by_kind.setdefault(scale.kind, []).append(f"{name} ({low:.4g} to {high:.4g}{turned})")
    plurals = {"score": "Scores", "probability": "Probabilities"}
    return [f"{plurals[kind]}: {', '.join(names)}." for kind, names in by_kind.items()]


def running_against(storage: Storage, leanings: Sequence[Floats]) -> list[int]:
    """Sources, by position, that contradict most of what the others say.

    All sources together point in the direction that explains most of how they go along with each other; more of them
    are taken to speak for what they say than against it. Of two sources that contradict each other nobody knows which
    it is.

    `leanings`: how far each output of each source speaks for the second class.

    >>> from carob.votes.storage import Dense
    >>> truth = np.random.default_rng(0).integers(0, 2, 200).astype(np.int8)
    >>> running_against(Dense(np.stack([truth, truth, 1 - truth], axis=1)), [np.array([0.0, 1.0])] * 3)
    [2]
    """
    n, m = storage.shape
    if m < 3:
        return []
    z = np.zeros((m, len(range(0, n, _every(n)))))
    for row, given, lean in zip(
        z, storage.take(slice(None, None, _every(n))).columns(0, z.shape[1]), leanings, strict=True
    ):
        spoken = given >= 0
        if spoken.any():
            row[spoken] = lean[given[spoken]] - lean[given[spoken]].mean()
    number = np.maximum((z != 0).sum(axis=1), 1)
    z /= np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-12)
    together = z @ z.T
    np.fill_diagonal(together, 0)
    along = np.linalg.eigh(together)[1][:, -1]
    along *= np.sign(along.sum()) or 1.0
    found = []
    for i in np.flatnonzero(along < 0).tolist():
        others = np.where(np.arange(m) == i, 0, along) @ z
        correlation = z[i] @ others / max(float(np.linalg.norm(others)), 1e-12)
        if correlation < -SURE / np.sqrt(number[i]):
            found.append(i)
    return found


def _every(n: int) -> int:
    return max(1, n // 5_000)
