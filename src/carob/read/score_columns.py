"""Which columns of a wide table give scores, where nobody says what they hold.

Plain are fractions between 0 and 1, which are probabilities, and, where there are two classes by gold or, without it,
by the other columns, whole numbers from 0 to 10 of which there are many. Where hardly any column holds votes, other
columns of numbers are scores too: what else would the sources be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from carob._types import ABSTAIN, Label
from carob.votes.coding import Column
from carob.votes.scales import Numbers, StatedKind

FEWEST = 5  # different numbers that are scores rather than odd votes
LARGEST = 10  # of whole numbers that are scores beside columns of votes
_VOTERS = 2  # columns of votes that tell the classes, and beside which other numbers are measurements


def found_scores(
    columns: Mapping[str, Column], numbers: Mapping[str, Numbers], gold: Sequence[Label]
) -> dict[str, StatedKind]:
    """Columns that give scores, and of which kind.

    Parameters
    ----------
    columns : mapping of str to Column
        Columns that might be votes.
    numbers : mapping of str to Numbers
        Columns of numbers that cannot be votes: fractions, or too many different ones.
    gold : sequence
        Distinct values of the gold column, where there is one.

    Examples
    --------
    >>> judge = Numbers("judge", np.array([0.2, 0.9, 0.4, 0.6, 0.1]))
    >>> found_scores({}, {"judge": judge}, [])["judge"].kind
    'probability'
    """
    graded = {name: _graded(column) for name, column in columns.items()}
    graded = {name: values for name, values in graded.items() if len(values) >= FEWEST}
    voters = [column for name, column in columns.items() if name not in graded]
    if not gold and len(voters) >= _VOTERS:
        gold = [value for column in voters for value in column.levels]
    if len({*gold} - {"", ABSTAIN}) != 2:
        graded, voters = {}, list(columns.values())
    alone = len(voters) < _VOTERS
    plain = [name for name, values in graded.items() if alone or (values[0] >= 0 and values[-1] <= LARGEST)]
    return {name: StatedKind("score") for name in plain} | {
        name: StatedKind.of(name, "probability" if _inside(found) else "score")
        for name, found in numbers.items()
        if _many(found) and (_inside(found) or (alone and not _names_rows(found)))
    }


def _graded(column: Column) -> list[int]:
    """The whole numbers of a column in order, without -1, which is no score; none where it holds something else."""
    numbers = [value for value in column.levels if isinstance(value, int) and not isinstance(value, bool)]
    return sorted({*numbers} - {ABSTAIN}) if len(numbers) == len(column.levels) else []


def _many(numbers: Numbers) -> bool:
    return len(np.unique(numbers.values[numbers.full])) >= FEWEST


def _inside(numbers: Numbers) -> bool:
    """Whether all are from 0 to 1; there are fractions among them, or they could be votes."""
    return bool(np.nanmin(numbers.values) >= 0 and np.nanmax(numbers.values) <= 1)


def _names_rows(numbers: Numbers) -> bool:
    """Whether these are whole numbers that are all different, as identifiers are."""
    full = numbers.values[numbers.full]
    return bool((full == np.floor(full)).all()) and len(np.unique(full)) == len(full)
