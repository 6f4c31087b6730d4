"""What `carob rate` says."""

from __future__ import annotations

from collections.abc import Sequence

from carob.errors import plural
from carob.show.cells import Between, Cell, Count, Percent, Share, Text
from carob.show.data import message_sections
from carob.show.report import Report, Section
from carob.value.rate import ClassRate, GroupRate, Rate


def rate_report(found: Rate, next_command: str = "") -> Report:
    """How common each class is, and what votes were worth for it."""
    interval = f"{Percent(found.level, digits=0)} interval"
    headers = ["class", "share", interval, "gold alone", "interval"]
    rows = [[Text(share.label), *_cells(share)] for share in found.overall.shares]
    whose = "points like these" if found.beyond else f"these {plural(found.overall.n_points, 'point')}"
    sections = [Section(f"How common each class is among {whose}", headers, rows)]
    if found.groups:
        sections.append(_group_section(found.groups, interval))
    return Report(found.verdict, [*sections, *message_sections(found.messages)], next_command)


def _cells(share: ClassRate) -> list[Cell]:
    gold = Between(Share(share.gold_low), Share(share.gold_high))
    return [Share(share.value), Between(Share(share.low), Share(share.high)), Share(share.gold_value), gold]


def _group_section(groups: Sequence[GroupRate], interval: str) -> Section:
    """A row for each group and class; of two classes the last alone."""
    rows: list[list[Cell]] = []
    silent = []
    for group in groups:
        sizes = [Count(group.n_points), Count(group.n_gold)]
        if not group.told:
            silent.append(f"{group.group!r} ({plural(group.n_gold, 'gold label')})")
            continue
        shares = group.shares[1:] if len(group.shares) == 2 else group.shares
        worth = Count(round(group.worth))
        for share in shares:
            between = Between(Share(share.low), Share(share.high))
            rows.append([Text(group.group or "(empty)"), Text(share.label), Share(share.value), between, *sizes, worth])
    lines = [f"Too little gold to tell: {', '.join(silent)}."] if silent else []
    headers = ["group", "class", "share", interval, "points", "gold", "worth in labels"]
    return Section("In each group", headers, rows, lines, names=2)
