"""Sources that tell nothing are set aside before a fit: silent ones, constant ones, and copies of another source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from karat._types import ABSTAIN, Bools, Codes, Ints
from karat.errors import InputError
from karat.votes import Votes
from karat.votes.storage import Sparse

_SOME = 1_000  # points that sources are compared on first
COPY = 100  # common votes from which on two sources that always agree are taken for copies


@dataclass(frozen=True, eq=False)
class Aside:
    """The votes that are left, and which sources were set aside for which reason.

    Parameters
    ----------
    votes : Votes
        Of the sources that are left.
    silent, constant : tuple of str
        Sources that never vote; sources that vote on every point, and the same.
    copies : tuple of pairs of str
        Sources that vote as another does on every point, and that other.
    """

    votes: Votes
    silent: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """A sentence for each reason, with all names; first what was set aside when the votes were read."""
        reasons = {
            "they never vote": self.silent,
            "they vote the same on every point": self.constant,
            "copies of another source": [f"{copy} (of {first})" for copy, first in self.copies],
        }
        lines = [f"Set aside, {reason}: {', '.join(names)}." for reason, names in reasons.items() if names]
        return (*self.votes.aside, *lines)


def set_aside(votes: Votes, known_pairs: Sequence[tuple[int, int]] = ()) -> Aside:
    r"""Set aside the sources that tell nothing; of sources that are copies of each other the first stays.

    Parameters
    ----------
    known_pairs : sequence of pairs of int
        Sources, by position, that are known to depend on each other: they stay though one copies the other.

    Raises
    ------
    InputError
        Where no source is left.

    Examples
    --------
    >>> rows = [[0, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1]]
    >>> votes = Votes.from_array(rows, sources=["a", "k", "b", "same"])
    >>> aside = set_aside(votes)
    >>> aside.votes.sources
    ('a', 'b')
    >>> print(*aside.lines, sep="\n")
    Set aside, they vote the same on every point: same.
    Set aside, copies of another source: k (of a).
    """
    n, m = len(votes), len(votes.sources)
    number = np.zeros(m, dtype=np.int64)
    same = np.zeros(m, dtype=bool)
    # Copies agree on some of the points, too: only sources that do are compared on all.
    alike = _alike(votes)
    digests = []
    for i, (points, values) in enumerate(_columns(votes)):
        number[i] = np.count_nonzero(values != ABSTAIN)
        same[i] = number[i] == n and bool((values == values[0]).all())
        told = points.tobytes() + values.tobytes() if alike[i] else str(i).encode()
        digests.append(blake2b(told, digest_size=16).digest())
    # Two sources may well agree on the few points of a small table, or of one that is transposed.
    eligible = ~same & (number >= min(COPY, n)) if n >= min(COPY, m) else np.zeros(m, dtype=bool)
    copies = _copies(digests, np.flatnonzero(eligible).tolist(), known_pairs)
    left = [i for i in range(m) if number[i] and not same[i] and i not in copies]
    names = votes.sources
    if not left:
        raise InputError(
            "no source is left: every one of them never votes, or votes the same on every point. Bring sources that "
            "tell the classes apart."
        )
    return Aside(
        votes.select(names[i] for i in left),
        tuple(names[i] for i in np.flatnonzero(number == 0)),
        tuple(names[i] for i in np.flatnonzero(same)),
        tuple((names[i], names[first]) for i, first in copies.items()),
    )


def _columns(votes: Votes) -> Iterator[tuple[Ints, Codes]]:
    """What each source votes: on all points, or, where it is held so, only where it does."""
    storage, m = votes.storage, len(votes.sources)
    if isinstance(storage, Sparse):
        point, source, value = storage.entries(0, len(votes))
        order = np.argsort(source, kind="stable")
        starts = np.searchsorted(source[order], np.arange(m + 1))
        for low, high in pairwise(starts.tolist()):
            yield point[order[low:high]], value[order[low:high]]
    else:
        for column in storage.columns(0, len(votes)):
            yield np.zeros(0, dtype=np.int64), column


def _alike(votes: Votes) -> Bools:
    """Sources that vote as another does on some of the points, shape (m,); all where votes are held sparsely."""
    storage = votes.storage
    if isinstance(storage, Sparse):
        return np.ones(len(votes.sources), dtype=bool)
    some = storage.take(slice(None, None, max(1, len(votes) // _SOME))).values
    told = [column.tobytes() for column in some.T]
    seen = Counter(told)
    return np.array([seen[one] > 1 for one in told], dtype=bool)


def _copies(
    digests: Sequence[bytes], eligible: Iterable[int], known_pairs: Sequence[tuple[int, int]]
) -> dict[int, int]:
    """Sources that are copies, and the first of those that each is a copy of."""
    known = {frozenset(pair) for pair in known_pairs}
    staying: dict[bytes, list[int]] = {}
    copies = {}
    for i in eligible:
        alike = staying.setdefault(digests[i], [])
        if all(frozenset((i, j)) in known for j in alike):
            alike.append(i)
        else:
            copies[i] = alike[0]
    return copies
