"""Tables that are read part by part, as often as asked: files that are larger than memory, folders of them, queries."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv
from pyarrow import json as arrow_json

from karat.errors import InputError, examples
from karat.io.files import check_apart
from karat.io.formats import (
    PANDAS_INDEX,
    TEXT_BLOCK,
    arrow_table,
    as_numbers,
    check_file,
    csv_options,
    narrow_table,
    reason,
    suffix_of,
)
from karat.io.query import answered, exists, is_query

MANY_ROWS = 1 << 20  # a table of more is read part by part
MANY_BYTES = 1 << 26  # the same of text and Arrow files, which do not say how many rows they hold
BATCH = 1 << 17  # rows of a part at most
CELLS = 1 << 23  # of a part, about, where a table has many columns
PIECE = 1 << 19  # rows, at least, of a piece of a file that is opened anew for it


def batch_rows(columns: int) -> int:
    """Rows of a part of a table with so many columns.

    >>> batch_rows(20), batch_rows(1000)
    (131072, 8388)
    """
    return max(min(BATCH, CELLS // max(columns, 1)), 1)


@runtime_checkable
class Stream(Protocol):
    """A table that is read part by part."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def rows(self) -> int | None:
        """How many rows there are; None where nobody knows before they are read."""
        ...

    @property
    def schema(self) -> Any:
        """Names and types of the columns."""
        ...

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Record batches of some columns, in the order of the rows."""
        ...


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a Parquet file, one after the other, which a core can read while others read other ones.

    Parameters
    ----------
    path : Path
    groups : range
        Which they are.
    sizes : tuple of int
        How many rows each row group of the whole file has.
    first_row : int
        The number of the first row, among those of all files.
    """

    path: Path
    groups: range
    sizes: tuple[int, ...]
    first_row: int = 0

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.sizes[group] for group in self.groups)

    def batches(self, columns: Sequence[str], use_threads: bool = False) -> Iterator[Any]:
        """Record batches of some columns, in the order of the rows; read by all cores, if `use_threads`."""
        read, path = 0, str(self.path)
        # Not read ahead, which would hold all of the file.
        with readable(self.path), pq.ParquetFile(self.path, pre_buffer=False) as file:
            if file.metadata.num_rows != sum(self.sizes) or file.metadata.num_row_groups != len(self.sizes):
                raise InputError(f"{path!r} changed while it was read. Try again when nobody writes to it.")
            for batch in file.iter_batches(
                batch_rows(len(columns)), row_groups=list(self.groups), columns=list(columns), use_threads=use_threads
            ):
                read += len(batch)
                yield batch.select(list(columns))
        if read != self.rows:
            raise InputError(f"{path!r} holds {read:,} rows and says {self.rows:,}: it is damaged.")


@dataclass(frozen=True)
class ParquetFiles:
    """One Parquet file, or several that have the same columns, one after the other."""

    files: tuple[RowGroups, ...]
    schema: Any

    @classmethod
    def of(cls, paths: Sequence[Path]) -> ParquetFiles:
        """Look at the ends of the files, which tell what they hold."""
        files: list[RowGroups] = []
        schemas = []
        for path in paths:
            check_file(path)
            with readable(path), pq.ParquetFile(path) as file:
                held = file.metadata
                sizes = tuple(held.row_group(group).num_rows for group in range(held.num_row_groups))
                files.append(RowGroups(path, range(len(sizes)), sizes, sum(file.rows for file in files)))
                schemas.append(file.schema_arrow.remove_metadata())
        for path, schema in zip(paths, schemas, strict=True):
            if schema.names != schemas[0].names:
                missing = sorted({*schema.names} ^ {*schemas[0].names}) or list(schema.names)
                raise InputError(
                    f"{str(path)!r} and {str(paths[0])!r} must have the same columns in the same order, and differ in "
                    f"{examples(missing)}. Name files of one kind."
                )
        return cls(tuple(files), schemas[0])

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.files[0].path) + (f" and {len(self.files) - 1:,} more" if len(self.files) > 1 else "")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(file.rows for file in self.files)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Record batches of some columns, in the order of the rows."""
        for file in self.files:
            yield from file.batches(columns, use_threads=True)

    def pieces(self) -> list[RowGroups]:
        """All of it in pieces that can be read beside each other: whole row groups, of many rows where they are few."""
        found = []
        for file in self.files:
            first, first_row, rows = 0, file.first_row, 0
            for group, size in enumerate(file.sizes):
                rows += size
                if rows >= PIECE or (rows and group + 1 == len(file.sizes)):
                    found.append(RowGroups(file.path, range(first, group + 1), file.sizes, first_row))
                    first, first_row, rows = group + 1, first_row + rows, 0
        return found


@dataclass(frozen=True)
class _OneFile:
    """A file that does not say how many rows it has."""

    path: Path

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.path)

    @property
    def rows(self) -> None:
        """Nobody knows before it is read."""
        return None


@dataclass(frozen=True)
class TextFile(_OneFile):
    """A CSV, TSV or JSON-lines file, perhaps compressed.

    Parameters
    ----------
    path : Path
    open : callable
        Opens a reader of batches.
    schema : Arrow schema
    """

    open: Callable[[], Any]
    schema: Any

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Record batches of some columns, in the order of the rows."""
        with readable(self.path), self.open() as reader:
            yield from larger(batch.select(list(columns)) for batch in reader)


