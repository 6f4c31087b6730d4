"""Which columns of a wide table are no votes: free text, dates, identifiers, measurements, other people's values.

Sources share one coding: they are of one kind, text or numbers, and each has values in common with others. Where most
columns do, or where gold says which values are classes, what stands outside is no source. Where it is not clear which
columns are the sources, nothing is set aside, and the table is taken or refused as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

import numpy as np

from carob._types import ABSTAIN, Label
from carob.errors import examples
from carob.votes.coding import Column

_SOURCES, _SOURCES_WITH_GOLD = 3, 2  # columns that make a clear set of sources, without and with gold
_MANY = 10  # values: a column with so many that hardly any other column has is no source
_OWN = 0.8  # share of these values that are its own


def no_votes(columns: Mapping[str, Column], odd: Mapping[str, str], gold: Sequence[Label]) -> dict[str, str]:
    """Names of the columns that are no votes, with a reason each; empty where it is not clear what the sources are.

    Parameters
    ----------
    columns : mapping of str to Column
        Columns that might be votes.
    odd : mapping of str to str
        Columns that cannot be votes, and why.
    gold : sequence
        Distinct values of the gold column, where there is one.

    Examples
    --------
    >>> cells = np.arange(40) % 2
    >>> votes = {name: Column(name, [0, 1], cells) for name in "abc"}
    >>> no_votes(votes | {"region": Column("region", ["east", "west"], cells)}, {"day": "dates"}, [])
    {'day': 'dates', 'region': 'text'}
    """
    # An abstain that several columns write tells, as a class does, that they are sources of one coding.
    found = {name: {*column.levels} - {""} for name, column in columns.items()}
    classes = {name: values for name, values in found.items() if values}
    truth = {*gold} - {"", ABSTAIN}
    used = Counter(value for values in (*classes.values(), truth) for value in values)
    different = {
        name: f"{len(values):,} different values" if _a_value_per_row(columns[name]) else _values(values)
        for name, values in classes.items()
        if len(values) >= _MANY and sum(used[value] == 1 for value in values) >= _OWN * len(values)
    }
    classes = {name: values for name, values in classes.items() if name not in different}
    together = _sharing(classes)
    of_gold = [group for group in together if any(classes[name] & truth for name in group)]
    core = [name for group in of_gold for name in group] if truth else max(together, key=len, default=[])
    clear = len(core) >= _SOURCES_WITH_GOLD if truth else len(core) >= _SOURCES and 2 * len(core) > len(classes)
    text = {_is_text(value) for name in core for value in classes[name]}
    if not clear or len(text) > 1:
        return {}
    return {**odd, **different, **_outside(columns, classes, together, set(core), next(iter(text)), bool(truth))}


def _outside(
    columns: Mapping[str, Column],
    classes: Mapping[str, set[Label]],
    together: Sequence[list[str]],
    core: Set[str],
    text: bool,
    has_gold: bool,
) -> dict[str, str]:
    """Columns of another kind than the sources, or with other values."""
    found = {}
    for group in together:
        for name in group:
            if name in core:
                continue
            if any(_is_text(value) != text for value in classes[name]):
                found[name] = "numbers" if text else "text"
            elif len(group) > 1 and not has_gold:
                continue  # several columns with a coding of their own: nobody knows which are the sources
            elif len(classes[name]) > 1 or _same_everywhere(columns[name]):
                # A source that votes for one class, and only sometimes, may be the only one that knows it.
                found[name] = _values(classes[name])
    return found


def _is_text(value: Label) -> bool:
    return isinstance(value, str)


def _a_value_per_row(column: Column) -> bool:
    return len(column.levels) == np.count_nonzero(column.cells >= 0) == len(column.cells)


def _same_everywhere(column: Column) -> bool:
    return len(column.levels) == 1 and bool((column.cells >= 0).all())


def _values(values: set[Label]) -> str:
    return f"values such as {examples(sorted(values, key=str)[:2])}"


def _sharing(classes: Mapping[str, set[Label]]) -> list[list[str]]:
    """Groups of columns that are linked by values in common."""
    leader: dict[Label, Label] = {}  # of each value, another of its group, or itself

    def first(value: Label) -> Label:
        while leader.setdefault(value, value) != value:
            value = leader[value]
        return value

    for values in classes.values():
        one, *others = values
        for other in others:
            leader[first(other)] = first(one)
    groups: dict[Label, list[str]] = {}
    for name, values in classes.items():
        groups.setdefault(first(next(iter(values))), []).append(name)
    return list(groups.values())
