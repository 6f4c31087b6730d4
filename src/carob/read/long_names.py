"""Columns of long tables under the names that other people give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_NAMES = {
    "task": (
        "task item item_id task_id example example_id question question_id unit unit_id instance hit document doc_id "
        "sample point"
    ),
    "worker": (
        "worker worker_id annotator annotator_id rater judge labeler labeller user user_id coder source lf"
    ),
    "label": "label answer response vote rating annotation choice judgment category class value",
}  # fmt: skip


def role_candidates(names: list[str]) -> dict[str, list[str]]:
    """The columns that may be the task, the worker and the label of a long table, by their names.

    >>> role_candidates(["Item_ID", "rater", "user", "p"])
    {'task': ['Item_ID'], 'worker': ['rater', 'user'], 'label': []}
    """
    return {role: [name for name in names if name.casefold() in known.split()] for role, known in _NAMES.items()}


def long_names(table: Any, known: Sequence[str] = ()) -> tuple[str, str, str] | None:
    """Task, worker and label of an Arrow table, where names tell and tasks and workers repeat as in a long table.

    Parameters
    ----------
    known : sequence of str
        Columns that the user has named as something else. Where no other column is left, tasks or workers that repeat
        are enough.
    """
    found = role_candidates(table.column_names)
    if any(len(names) != 1 for names in found.values()):
        return None
    task, worker, label = (names[0] for names in found.values())
    repeat = [len(table[name].unique()) < table.num_rows for name in (task, worker)]
    nothing_else = {*table.column_names} - {*known} == {task, worker, label}
    return (task, worker, label) if all(repeat) or (any(repeat) and nothing_else) else None
