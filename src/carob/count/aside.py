"""Sources that tell nothing are set aside before a fit: silent ones, constant ones, and copies of another source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from carob._types import Bools
from carob.errors import InputError, examples
from carob.votes import Votes
from carob.votes.counts import VoteCounts
from carob.votes.messages import Message
from carob.votes.outputs import SILENT

COPY = 100  # common votes from which on two sources that always agree are taken for copies


@dataclass(frozen=True)
class TellNothing:
    """The sources that are left, and which tell nothing for which reason."""

    left: tuple[str, ...]
    # silent, constant: sources that never vote; sources that vote on every point, and the same
    silent: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()  # sources that vote as another does on every point, and that other

    @property
    def messages(self) -> tuple[Message, ...]:
        """A message for each reason, with all names."""
        reasons = {
            "they never vote": self.silent,
            "they vote the same on every point": self.constant,
            "copies of another source": [f"{copy} (of {first})" for copy, first in self.copies],
        }
        return tuple(
            Message("dropped", f"Set aside, {reason}: {', '.join(names)}.")
            for reason, names in reasons.items()
            if names
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Aside(TellNothing):
    """The votes that are left, and which sources were set aside for which reason."""

    votes: Votes  # of the sources that are left

    @property
    def messages(self) -> tuple[Message, ...]:
        """A message for each reason, with all names; first those of when the votes were read."""
        return (*self.votes.messages, *super().messages)


def set_aside(votes: Votes, known_pairs: Sequence[tuple[int, int]] = ()) -> Aside:
    r"""Set aside the sources that tell nothing; of sources that are copies of each other the first stays.

    `known_pairs`: sources, by position, that are known to depend on each other: they stay though one copies the other.
    Refused where no source is left.

    >>> rows = [[0, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1]]
    >>> votes = Votes.from_array(rows, sources=["a", "k", "b", "same"])
    >>> aside = set_aside(votes)
    >>> aside.votes.sources
    ('a', 'b')
    >>> print(*(message.words for message in aside.messages), sep="\n")
    Set aside, they vote the same on every point: same.
    Set aside, copies of another source: k (of a).
    """
    nothing = tell_nothing(votes.counts, known_pairs)
    return Aside(**vars(nothing), votes=votes.select(nothing.left))


def set_aside_before(counts: VoteCounts, left: Sequence[str]) -> TellNothing:
    """Why the sources that are not left were set aside, from counts of the votes."""
    number, same = counts.number, constant(counts)
    gone = [i for i, name in enumerate(counts.sources) if name not in {*left}]
    first = {mark: i for i, mark in reversed([*enumerate(counts.prints.tolist())])}
    names = counts.sources
    return TellNothing(
        tuple(left),
        tuple(names[i] for i in gone if number[i] == 0),
        tuple(names[i] for i in gone if same[i]),
        tuple((names[i], names[first[int(counts.prints[i])]]) for i in gone if number[i] and not same[i]),
    )


def constant(counts: VoteCounts) -> Bools:
    """True for sources that vote on every point, and the same, shape (m,)."""
    return np.asarray((counts.outputs[:, SILENT + 1 :] == counts.n).any(axis=1))


def tell_nothing(counts: VoteCounts, known_pairs: Sequence[tuple[int, int]] = ()) -> TellNothing:
    """Find the sources that tell nothing, from counts of the votes."""
    n, m = counts.n, len(counts.sources)
    number, names = counts.number, counts.sources
    same = constant(counts)
    # Two sources may well agree on the few points of a small table, or of one that is transposed.
    eligible = ~same & (number >= min(COPY, n)) if n >= min(COPY, m) else np.zeros(m, dtype=bool)
    copies = _copies(counts.prints.tolist(), np.flatnonzero(eligible).tolist(), known_pairs)
    left = tuple(names[i] for i in range(m) if number[i] and not same[i] and i not in copies)
    if not left:
        raise InputError(
            "no source is left: every one of them never votes, or votes the same on every point. Bring sources that "
            "tell the classes apart."
        )
    return TellNothing(
        left,
        tuple(names[i] for i in np.flatnonzero(number == 0)),
        tuple(names[i] for i in np.flatnonzero(same)),
        tuple((names[i], names[first]) for i, first in copies.items()),
    )


def _copies(prints: Sequence[int], eligible: Iterable[int], known_pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Sources that are copies, and the first of those that each is a copy of."""
    known = {frozenset(pair) for pair in known_pairs}
    staying: dict[int, list[int]] = {}
    copies = {}
    for i in eligible:
        alike = staying.setdefault(prints[i], [])
        if all(frozenset((i, j)) in known for j in alike):
            alike.append(i)
        else:
            copies[i] = alike[0]
    return copies


def check_telling(counts: VoteCounts, pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse sources that would be set aside."""
    problems = telling_problems(counts, pairs)
    if problems:
        raise InputError(" ".join(problems))


def telling_problems(counts: VoteCounts, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """What would be set aside: silent and constant sources, and copies."""
    aside = tell_nothing(counts, pairs)
    return nothing_told(aside.silent, aside.constant, [(first, copy) for copy, first in aside.copies])


def nothing_told(silent: Sequence[str], constant: Sequence[str], copies: Sequence[tuple[str, str]]) -> list[str]:
    """Why sources are refused that tell nothing, a sentence for each reason."""
    problems = []
    if silent:
        problems.append(f"These sources never vote: {examples(silent, len(silent))}. Leave them out (drop=; --drop).")
    if constant:
        problems.append(
            f"These sources vote the same on every point and tell nothing: {examples(constant, len(constant))}. "
            "Leave them out (drop=; --drop)."
        )
    if copies:
        problems.append(
            "These pairs vote identically on all points, and a copy is no evidence of its own: "
            f"{examples(copies, len(copies))}. Leave one of each out (drop=; --drop), or name the pair (known_pairs=; "
            "--known-pair)."
        )
    return problems
