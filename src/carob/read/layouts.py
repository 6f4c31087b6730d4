"""Tables of votes, wide and long.

Everything becomes an Arrow table first (`carob.read.formats`), then a `VoteTable`. A wide table has a row per point
and a column per source; a long one has a row per vote: task, worker, label (`carob.read.long`).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from carob._kernels.loops import look_up
from carob._kernels.threads import in_threads
from carob._types import ABSTAIN, AnyArray, Floats, Label
from carob.errors import InputError, examples
from carob.read.arrow import (
    FRACTIONS,
    chance_column,
    group_column,
    is_numeric,
    keys,
    narrow,
    number_column,
    numbers,
    vote_column,
    why_no_votes,
)
from carob.read.coding import as_read
from carob.read.gold_file import joined_gold
from carob.read.infer import guessed_scores, long_names, no_votes, role_candidates
from carob.read.long import read_long
from carob.read.streams import whole_table
from carob.read.table import Coded, Entries, ReadOptions, VoteTable, pick, split
from carob.votes.coding import UNKNOWN, Coding
from carob.votes.columns import Column
from carob.votes.messages import Message
from carob.votes.scales import Numbers, StatedKind


def read_table(source: Any, options: ReadOptions, coding: Coding | None = None, table: Any = None) -> VoteTable:
    """Sort a table into sources, keys and gold, whichever its layout.

    `coding`: which values are classes, where that is known. `table`: all of the source, where it has been read before.
    """
    if options.chance is not None and options.gold is None and options.gold_file is None:
        raise InputError("how likely gold points were to be picked (chance=; --chance) needs gold (gold=; --gold).")
    table = whole_table(source, options.identifiers, options.written) if table is None else table
    long = long_reading(table, options)
    if long is not None:
        options, guesses = long
        if guesses:
            table = whole_table(source, options.identifiers, options.written)
        if options.key not in (None, options.task):
            raise InputError(
                f"a long table is keyed by its column {options.task!r}; {options.key!r} is not needed (key=; --key)."
            )
        return replace(read_long(table, options), messages=guesses)
    if {options.task, options.worker} & {*table.column_names}:
        # Sources of a wide table that have these names hold votes, not names: they are not read as text.
        identifiers = [name for name in (options.key, options.by) if name is not None]
        table = whole_table(source, identifiers, options.written)
    try:
        wide = read_wide(table, options, coding)
        _check_one_kind(wide, options)
    except InputError as error:
        roles = role_candidates(table.column_names)
        if sum(map(bool, roles.values())) < 2 or options.layout == "wide":
            raise
        raise InputError(
            f"{error} If the table has a row per vote, name its columns (task=, worker=, label=; "
            "--long TASK WORKER LABEL)."
        ) from None
    return wide


def long_reading(table: Any, options: ReadOptions) -> tuple[ReadOptions, tuple[Message, ...]] | None:
    """How to read a table with a row per vote, and a message where that was guessed; None of a wide table."""
    columns, roles = {*table.column_names}, {*options.roles}
    if is_long(table.column_names, options):
        return options, ()
    wide = options.layout == "wide" or (options.sources is not None and {*split(options.sources, columns)} <= columns)
    keyed = options.key is not None and options.key not in role_candidates(table.column_names)["task"]
    if wide or keyed or roles != {*ReadOptions().roles} or roles <= columns:
        return None
    names = long_names(table, [name for name in (options.key, *options.beside, *options.drop) if name is not None])
    if names is None:
        return None
    words = ", ".join(f"{role} = {name}" for role, name in zip(("task", "worker", "label"), names, strict=True))
    guess = Message("guess", f"Read as a long table: {words}.")
    return replace(options, task=names[0], worker=names[1], label=names[2]), (guess,)


def is_long(names: Sequence[str], options: ReadOptions) -> bool:
    """Whether a table with these columns has a row per vote, by what is said and by the names that were given."""
    return options.layout == "long" or (options.layout is None and {*options.roles} <= {*names})


def _check_one_kind(table: VoteTable, options: ReadOptions) -> None:
    """Refuse text beside numbers: it is a column of something else, or one class is misspelt."""
    if isinstance(table.cells, Coded | Entries):
        return
    votes = {name: cells for name, cells in zip(table.sources, table.cells, strict=True) if isinstance(cells, Column)}
    levels = {name: column.levels for name, column in _as_read(list(votes), votes, options, empty=False).items()}
    texts = [name for name, values in levels.items() if isinstance(values[0], str)]
    if texts and len(texts) < len(levels):
        raise InputError(
            f"{examples(texts)} hold{'s' if len(texts) == 1 else ''} text (such as {examples(levels[texts[0]][:3])}) "
            "and the other sources hold numbers. Leave out what is no source (drop=; --drop), or correct the values."
        )


def read_wide(table: Any, options: ReadOptions, coding: Coding | None = None, first_row: int = 0) -> VoteTable:
    """A row per point, a column per source: all of a table, or the rows from some row on.

    Columns whose kind is stated are decoded as that; what the others hold is inferred from all of them.
    """
    where = "" if first_row == 0 else f" (rows counted from row {first_row + 1:,} on)"
    names, gold = _sources_and_gold(table.column_names, options)
    points = None if options.key is None else keys(table, options.key)
    truth, chances, met = _wide_gold(table, points, gold, options, where)
    cells: Coded | list[Column | Numbers] | None = _coded(table, names, coding)
    stated: dict[str, StatedKind] = {}
    messages: tuple[Message, ...] = ()
    if cells is None:
        columns, stated, reasons = _decoded(table, names, truth, options, where)
        names, messages = list(columns), _dropped(reasons)
        cells = list(columns.values())
    return VoteTable(
        table.num_rows,
        tuple(names),
        cells,
        points,
        truth,
        messages,
        key_name=options.key,
        stated=stated,
        chances=chances,
        by=None if options.by is None else group_column(table, options.by),
        met=met,
    )


def _sources_and_gold(columns: Sequence[str], options: ReadOptions) -> tuple[list[str], str | None]:
    """The columns of the sources, and that of gold; a gold file may have labels of more points than it."""
    gold = options.gold
    if options.gold_file is not None and (gold not in columns or gold in split(options.drop, {*columns})):
        gold = None
    special = dict.fromkeys(name for name in (options.key, *options.beside, gold) if name is not None)
    return pick(columns, options, "column", list(special)), gold


def _wide_gold(
    table: Any, points: AnyArray | None, gold: str | None, options: ReadOptions, where: str
) -> tuple[Column | None, Floats | None, bool]:
    """Gold of the points, how likely each was to be picked, and whether a point is in the gold file."""
    truth = None if gold is None else vote_column(table[gold], f"gold column {gold!r}{where}", options.abstain)
    if options.gold_file is None:
        chances = None if truth is None or options.chance is None else chance_column(table, options.chance)
        return truth, chances, False
    column = None if options.key is None else table[options.key]
    joined, chances, met = joined_gold(points, options, options.key, column)
    return joined if truth is None else joined.filled_from(truth), chances, met


def _coded(table: Any, names: Sequence[str], coding: Coding | None) -> Coded | None:
    """Columns of small whole numbers, looked up byte by byte; None where there are others, or values of no class."""
    columns = [table[name] for name in names]
    if (
        coding is None
        or coding.scales
        or not table.num_rows
        or not all(pa.types.is_integer(column.type) for column in columns)
    ):
        return None
    codes = np.empty((len(names), table.num_rows), dtype=np.int8)
    present = np.zeros((len(names), 256), dtype=bool)

    def decode(place: int) -> bool:
        column = narrow(columns[place])
        if column.type != pa.int8():
            return False
        values, empty = numbers(column)
        octets = values.view(np.uint8)
        if empty is None:
            present[place] = look_up(octets, coding.of_bytes, codes[place])
        else:
            spoken = octets[~empty]
            row = np.empty(len(spoken), dtype=np.int8)
            present[place] = look_up(spoken, coding.of_bytes, row)
            codes[place] = ABSTAIN
            codes[place][~empty] = row
        return True

    if not all(in_threads(decode, len(names))):
        return None
    octets = np.flatnonzero(present.any(axis=0)).astype(np.uint8)
    if (coding.of_bytes[octets] == UNKNOWN).any():
        return None
    return Coded(codes, frozenset(octets.view(np.int8).tolist()))


def _decoded(
    table: Any, names: Sequence[str], truth: Column | None, options: ReadOptions, where: str
) -> tuple[dict[str, Column | Numbers], dict[str, StatedKind], dict[str, str]]:
    """Columns of votes and of scores, what kind the scores are of, and why other columns hold neither."""
    stated = options.stated(names)
    voting = [name for name in names if name not in stated or stated[name].kind == "vote"]
    votes, refused = _vote_columns(table, voting, options, where)
    if not options.scales:
        stated |= _inferred_scores(table, [name for name in voting if name not in stated], votes, truth, options)
    kinds = {name: stated[name] for name in names if name in stated and stated[name].kind != "vote"}
    scores = {name: number_column(table[name], f"column {name!r}{where}", options.abstain) for name in kinds}
    reasons: dict[str, str] = {}
    if options.sources is None and not options.strict:
        reasons = _reasons(table, [name for name in voting if name not in kinds], votes, truth, options, bool(kinds))
    columns: dict[str, Column | Numbers] = {}
    for name in names:
        if name not in reasons:
            if name in refused and name not in kinds:
                raise refused[name]
            columns[name] = scores[name] if name in kinds else votes[name]
    return columns, kinds, {name: reasons[name] for name in names if name in reasons}


def _vote_columns(
    table: Any, names: Sequence[str], options: ReadOptions, where: str
) -> tuple[dict[str, Column], dict[str, InputError]]:
    """The columns that can be read as votes, and why the others cannot."""

    def decode(place: int) -> Column | InputError:
        try:
            return vote_column(table[names[place]], f"column {names[place]!r}{where}", options.abstain)
        except InputError as error:
            return error

    columns = dict(zip(names, in_threads(decode, len(names)), strict=True))
    return (
        {name: column for name, column in columns.items() if isinstance(column, Column)},
        {name: error for name, error in columns.items() if isinstance(error, InputError)},
    )


def _inferred_scores(
    table: Any, names: Sequence[str], votes: dict[str, Column], truth: Column | None, options: ReadOptions
) -> dict[str, StatedKind]:
    """Columns of numbers that give scores, where nobody says what they hold."""
    measured = {}
    for name in names:
        if name not in votes and is_numeric(table[name]):
            with suppress(InputError):  # NaN and infinity: the column is refused for that anyway
                measured[name] = number_column(table[name], f"column {name!r}", options.abstain)
    return guessed_scores(_as_read(names, votes, options, empty=False), measured, _gold_levels(truth, options))


def _reasons(
    table: Any,
    names: Sequence[str],
    votes: dict[str, Column],
    truth: Column | None,
    options: ReadOptions,
    has_scores: bool,
) -> dict[str, str]:
    """Why columns hold no votes, by name."""
    odd = {name: why_no_votes(table[name]) for name in names if name not in votes}
    plainly = {name: reason for name, reason in odd.items() if reason is not None}
    if has_scores and len(odd) == len(names):
        return plainly
    return no_votes(_as_read(names, votes, options), plainly, _gold_levels(truth, options))


def _as_read(
    names: Sequence[str], votes: dict[str, Column], options: ReadOptions, empty: bool = True
) -> dict[str, Column]:
    """Columns of votes with their values as they are read; empty ones, too, where asked for."""
    columns = {name: votes[name] for name in names if name in votes and (empty or votes[name].levels)}
    return dict(zip(columns, as_read(list(columns.values()), options.spelling), strict=True))


def _gold_levels(truth: Column | None, options: ReadOptions) -> list[Label]:
    return [] if truth is None else as_read([truth], options.spelling)[0].levels


def _dropped(reasons: dict[str, str]) -> tuple[Message, ...]:
    """What is no source, and the first column of it that may hold scores."""
    if not reasons:
        return ()
    words = f"Set aside, no votes: {', '.join(f'{name} ({reason})' for name, reason in reasons.items())}."
    fraction = next((name for name, reason in reasons.items() if reason == FRACTIONS), None)
    if fraction is None:
        return (Message("dropped", words),)
    option = f"--kind {fraction}=score"
    words += f" Where they are scores, say so (kinds={{{fraction!r}: 'score'}}; {option})."
    return (Message("dropped", words, shlex.join(["--kind", f"{fraction}=score"])),)
