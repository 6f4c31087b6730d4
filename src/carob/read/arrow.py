"""Columns of Arrow tables as `Column`, and as identifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from carob._types import Abstains, AnyArray, Bools, Floats, Ints
from carob.errors import InputError
from carob.read.coding import silent_numbers
from carob.votes.columns import MAX_LEVELS, Column, names_array
from carob.votes.scales import Numbers

FRACTIONS = "fractions"  # what a column holds that may be scores


def vote_column(column: Any, where: str, abstain: Abstains) -> Column:
    """An Arrow column as a `Column`."""
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array(
            [_plain_text(chunk.dictionary).take(chunk.indices) for chunk in column.chunks] or [pa.nulls(0)]
        )
    kind = column.type
    if pa.types.is_null(kind):
        return Column(where, [], np.full(len(column), -1, dtype=np.int16))
    if _is_text(kind):
        coded = _encoded(_plain_text(column))
        cells = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return Column.trimmed(where, coded.dictionary.to_pylist(), cells)
    if pa.types.is_binary(kind):
        raise InputError(f"{where} holds bytes that are not UTF-8 text. Convert the file to UTF-8 first.")
    if not (pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise InputError(
            f"{where} is of type {kind}; a vote is a number, a boolean or text. Leave the column out (drop=; --drop), "
            "or name it as the key of the points (key=; --key)."
        )
    values, empty = numbers(column)
    return Column.of(values, empty, where, abstain)


def is_numeric(column: Any) -> bool:
    """Whether an Arrow column holds numbers."""
    return pa.types.is_integer(column.type) or pa.types.is_floating(column.type)


def number_column(column: Any, where: str, abstain: Abstains) -> Numbers:
    """An Arrow column as scores."""
    if pa.types.is_null(column.type):
        return Numbers(where, np.full(len(column), np.nan))
    if not is_numeric(column):  # which is refused there
        return Numbers.of(np.array(column.drop_null().slice(0, 3).to_pylist(), dtype=object), None, where, [])
    values, empty = numbers(column)
    return Numbers.of(values, empty, where, silent_numbers(abstain))


def chance_column(table: Any, name: str) -> Floats:
    """The chance of each row to be picked, NaN in an empty cell."""
    return number_column(table[name], f"column {name!r}", None).values


def group_column(table: Any, name: str) -> AnyArray:
    """The group that each row is in, as text, empty where none is named."""
    return names_array(["" if value is None else str(value) for value in table[name].to_pylist()])


def numbers(column: Any) -> tuple[AnyArray, Bools | None]:
    """Numbers or booleans of an Arrow column, 0 in empty cells, and which cells are empty; None where none is.

    By DLPack: `to_numpy` of Arrow loads pandas wherever that is installed, which takes longer than many a fit.
    """
    array = one_chunk(column)
    boolean = pa.types.is_boolean(array.type)
    array = array.cast(pa.uint8()) if boolean else array
    empty = None
    if array.null_count:
        empty = np.from_dlpack(array.is_null().cast(pa.uint8())).view(bool)
        array = pa.Array.from_buffers(array.type, len(array), [None, array.buffers()[1]], offset=array.offset)
    values = np.from_dlpack(array)
    if empty is not None:
        values = np.where(empty, values.dtype.type(0), values)
    return values.view(bool) if boolean else values, empty


def one_chunk(column: Any) -> Any:
    """An Arrow column as one array; `combine_chunks` of one chunk would copy it."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def narrow(column: Any) -> Any:
    """Whole numbers from -128 to 127 as bytes; anything else as it is."""
    if not pa.types.is_integer(column.type) or column.type == pa.int8():
        return column
    import pyarrow.compute as pc  # takes as long as all else of pyarrow, and is not needed for bytes

    ends = pc.min_max(column).as_py()
    if ends["min"] is None or ends["min"] < -128 or ends["max"] > 127:
        return column
    return column.cast(pa.int8())


def why_no_votes(column: Any) -> str | None:
    """What an Arrow column that was refused holds instead of votes; None where votes may be in it all the same."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_temporal(kind):
        return "dates"
    if pa.types.is_floating(kind):
        values, _ = numbers(column)  # empty cells are 0, which is whole
        values = values[np.isfinite(values)]
        if (values != np.floor(values)).any():
            return FRACTIONS
    elif not (_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        return f"of type {kind}"
    different = len(column.unique())
    return f"{different:,} different values" if different > MAX_LEVELS else None


def _plain_text(values: Any) -> Any:
    """Arrow text of any kind as the one kind that all of Arrow's functions take; other values as they are."""
    return values.cast(pa.large_string()) if _is_text(values.type) else values


def _is_text(kind: Any) -> bool:
    return any(is_kind(kind) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _encoded(column: Any) -> Any:
    """A column as one array of places in a dictionary of its values."""
    coded = column.combine_chunks().dictionary_encode()
    return one_chunk(coded)


def identifiers(table: Any, name: str) -> tuple[list[Any], Ints]:
    """Distinct values of an identifier column in their first order, and which of them each row holds."""
    _check_identifier(table, name)
    coded = _encoded(table[name])
    if coded.null_count:
        raise InputError(f"column {name!r} is empty in {coded.null_count:,} rows; every row needs one.")
    return coded.dictionary.to_pylist(), numbers(coded.indices)[0].astype(np.int64)


def keys(table: Any, name: str) -> AnyArray:
    """The column that identifies points."""
    _check_identifier(table, name)
    column = table[name]
    if column.null_count:
        raise InputError(f"key column {name!r} is empty in {column.null_count:,} rows; every point needs a key.")
    return np.asarray(column.to_numpy())


def _check_identifier(table: Any, name: str) -> None:
    if pa.types.is_nested(table[name].type):
        raise InputError(f"column {name!r} is of type {table[name].type}; an identifier is a number or text.")
