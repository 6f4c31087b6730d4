"""Tables of votes, wide and long.

Everything becomes an Arrow table first (`carob.read.formats`), then a `VoteTable`. A wide table has a row per point
and a column per source; a long one has a row per vote: task, worker, label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from carob._kernels.threads import in_threads
from carob._types import Abstains, AnyArray, Floats, Ints
from carob.errors import InputError, examples
from carob.read.arrow import FRACTIONS, identifiers, is_numeric, keys, number_column, vote_column, why_no_votes
from carob.read.beside import chance_column, group_column, of_tasks
from carob.read.coding import spelled_alike
from carob.read.long_names import long_names, role_candidates
from carob.read.no_votes import no_votes
from carob.read.score_columns import found_scores
from carob.read.streams import whole_table
from carob.read.table import Entries, Reading, Repeats, VoteTable
from carob.votes.coding import Column, names_array
from carob.votes.scales import Numbers, StatedKind
from carob.votes.spelling import Spelling

_VOTES = StatedKind("vote")
_MANY_ROWS = 50  # of a long table, in which some worker votes twice at least


def read_table(source: Any, reading: Reading) -> VoteTable:
    """Sort a table into sources, keys and gold, whichever its layout."""
    table = whole_table(source, reading.identifiers, reading.written)
    found_long = long_reading(table, reading)
    long, read_as = found_long is not None, ""
    if found_long is not None:
        reading, read_as = found_long
    if read_as:
        table = whole_table(source, reading.identifiers, reading.written)
    if not long and {reading.task, reading.worker} & {*table.column_names}:
        # Sources of a wide table that have these names hold votes, not names: they are not read as text.
        wide = [name for name in (reading.key, reading.by) if name is not None]
        table = whole_table(source, wide, reading.written)
    if long and reading.key not in (None, reading.task):
        raise InputError(
            f"a long table is keyed by its column {reading.task!r}; {reading.key!r} is not needed (key=; --key)."
        )
    gold = reading.gold if reading.gold_file is None else None
    found = _long(table, reading, gold) if long else _wide_or_hint(table, reading, gold)
    return replace(found, read_as=read_as)


def long_reading(table: Any, reading: Reading) -> tuple[Reading, str] | None:
    """How to read a table with a row per vote, and the words for that where it was guessed; None of a wide table."""
    if is_long(table.column_names, reading):
        return reading, ""
    special = [name for name in (reading.key, *reading.beside, *reading.drop) if name is not None]
    names = long_names(table, special) if _may_be_long(table, reading) else None
    if names is None:
        return None
    words = ", ".join(f"{role} = {name}" for role, name in zip(("task", "worker", "label"), names, strict=True))
    return replace(reading, task=names[0], worker=names[1], label=names[2]), f"Read as a long table: {words}."


def is_long(names: Sequence[str], reading: Reading) -> bool:
    """Whether a table with these columns has a row per vote, by what is said and by the names that were given."""
    return reading.layout == "long" or (reading.layout is None and {*reading.roles} <= {*names})


def _may_be_long(table: Any, reading: Reading) -> bool:
    """Whether to look for the columns of a long table under other names: none was given, and not all are there."""
    columns = set(table.column_names)
    wide = reading.layout == "wide" or (reading.sources is not None and {*_split(reading.sources, columns)} <= columns)
    keyed = reading.key is not None and reading.key not in role_candidates(table.column_names)["task"]
    return reading.roles == Reading().roles and not {*reading.roles} <= columns and not wide and not keyed


def _wide_or_hint(table: Any, reading: Reading, gold: str | None) -> VoteTable:
    """A wide table; where it is refused and may be a long one, the refusal says how to read it so."""
    try:
        found = _wide(table, reading, gold)
        if not isinstance(found.cells, Entries):
            votes = {
                name: cells for name, cells in zip(found.sources, found.cells, strict=True) if isinstance(cells, Column)
            }
            _check_one_kind(list(votes), _as_read(list(votes.values()), reading.spelling))
    except InputError as error:
        roles = role_candidates(table.column_names)
        if sum(bool(names) for names in roles.values()) < 2 or reading.layout == "wide":
            raise
        raise InputError(
            f"{error} If the table has a row per vote, name its columns (task=, worker=, label=; --task, --worker, "
            "--label)."
        ) from None
    return found


def wide_part(table: Any, reading: Reading, first_row: int) -> VoteTable:
    """Some rows of a wide table whose columns are known: all sources are named, and their kinds are stated."""
    counted = "" if first_row == 0 else f" (rows counted from row {first_row + 1:,} on)"
    return _wide(table, reading, reading.gold, counted)


def _wide(table: Any, reading: Reading, gold: str | None, where: str = "") -> VoteTable:
    undropped = {*table.column_names} - {*_split(reading.drop, set(table.column_names))}
    if gold is None and reading.gold in undropped:  # beside the gold file, which has labels for more points
        gold = reading.gold
    special = list(dict.fromkeys(name for name in (reading.key, *reading.beside, gold) if name is not None))
    names = _pick(table.column_names, reading.sources, reading.drop, "column", special)
    stated = reading.stated(names)
    columns: dict[str, Column] = {}
    refused: dict[str, InputError] = {}
    voting = [name for name in names if stated.get(name, _VOTES).kind == "vote"]

    def column(place: int) -> Column | InputError:
        try:
            return vote_column(table[voting[place]], f"column {voting[place]!r}{where}", reading.abstain)
        except InputError as error:
            return error

    for name, found in zip(voting, in_threads(column, len(voting)), strict=True):
        if isinstance(found, Column):
            columns[name] = found
        else:
            refused[name] = found
    points = None if reading.key is None else keys(table, reading.key)
    truth = None if gold is None else vote_column(table[gold], f"gold column {gold!r}{where}", reading.abstain)
    chances = None
    if reading.gold_file is not None:
        joined, chances = _joined_gold(points, reading, reading.key)
        truth = joined if truth is None else joined.filled_from(truth)
    elif gold is not None and reading.chance is not None:
        chances = chance_column(table, reading.chance)
    if not reading.scales:
        unsaid = {name: column for name, column in columns.items() if name not in stated}
        stated |= _found_scores(table, reading, unsaid, [name for name in refused if name not in stated], truth)
    scores = {
        name: number_column(table[name], f"column {name!r}{where}", reading.abstain)
        for name in names
        if stated.get(name, _VOTES).kind != "vote"
    }
    columns = {name: column for name, column in columns.items() if name not in scores}
    refused = {name: error for name, error in refused.items() if name not in scores}
    aside: dict[str, str] = {}
    if reading.sources is None and not reading.strict:
        odd = {name: why_no_votes(table[name]) for name in refused}
        known = {name: why for name, why in odd.items() if why is not None}
        as_read = dict(zip(columns, _as_read(list(columns.values()), reading.spelling), strict=True))
        gold_levels = [] if truth is None else _as_read([truth], reading.spelling)[0].levels
        aside = known if scores and not as_read else no_votes(as_read, known, gold_levels)
    for name, refusal in refused.items():
        if name not in aside:
            raise refusal
    left = [name for name in names if name not in aside]
    cells: list[Column | Numbers] = [scores[name] if name in scores else columns[name] for name in left]
    lines = [f"{name} ({aside[name]})" for name in names if name in aside]
    said = f"Set aside, no votes: {', '.join(lines)}."
    fractions = [name for name in names if aside.get(name) == FRACTIONS]
    if fractions:
        said += f" Where they are scores, say so (kinds={{{fractions[0]!r}: 'score'}}; --kind {fractions[0]}=score)."
    return VoteTable(
        table.num_rows,
        tuple(left),
        cells,
        points,
        truth,
        (said,) if lines else (),
        key_name=reading.key,
        stated={name: stated[name] for name in left if name in scores},
        chances=chances,
        by=None if reading.by is None else group_column(table, reading.by),
    )


def _found_scores(
    table: Any, reading: Reading, columns: dict[str, Column], refused: Iterable[str], truth: Column | None
) -> dict[str, StatedKind]:
    """Columns of numbers that give scores, where nobody says what they hold."""
    numbers = {}
    for name in refused:
        if is_numeric(table[name]):
            with suppress(InputError):  # NaN and infinity: the column is refused for that anyway
                numbers[name] = number_column(table[name], f"column {name!r}", reading.abstain)
    read = [column for column in columns.values() if column.levels]
    names = [name for name, column in columns.items() if column.levels]
    gold = [] if truth is None else _as_read([truth], reading.spelling)[0].levels
    return found_scores(dict(zip(names, _as_read(read, reading.spelling), strict=True)), numbers, gold)


def _pick(
    found: Sequence[str], sources: Sequence[str] | None, drop: Sequence[str], noun: str, special: Sequence[str] = ()
) -> list[str]:
    """The sources among what was found: those named, or all but the dropped and the special ones."""
    known = set(found)
    wanted = found if sources is None else _split(sources, known)
    left_out = [*_split(drop, known), *special]
    for name in (*wanted, *left_out):
        if name not in known:
            raise InputError(f"there is no {noun} {name!r}; there are {examples(found)}.")
    return [name for name in wanted if name not in left_out]


def _split(names: Sequence[str], known: set[str]) -> list[str]:
    """Names, several of which may be written in one between commas."""
    return [
        part
        for name in names
        for part in ([name] if name in known or "," not in name else [part.strip() for part in name.split(",")])
    ]


def _as_read(columns: list[Column], spelling: Spelling) -> list[Column]:
    """The same columns with their values as they are read."""
    alike = spelled_alike([value for column in columns for value in column.levels], spelling)
    return [replace(column, levels=[alike.read(value) for value in column.levels]) for column in columns]


def _check_one_kind(names: Sequence[str], columns: list[Column]) -> None:
    """Refuse text beside numbers: it is a column of something else, or one class is misspelt."""
    kinds = {
        name: isinstance(column.levels[0], str) for name, column in zip(names, columns, strict=True) if column.levels
    }
    texts = [name for name, is_text in kinds.items() if is_text]
    if texts and len(texts) < len(kinds):
        values = examples(columns[names.index(texts[0])].levels[:3])
        raise InputError(
            f"{examples(texts)} hold{'s' if len(texts) == 1 else ''} text (such as {values}) and the other sources "
            "hold numbers. Leave out what is no source (drop=; --drop), or correct the values."
        )


def _long(table: Any, reading: Reading, gold: str | None) -> VoteTable:
    """Votes of workers on tasks, from a row per vote."""
    task, worker, label = reading.task, reading.worker, reading.label
    for name in (task, worker, label, *reading.beside):
        if name not in table.column_names:
            raise InputError(
                f"there is no column {name!r}; the columns are {examples(table.column_names)}. A long table has a row "
                "per vote; name its columns (task=, worker=, label=; --task, --worker, --label)."
            )
    if table.num_rows == 0:
        raise InputError("there are no votes: the table has zero rows.")
    tasks, point = identifiers(table, task)
    workers, by = identifiers(table, worker)
    names = [str(name) for name in workers]
    if not reading.missing_workers_abstain:
        names = worker_names(workers, worker, len(tasks), table.num_rows)
    known = set(names)
    absent = [name for name in reading.sources or () if name not in known] if reading.missing_workers_abstain else []
    picked = _pick([*names, *absent], reading.sources, reading.drop, "worker")
    votes, kind = _long_votes(table, reading)
    kept = _one_vote_each(point, by, tasks, workers, reading.repeats)
    place = {name: k for k, name in enumerate(picked)}
    source = np.array([place.get(name, -1) for name in names], dtype=np.int64)[by]
    kept = kept[votes.full[kept] & (source[kept] >= 0)]
    truth = None if gold is None else _task_gold(table, gold, point, tasks, reading.abstain)
    chances: Floats | None = None
    group: AnyArray | None = None
    if gold is not None and reading.chance is not None:
        chances = of_tasks(chance_column(table, reading.chance), point, tasks, reading.chance)
    if reading.gold_file is not None:
        truth, chances = _joined_gold(names_array(tasks), reading, task)
    if reading.by is not None:
        group = of_tasks(group_column(table, reading.by), point, tasks, reading.by)
    entries = Entries(point[kept], source[kept], votes.take(kept))
    stated = {} if kind.kind == "vote" else dict.fromkeys(picked, kind)
    return VoteTable(
        len(tasks), tuple(picked), entries, names_array(tasks), truth,
        key_name=task, stated=stated, chances=chances, by=group,
    )  # fmt: skip


def worker_names(workers: Sequence[Any], column: str, tasks: int, rows: int) -> list[str]:
    """Names of the workers of a long table with so many tasks and rows, refused where they cannot be that."""
    if len(workers) == rows >= _MANY_ROWS and tasks < rows:
        raise InputError(
            f"column {column!r} names a worker of its own in each of {rows:,} rows, so that nothing can be learned of "
            "any. Name the column of the workers (worker=; --worker)."
        )
    names = [str(name) for name in workers]
    if len(set(names)) < len(names):
        raise InputError("two workers have the same name once written as text; rename one.")
    return names


def long_part(table: Any, reading: Reading) -> VoteTable:
    """Some tasks of a long table, with all votes on them; all workers are named."""
    return _long(table, reading, reading.gold)


def pick_workers(names: Sequence[str], reading: Reading) -> list[str]:
    """The sources among the workers of a long table."""
    return _pick(names, reading.sources, reading.drop, "worker")


def _long_votes(table: Any, reading: Reading) -> tuple[Column | Numbers, StatedKind]:
    """The column of votes, or of scores where that is said, or where nothing else is possible."""
    label, where = reading.label, f"column {reading.label!r}"
    if reading.scales:
        stated = next(iter(reading.stated(list(reading.scales)).values()))
    else:
        stated = reading.stated([label]).get(label, _VOTES)
    if stated.kind != "vote":
        return number_column(table[label], where, reading.abstain), stated
    try:
        return vote_column(table[label], where, reading.abstain), stated
    except InputError:
        found = {} if reading.scales or reading.kinds else _found_scores(table, reading, {}, [label], None)
        if label not in found:
            raise
        return number_column(table[label], where, reading.abstain), found[label]


def _one_vote_each(point: Ints, by: Ints, tasks: list[Any], workers: list[Any], repeats: Repeats) -> Ints:
    """Rows of a long table, one for every worker and task."""
    cell = point * len(workers) + by
    order = np.argsort(cell, kind="stable")
    same = cell[order][1:] == cell[order][:-1]
    if same.any() and repeats == "refuse":
        first = [(workers[by[i]], tasks[point[i]]) for i in order[1:][same][:3]]
        named = "; ".join(f"worker {w!r} on task {t!r}" for w, t in first)
        raise InputError(
            f"{int(same.sum()):,} votes repeat a worker on a task: {named}. A worker has one vote per task: keep the "
            "first or the last (repeats='first' or 'last'; --repeats first or last)."
        )
    return order[np.concatenate([[True], ~same]) if repeats == "first" else np.concatenate([~same, [True]])]


def _task_gold(table: Any, gold: str, point: Ints, tasks: list[Any], abstain: Abstains) -> Column:
    """The gold label of every task, from a column that repeats it on every row of the task."""
    per_row = vote_column(table[gold], f"gold column {gold!r}", abstain)
    per_task = np.full(len(tasks), -1, dtype=per_row.cells.dtype)
    has_gold = per_row.cells >= 0
    per_task[point[has_gold]] = per_row.cells[has_gold]
    clash = per_task[point[has_gold]] != per_row.cells[has_gold]
    if clash.any():
        at = tasks[point[has_gold][np.argmax(clash)]]
        raise InputError(f"gold column {gold!r} gives task {at!r} two different labels; give each task one.")
    return replace(per_row, cells=per_task)


@dataclass(frozen=True, eq=False)
class GoldFile:
    """Gold in a second table.

    Parameters
    ----------
    labels : Column
        A row per key.
    keys : list of str
        Compared as text: one file may hold numbers where the other holds their digits.
    chances : array or None
        How likely each was to be picked.
    """

    labels: Column
    keys: list[str]
    chances: Floats | None

    @classmethod
    def read(cls, reading: Reading, key: str | None) -> GoldFile:
        """From the table that a user names, by the key that it shares with the votes."""
        gold = reading.gold
        if key is None:
            raise InputError(
                "gold in a second file is matched by key: name the column (key=; --key) that both files have."
            )
        table = whole_table(reading.gold_file, [key], reading.written)
        if key not in table.column_names:
            raise InputError(f"the gold file has no column {key!r}; it has {examples(table.column_names)}.")
        if gold is None:
            others = [name for name in table.column_names if name not in (key, reading.chance)]
            gold = "gold" if "gold" in others else others[0] if len(others) == 1 else None
            if gold is None:
                raise InputError(f"which column of the gold file is gold (gold=; --gold)? It has {examples(others)}.")
        for name in (gold, reading.chance):
            if name is not None and name not in table.column_names:
                raise InputError(f"the gold file has no column {name!r}; it has {examples(table.column_names)}.")
        labels = vote_column(table[gold], f"gold column {gold!r}", reading.abstain)
        found = _texts(keys(table, key), "gold file")
        return cls(labels, found, None if reading.chance is None else chance_column(table, reading.chance))

    def join(self, points: AnyArray) -> tuple[Column, Floats | None]:
        """Gold of points with these keys, and how likely they were to be picked; all of them, or a part."""
        place = {point: i for i, point in enumerate(_texts(points, "votes"))}
        at = np.array([place.get(point, -1) for point in self.keys], dtype=np.int64)
        cells = np.full(len(points), -1, dtype=self.labels.cells.dtype)
        cells[at[at >= 0]] = self.labels.cells[at >= 0]
        if self.chances is None:
            return replace(self.labels, cells=cells), None
        chances = np.full(len(points), np.nan)
        chances[at[at >= 0]] = self.chances[at >= 0]
        return replace(self.labels, cells=cells), chances

    def check_met(self, met: bool, points: AnyArray) -> None:
        """Refuse gold none of whose keys the votes have."""
        if not met:
            raise InputError(
                f"no key of the gold file ({examples(self.keys, 3)}) is a key of the votes "
                f"({examples([str(point) for point in points[:3].tolist()], 3)})."
            )


def _joined_gold(points: AnyArray | None, reading: Reading, key: str | None) -> tuple[Column, Floats | None]:
    """Gold of the points, and how likely they were to be picked, from a second table, matched by key."""
    gold = GoldFile.read(reading, None if points is None else key)
    known = np.array([]) if points is None else points
    gold.check_met(not {*gold.keys}.isdisjoint(_texts(known, "votes")), known)
    return gold.join(known)


def _texts(points: AnyArray, what: str) -> list[str]:
    """Keys as text, each of which stands there once."""
    found = [str(point) for point in points.tolist()]
    repeated = [point for point, count in Counter(found).items() if count > 1]
    if repeated:
        raise InputError(f"keys occur more than once in the {what}: {examples(repeated)}. Each point has its own.")
    return found
