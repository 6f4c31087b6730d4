"""What is to be read part by part, as it is larger than memory or may be: files of every kind, folders, queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv
from pyarrow import json as arrow_json

from carob.errors import InputError, examples
from carob.read.files import check_apart
from carob.read.formats import (
    PANDAS_INDEX,
    TEXT_BLOCK,
    arrow_table,
    as_numbers,
    csv_options,
    narrow_table,
    suffix_of,
)
from carob.read.parquet_files import ParquetFiles, several_files
from carob.read.parts import Stream, batch_rows, readable
from carob.read.query import answered, exists, is_query

MANY_ROWS = 1 << 20  # a table of more is read part by part
MANY_BYTES = 1 << 26  # the same of text and Arrow files, which do not say how many rows they hold


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
        if waiting and sum(map(len, waiting)) + len(batch) > batch_rows(batch.num_columns):
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
        As in `carob.read.formats.arrow_table`.
    """
    if isinstance(source, str) and is_query(source):
        return _query(source, written)
    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    paths = several_files(path)
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
        batches, found, rows = reader(batch_rows(1)), [], 0
        for batch in batches:
            found.append(batch)
            rows += len(batch)
            if rows > MANY_ROWS:
                return Query(text, batches.schema, tuple(written))
        check_apart(opened(), written)
        return pa.Table.from_batches(found, batches.schema)


def whole_table(source: Any, text: Sequence[str], written: Sequence[str]) -> Any:
    """All of a table as `carob.read.formats.arrow_table` gives it, of folders and of files of any size, too."""
    opened = open_stream(source, text, written)
    if isinstance(opened, Stream):
        opened = narrow_table(opened.schema, opened.batches(list(opened.schema.names)))
    return arrow_table(opened, text, written)


def without_index(names: Sequence[str]) -> list[str]:
    """Names of columns but for the index that pandas writes."""
    return [name for name in names if not PANDAS_INDEX.fullmatch(name)]
