"""What the columns of a table hold where nobody says it: votes, scores, no votes, or the roles of a long table.

Sources share one coding: they are of one kind, text or numbers, and each has values in common with others. Where most
columns do, or where gold says which values are classes, what stands outside is no source. Where it is not clear which
columns are the sources, nothing is set aside, and the table is taken or refused as it is.

Plain scores are fractions between 0 and 1, which are probabilities, and, where there are two classes by gold or,
without it, by the other columns, whole numbers from 0 to 10 of which there are many. Where hardly any column holds
votes, other columns of numbers are scores too: what else would the sources be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from carob._types import ABSTAIN, Label
from carob.errors import examples
from carob.votes.columns import Column
from carob.votes.scales import Numbers, StatedKind

_FEWEST = 5  # different numbers that are scores rather than odd votes
_VOTERS = 2  # columns of votes that tell the classes, and beside which other numbers are measurements
_NAMES = {
    "task": (
        "task item item_id task_id example example_id question question_id unit unit_id instance hit document doc_id "
        "sample point"
    ),
    "worker": "worker worker_id annotator annotator_id rater judge labeler labeller user user_id coder source lf",
    "label": "label answer response vote rating annotation choice judgment category class value",
}


def role_candidates(names: Sequence[str]) -> dict[str, list[str]]:
    """The columns that may be the task, the worker and the label of a long table, by their names.

    >>> role_candidates(["Item_ID", "rater", "user", "p"])
    {'task': ['Item_ID'], 'worker': ['rater', 'user'], 'label': []}
    """
    return {role: [name for name in names if name.casefold() in known.split()] for role, known in _NAMES.items()}


def long_names(table: Any, special: Sequence[str] = ()) -> tuple[str, str, str] | None:
    """Task, worker and label of an Arrow table, where names tell and tasks and workers repeat as in a long table.

    `special`: columns that the user has named as something else. Where no other column is left, tasks or workers that
    repeat are enough.
    """
    candidates = role_candidates(table.column_names)
    if any(len(names) != 1 for names in candidates.values()):
        return None
    task, worker, label = (names[0] for names in candidates.values())
    repeat = [len(table[name].unique()) < table.num_rows for name in (task, worker)]
    nothing_else = {*table.column_names} - {*special} == {task, worker, label}
    return (task, worker, label) if all(repeat) or (any(repeat) and nothing_else) else None


def guessed_scores(
    columns: Mapping[str, Column], numbers: Mapping[str, Numbers], gold: Sequence[Label]
) -> dict[str, StatedKind]:
    """Columns that give scores, and of which kind.

    `columns`: columns that might be votes. `numbers`: columns of numbers that cannot be votes: fractions, or too many
    different ones. `gold`: distinct values of the gold column, where there is one.

    >>> judge = Numbers("judge", np.array([0.2, 0.9, 0.4, 0.6, 0.1]))
    >>> guessed_scores({}, {"judge": judge}, [])["judge"].kind
    'probability'
    """
    graded = {name: grades for name, column in columns.items() if len(grades := _grades(column)) >= _FEWEST}
    voters = [column for name, column in columns.items() if name not in graded]
    if not gold and len(voters) >= _VOTERS:
        gold = [value for column in voters for value in column.levels]
    if len({*gold} - {"", ABSTAIN}) != 2:
        graded, voters = {}, list(columns.values())
    alone = len(voters) < _VOTERS
    # Beside columns of votes, whole numbers from 0 to 10 are scores.
    low_grades = [name for name, grades in graded.items() if alone or (grades[0] >= 0 and grades[-1] <= 10)]
    kinds = {name: _kind_of_numbers(column, alone) for name, column in numbers.items()}
    return {name: StatedKind("score") for name in low_grades} | {
        name: StatedKind.of(name, kind) for name, kind in kinds.items() if kind is not None
    }


def _grades(column: Column) -> list[int]:
    """The whole numbers of a column in order, without -1, which is no score; none where it holds something else."""
    whole = [value for value in column.levels if isinstance(value, int) and not isinstance(value, bool)]
    return sorted({*whole} - {ABSTAIN}) if len(whole) == len(column.levels) else []


def _kind_of_numbers(column: Numbers, alone: bool) -> str | None:
    """Numbers from 0 to 1 are probabilities; others are scores where there are no votes, and they do not name rows."""
    full = column.values[column.full]
    distinct = np.unique(full)
    if len(distinct) < _FEWEST:
        return None
    if distinct[0] >= 0 and distinct[-1] <= 1:
        return "probability"
    names_rows = len(distinct) == len(full) and bool((full == np.floor(full)).all())
    return "score" if alone and not names_rows else None


def no_votes(columns: Mapping[str, Column], odd: Mapping[str, str], gold: Sequence[Label]) -> dict[str, str]:
    """Names of the columns that are no votes, with a reason each; empty where it is not clear what the sources are.

    `columns`: columns that might be votes. `odd`: columns that cannot be votes, and why. `gold`: distinct values of the
    gold column, where there is one.

    >>> cells = np.arange(40) % 2
    >>> votes = {name: Column(name, [0, 1], cells) for name in "abc"}
    >>> no_votes(votes | {"region": Column("region", ["east", "west"], cells)}, {"day": "dates"}, [])
    {'day': 'dates', 'region': 'text'}
    """
    # An abstain that several columns write tells, as a class does, that they are sources of one coding.
    classes = {name: values for name, column in columns.items() if (values := {*column.levels} - {""})}
    truth = {*gold} - {"", ABSTAIN}
    different = _values_of_their_own(columns, classes, truth)
    classes = {name: values for name, values in classes.items() if name not in different}
    groups = _sharing(classes)
    core = _clear_sources(groups, classes, truth)
    texts = {isinstance(value, str) for name in core for value in classes[name]}
    if len(texts) != 1:
        return {}
    return {**odd, **different, **_outside(columns, classes, groups, {*core}, texts.pop(), bool(truth))}


def _values_of_their_own(
    columns: Mapping[str, Column], classes: Mapping[str, set[Label]], truth: set[Label]
) -> dict[str, str]:
    """Columns of many values that hardly any other column has."""
    used = Counter(value for values in (*classes.values(), truth) for value in values)
    reasons = {}
    for name, values in classes.items():
        # Ten values or more, most of which no other column has.
        if len(values) >= 10 and sum(used[value] == 1 for value in values) >= 0.8 * len(values):
            cells = columns[name].cells
            value_per_row = len(columns[name].levels) == np.count_nonzero(cells >= 0) == len(cells)
            reasons[name] = f"{len(values):,} different values" if value_per_row else _values(values)
    return reasons


def _clear_sources(groups: Sequence[list[str]], classes: Mapping[str, set[Label]], truth: set[Label]) -> list[str]:
    """The columns that share the classes of gold or, without it, most of all columns; none where that is not clear."""
    if truth:
        core = [name for group in groups if any(classes[name] & truth for name in group) for name in group]
        return core if len(core) >= 2 else []
    core = max(groups, key=len, default=[])
    return core if len(core) >= 3 and 2 * len(core) > len(classes) else []


def _outside(
    columns: Mapping[str, Column],
    classes: Mapping[str, set[Label]],
    groups: Sequence[list[str]],
    core: Set[str],
    text: bool,
    has_gold: bool,
) -> dict[str, str]:
    """Columns of another kind than the sources, or with other values."""
    reasons = {}
    for name, alone in ((name, len(group) == 1) for group in groups for name in group if name not in core):
        if any(isinstance(value, str) != text for value in classes[name]):
            reasons[name] = "numbers" if text else "text"
        elif not alone and not has_gold:
            continue  # several columns with a coding of their own: nobody knows which are the sources
        elif len(classes[name]) > 1 or (len(columns[name].levels) == 1 and (columns[name].cells >= 0).all()):
            # A source that votes for one class, and only sometimes, may be the only one that knows it.
            reasons[name] = _values(classes[name])
    return reasons


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
