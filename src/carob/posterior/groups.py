"""Sources that are known to depend on each other, taken as one."""

from __future__ import annotations

from collections.abc import Callable

from carob._types import Floats, Group, Ints
from carob.count.statistics import GroupCounts
from carob.errors import InputError
from carob.posterior.settings import Positions
from carob.posterior.source_model import SourceModel
from carob.votes import Outputs
from carob.votes.outputs import LARGEST_TABLE

JointTable = Callable[[Ints, Ints, SourceModel, Group], Floats]


def dependent_groups(m: int, pairs: Positions) -> tuple[Group, ...]:
    """Sources that known pairs connect, directly or through others; every other source alone.

    >>> dependent_groups(5, ((0, 3), (3, 4)))
    ((0, 3, 4), (1,), (2,))
    """
    group = list(range(m))
    for i, j in pairs:
        old, new = max(group[i], group[j]), min(group[i], group[j])
        group = [new if g == old else g for g in group]
    members: dict[int, list[int]] = {}
    for i, g in enumerate(group):
        members.setdefault(g, []).append(i)
    return tuple(tuple(members[g]) for g in sorted(members))


def check_groups(groups: tuple[Group, ...], sources: tuple[str, ...], outputs: Outputs) -> None:
    """Refuse groups whose joint outputs are too many to learn."""
    for group in groups:
        number = outputs.number(group)
        if len(group) > 1 and number > LARGEST_TABLE:
            names = ", ".join(repr(sources[i]) for i in group)
            raise InputError(
                f"the known pairs tie {len(group)} sources together ({names}), whose joint outputs number "
                f"{number:,}; at most {LARGEST_TABLE:,} can be taken as one. Drop some of them instead."
            )


def merge_groups(model: SourceModel, counts: tuple[GroupCounts, ...], joint_table: JointTable) -> SourceModel:
    """Take dependent sources as one source with a joint table, learned from what all other sources say.

    `joint_table`: such as `Kind.joint_table`.
    """
    if not counts:
        return model
    tables: dict[Group, Floats] = {(i,): table for i, table in enumerate(model.source_tables)}
    for found in counts:
        joint, with_others = found.joint.sum(axis=0), found.with_others.sum(axis=0)
        tables[found.group] = joint_table(joint, with_others, model, found.group)
        for i in found.group:
            del tables[i,]
    groups = tuple(sorted(tables))
    return SourceModel(model.sources, model.classes, model.class_balance, groups, tuple(tables[g] for g in groups))
