"""What `carob pick` says."""

from __future__ import annotations

from carob.commands.pick import PickResult
from carob.errors import plural
from carob.show.cells import Cell, Number, Text
from carob.show.data import message_sections
from carob.show.report import Report, Section

_SHOWN = 5


def pick_report(result: PickResult, next_command: str = "", gold_file: str | None = None) -> Report:
    """How many points were picked, how, and what to do with them.

    `gold_file`: where gold is that is there already.
    """
    picked = result.picked
    how = {
        "labels": "uncertain points more often than others, in all kinds of points",
        "estimate": "at random",
    }[picked.goal]
    wrote = f"; wrote {result.out}" if result.out else ""
    without_gold = plural(picked.n_points - picked.n_gold, "point")
    verdict = f"Picked {len(picked):,} of {without_gold} without gold, {how}{wrote}."
    names = picked.rows + 1 if picked.keys is None else picked.keys
    rows: list[list[Cell]] = [
        [Text(name), Number(chance * picked.n_points, digits=3)]
        for name, chance in zip(names[:_SHOWN].tolist(), picked.chances.tolist(), strict=False)
    ]
    title = "The first of them" if len(picked) > _SHOWN else "They are"
    key = "row" if picked.keys is None else picked.key_name or "key"
    lines = []
    if picked.n_silent:
        verb = "has" if picked.n_silent == 1 else "have"
        lines.append(f"{plural(picked.n_silent, 'point')} of them {verb} no vote.")
    todo = "give labels on (--gold-file), and chances too to `rate` and `value` (--chance)"
    if gold_file:
        todo = f"add the rows to {gold_file}, where a column of chances is empty for labels at random"
    lines.append(
        f"Fill in the empty column of labels, and {todo}: carob then weighs them so that shares and scores are as "
        "honest as from random points."
    )
    table = Section(title, [key, "chance, random = 1"], rows, lines)
    return Report(verdict, [table, *message_sections(picked.messages)], next_command)