def larger(batches: Iterable[Any]) -> Iterator[Any]:
    """The same rows in fewer batches."""
    waiting: list[Any] = []
    for batch in batches:
        if waiting and sum(map(len, waiting)) + len(batch) > BATCH:
            yield pa.concat_batches(waiting)
            waiting = []
        waiting.append(batch)
    if waiting:
        yield pa.concat_batches(waiting)


@dataclass(frozen=True)
class ArrowFile(_OneFile):
    """An Arrow file or stream; read, not mapped into memory: a file that is cut meanwhile would end the process."""

    schema: Any

    @classmethod
    def of(cls, path: Path) -> ArrowFile:
        """Look at the beginning of the file."""
        with readable(path), _arrow_reader(path) as (_, schema):
            return cls(path, schema)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Record batches of some columns, in the order of the rows."""
        with readable(self.path), _arrow_reader(self.path) as (batches, _):
            for batch in batches:
                batch.validate(full=True)
                wanted, rows = batch.select(list(columns)), batch_rows(len(columns))
                for low in range(0, len(wanted), rows):
                    yield wanted.slice(low, rows)


@contextmanager
def _arrow_reader(path: Path) -> Iterator[tuple[Iterator[Any], Any]]:
    """The batches and the schema of an Arrow file, or of a stream in a file."""
    with pa.OSFile(str(path)) as file:
        try:
            opened = pa.ipc.open_file(file)
        except pa.ArrowInvalid:
            file.seek(0)
            stream = pa.ipc.open_stream(file)
            yield iter(stream), stream.schema
        else:
            yield (opened.get_batch(i) for i in range(opened.num_record_batches)), opened.schema


@dataclass(frozen=True)
class Query:
    """What DuckDB answers to a query, asked anew whenever it is read."""

    text: str
    schema: Any
    written: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return "the query"

    @property
    def rows(self) -> None:
        """Nobody knows before it is read."""
        return None

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Record batches of some columns, in the order of the rows."""
        with answered(self.text) as (reader, opened):
            for batch in reader(batch_rows(len(columns))):
                yield batch.select(list(columns))
            check_apart(opened(), self.written)


def open_stream(source: Any, text: Sequence[str], written: Sequence[str]) -> Stream | Any:
    """A table that is to be read part by part; where it is small, or in memory, what is to be read whole.

    Parameters
    ----------
    text, written
        As in `karat.io.formats.arrow_table`.
    """
    if isinstance(source, str) and is_query(source):
        return _query(source, written)
    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    paths = _several(path)
    check_apart([path] if paths is None else paths, written)
    stream = _file(path, text) if paths is None else ParquetFiles.of(paths)
    if stream is None:
        return source
    names = list(stream.schema.names)
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(f"column names must differ; {examples(repeated)} occur more than once. Rename them.")
    if stream.rows is not None and stream.rows <= MANY_ROWS:
        return pa.Table.from_batches(stream.batches(names), stream.schema)
    return stream


def _file(path: Path, text: Sequence[str]) -> Stream | None:
    """A file that is large; None of one that is small, or that will be refused where it is read whole."""
    if not exists(path) or not path.is_file() or path.stat().st_size == 0:
        return None
    suffix, large = suffix_of(path), path.stat().st_size > MANY_BYTES
    if suffix == ".parquet":
        with readable(path), pq.ParquetFile(path) as file:
            large = file.metadata.num_rows > MANY_ROWS
        return ParquetFiles.of([path]) if large else None
    if not large:
        return None
    if suffix in (".csv", ".tsv"):
        return _csv(path, text)
    if suffix in (".jsonl", ".ndjson"):
        return _json_lines(path, text)
    return ArrowFile.of(path) if suffix in (".arrow", ".feather") else None


