"""What a browser hands over: limits on it, and a first look at its columns. Nothing is written to disk."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from carob.errors import InputError
from carob.read.formats import FileContent, arrow_table
from carob.read.infer import long_names
from carob.read.table import ReadOptions

_GOLD = ("gold", "y", "truth", "true_label", "ground_truth", "target", "human", "gold_label")
_KEYS = ("id", "key", "row_id", "point", "uid")
_TEXTS = ("text", "message", "review", "content", "question", "prompt", "sentence", "document", "comment", "title")


@dataclass(frozen=True)
class Limits:
    """How much may be handed over."""

    megabytes: int = 200  # of a file, also once it is no longer compressed
    rows: int = 2_000_000
    columns: int = 5_000

    @property
    def bytes(self) -> int:
        """Of a file."""
        return self.megabytes << 20


@dataclass(frozen=True, eq=False)
class Upload:
    """A file with its columns."""

    file: FileContent
    columns: tuple[str, ...]
    table: Any  # as it stands in the file
    # gold, key, text: columns that seem to hold gold labels, names of points, and texts to read
    gold: str | None
    key: str | None
    text: str | None
    long: bool  # whether it seems to have a row per vote


def read_upload(name: str, content: bytes, limits: Limits) -> Upload:
    """Look into a file."""
    plain = PureWindowsPath(PurePosixPath(name).name).name or "file"
    if not content:
        raise InputError(f"{plain!r} is empty.")
    if len(content) > limits.bytes:
        raise InputError(_too_large(plain, limits))
    if plain.lower().endswith(".gz"):
        plain, content = plain[:-3], _inflated(plain, content, limits)
    _check_parquet(plain, content, limits)
    file = FileContent(plain, content)
    table = arrow_table(file)
    _check_size(plain, table.num_rows, table.num_columns, limits)
    columns = tuple(table.column_names)
    gold, text = _named(columns, _GOLD), _text_column(table)
    roles: tuple[str, ...] | None = ReadOptions().roles
    if not {*ReadOptions().roles} <= {*columns}:
        roles = long_names(table, [name for name in (gold, text) if name])
    if roles is None:
        return Upload(file, columns, table, gold, _named(columns, _KEYS), text, False)
    return Upload(file, columns, table, gold, None, None if text in roles else text, True)


def _too_large(name: str, limits: Limits) -> str:
    return (
        f"{name!r} has more than {limits.megabytes:,} MB. Use the command line, which has no such limit, or start "
        "carob serve with a higher --max-mb."
    )


def _inflated(name: str, content: bytes, limits: Limits) -> bytes:
    """What was compressed, unless it is more than may be."""
    inflate = zlib.decompressobj(wbits=31)
    try:
        plain = inflate.decompress(content, limits.bytes + 1)
    except zlib.error as error:
        raise InputError(f"cannot read {name!r}: {error}.") from error
    if len(plain) > limits.bytes:
        raise InputError(_too_large(name, limits))
    if not inflate.eof:
        raise InputError(f"cannot read {name!r}: the file ends too early.")
    return plain


def _check_parquet(name: str, content: bytes, limits: Limits) -> None:
    """A small Parquet file may hold a huge table: its own words on that are read first."""
    if not name.lower().endswith(".parquet"):
        return
    try:
        about = pq.ParquetFile(pa.BufferReader(content)).metadata
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"cannot read {name!r}: {str(error).rstrip('.')}.") from error
    size = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
    if size > 4 * limits.bytes:
        raise InputError(_too_large(name, limits))
    _check_size(name, about.num_rows, about.num_columns, limits)


def _check_size(name: str, rows: int, columns: int, limits: Limits) -> None:
    if rows > limits.rows or columns > limits.columns:
        raise InputError(
            f"{name!r} has {rows:,} rows and {columns:,} columns; this page takes {limits.rows:,} and "
            f"{limits.columns:,}. Use the command line, which has no such limit."
        )


def _named(columns: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    by_name = {column.strip().lower(): column for column in columns}
    return next((by_name[name] for name in names if name in by_name), None)


def _text_column(table: Any) -> str | None:
    """A column that is called so, or else the one with the longest texts."""
    found = _named(tuple(table.column_names), _TEXTS)
    if found is not None:
        return found
    lengths = {}
    for field in table.schema:
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            some = [value for value in table[field.name].slice(0, 200).to_pylist() if value]
            lengths[field.name] = sum(map(len, some)) / len(some) if some else 0.0
    longest = max(lengths, key=lambda name: lengths[name], default=None)
    return longest if longest is not None and lengths[longest] >= 25 else None
