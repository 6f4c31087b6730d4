"""`carob pick`: which points to label next, written as a table to fill in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa

from carob.commands.inputs import VotesFile
from carob.commands.outputs import check_different
from carob.commands.summary import to_look_at
from carob.engines.labels import named_points
from carob.posterior.settings import Settings
from carob.read.formats import check_output, written_table
from carob.value.pick import Goal, Picked, check_number, pick_points

CHANCE = "chance"  # the column of how likely each point was to be picked
LABEL = "y"  # the column of labels, where gold has no name yet


@dataclass(frozen=True, eq=False)
class PickResult:
    """Points that were picked, and where they were written."""

    picked: Picked
    out: str | None  # the file that was written


def pick_votes(data: VotesFile, settings: Settings, n: int, goal: Goal, out: str | None = None) -> PickResult:
    """Pick points to label.

    `n`: how many. `out`: where to write their keys, or row numbers from 1, how likely each was to be picked, and an
    empty column for their labels.
    """
    check_number(n)
    if out is not None:
        check_output(out)
    votes = data.apart_from(check_different(out)).read()
    picked = pick_points(votes, votes.gold, settings, n, goal)
    picked = replace(picked, messages=(*to_look_at(votes), *picked.messages))
    if out is not None:
        nothing_yet = pa.nulls(len(picked), pa.string())
        told = {CHANCE: picked.chances, data.reading.gold or LABEL: nothing_yet}
        columns = named_points(votes.take(picked.rows), picked.rows, told)
        with written_table(out, [columns]):
            pass
    return PickResult(picked, out)