def _several(path: Path) -> list[Path] | None:
    """The Parquet files in a folder, or that a pattern names, in the order of their names; None of anything else."""
    if exists(path) and not path.is_dir():
        return None
    if exists(path):
        found = sorted(file for file in path.rglob("*.parquet") if not _hidden(file.relative_to(path)))
        if not found:
            raise InputError(f"{str(path)!r} is a folder without a .parquet file; name a file in it.")
        return found
    if not glob.has_magic(str(path)):
        return None
    found = [Path(name) for name in sorted(glob.glob(str(path), recursive=True)) if Path(name).is_file()]
    if not found:
        raise InputError(f"no file is named like {str(path)!r}.")
    other = [str(file) for file in found if suffix_of(file) != ".parquet"]
    if other:
        raise InputError(f"several files are read where all are Parquet; {examples(other)} are not.")
    return found


def files_of(path: str | Path, written: Sequence[str] = ()) -> list[Path]:
    """The Parquet files that a path, a folder or a pattern names, in the order in which they are read."""
    found = _several(Path(path)) or [Path(path)]
    check_apart(found, written)
    return found


def _hidden(path: Path) -> bool:
    """What Spark and others leave beside their data: names that begin with a dot or an underscore."""
    return any(part.startswith((".", "_")) for part in path.parts)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say which file cannot be read, and why."""
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, OverflowError) as error:
        raise InputError(f"cannot read {str(path)!r}: {reason(error)}.") from error


def _csv(path: Path, text: Sequence[str]) -> TextFile:
    """A CSV file; types are those of all of it, not of its beginning alone."""
    parse, convert = csv_options(path, text)
    blocks = csv.ReadOptions(block_size=TEXT_BLOCK)

    def open_as(types: dict[str, Any]) -> Any:
        convert.column_types = types
        return csv.open_csv(pa.input_stream(str(path)), blocks, parse, convert)

    with readable(path), open_as(dict.fromkeys(text, pa.string())) as reader:
        guessed = reader.schema
    with readable(path):
        types = _types_throughout(open_as, guessed, text)
    return TextFile(path, lambda: open_as(types), pa.schema(list(types.items())))


def _types_throughout(open_as: Callable[[dict[str, Any]], Any], guessed: Any, text: Sequence[str]) -> dict[str, Any]:
    """The types of the columns, from their beginning where that is right, else from all of their text."""
    known = {field.name: field.type for field in guessed}
    try:
        with open_as(known) as reader:
            empty = {name for name, kind in known.items() if pa.types.is_null(kind)}
            for batch in reader:
                empty -= {name for name in empty if batch[name].null_count < len(batch)}
            return known
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise
    found: dict[str, Any] = dict.fromkeys(known, pa.null())
    with open_as(dict.fromkeys(known, pa.string())) as reader:
        for batch in reader:
            for name in known:
                if name not in text:
                    found[name] = _wider(found[name], as_numbers(batch[name]).type)
    return {name: pa.string() if name in text else kind for name, kind in found.items()}


def _wider(one: Any, other: Any) -> Any:
    """The type that holds the values of both: whole numbers, numbers, or text."""
    order = [pa.null(), pa.int64(), pa.float64()]
    places = [order.index(kind) if kind in order else len(order) for kind in (one, other)]
    return [*order, pa.string()][max(places)]


def _json_lines(path: Path, text: Sequence[str]) -> TextFile:
    def open_as(kinds: Any = None) -> Any:
        options = arrow_json.ReadOptions(block_size=TEXT_BLOCK)
        return arrow_json.open_json(pa.input_stream(str(path)), options, arrow_json.ParseOptions(explicit_schema=kinds))

    with readable(path), open_as() as reader:
        schema = reader.schema
    # A text that reads like a time was taken for one, and would not be written as it was.
    kinds = pa.schema([
        pa.field(field.name, pa.string()) if field.name in text and pa.types.is_temporal(field.type) else field
        for field in schema
    ])  # fmt: skip
    return TextFile(path, lambda: open_as(kinds), kinds)


def _query(text: str, written: Sequence[str]) -> Query | Any:
    """A query whose answer has many rows, or the answer."""
    with answered(text) as (reader, opened):
        batches, found, rows = reader(BATCH), [], 0
        for batch in batches:
            found.append(batch)
            rows += len(batch)
            if rows > MANY_ROWS:
                return Query(text, batches.schema, tuple(written))
        check_apart(opened(), written)
        return pa.Table.from_batches(found, batches.schema)


def whole_table(source: Any, text: Sequence[str], written: Sequence[str]) -> Any:
    """All of a table as `karat.io.formats.arrow_table` gives it, of folders and of files of any size, too."""
    opened = open_stream(source, text, written)
    if isinstance(opened, Stream):
        opened = narrow_table(opened.schema, opened.batches(list(opened.schema.names)))
    return arrow_table(opened, text, written)


def without_index(names: Sequence[str]) -> list[str]:
    """Names of columns but for the index that pandas writes."""
    return [name for name in names if not PANDAS_INDEX.fullmatch(name)]
