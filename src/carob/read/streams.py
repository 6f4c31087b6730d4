"""Tables that are read chunk by chunk, as they are larger than memory or may be: files, folders and patterns, queries.

A Parquet file also comes in chunks of row groups, which cores can read beside each other.
"""

from __future__ import annotations

import glob
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
from carob.read.arrow import narrow
from carob.read.files import check_apart
from carob.read.formats import TEXT_BLOCK, arrow_table, as_numbers, check_file, csv_options, reason, suffix_of
from carob.read.query import answered, exists, is_query

MANY_ROWS = 1 << 20  # a table of more is read chunk by chunk
MANY_BYTES = 1 << 26  # the same of text and Arrow files, which do not say how many rows they hold
BATCH = 1 << 17  # rows of a batch at most
CELLS = 1 << 23  # of a batch, about, where a table has many columns
CHUNK_ROWS = 1 << 19  # rows, at least, of a chunk of a Parquet file that is opened anew for it


def batch_rows(columns: int) -> int:
    """Rows of a batch of a table with so many columns.

    >>> batch_rows(20), batch_rows(1000)
    (131072, 8388)
    """
    return max(min(BATCH, CELLS // max(columns, 1)), 1)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say which file cannot be read, and why."""
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, OverflowError) as error:
        raise InputError(f"cannot read {str(path)!r}: {reason(error)}.") from error


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a Parquet file, one after the other."""

    path: Path
    groups: range  # which they are
    sizes: tuple[int, ...]  # how many rows each row group of the whole file has
    first_row: int = 0  # the number of the first row, among those of all files

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.sizes[group] for group in self.groups)

    def batches(self, columns: Sequence[str], use_threads: bool = False) -> Iterator[Any]:
        """Record batches of some columns, in the order of the rows; read by all cores, if `use_threads`."""
        rows, path = 0, str(self.path)
        # Not read ahead, which would hold all of the file.
        with readable(self.path), pq.ParquetFile(self.path, pre_buffer=False) as file:
            if file.metadata.num_rows != sum(self.sizes) or file.metadata.num_row_groups != len(self.sizes):
                raise InputError(f"{path!r} changed while it was read. Try again when nobody writes to it.")
            for batch in file.iter_batches(
                batch_rows(len(columns)), row_groups=list(self.groups), columns=list(columns), use_threads=use_threads
            ):
                rows += len(batch)
                yield batch.select(list(columns))
        if rows != self.rows:
            raise InputError(f"{path!r} holds {rows:,} rows and says {self.rows:,}: it is damaged.")


@dataclass(frozen=True, eq=False)
class Stream:
    """A table that is read chunk by chunk."""

    name: str  # what it is called
    schema: Any
    batches: Callable[[Sequence[str]], Iterator[Any]]  # record batches of some columns, in the order of the rows
    files: tuple[RowGroups, ...] = ()  # where it is made of Parquet files; else empty

    @property
    def rows(self) -> int | None:
        """How many rows there are; None where nobody knows before they are read."""
        return sum(file.rows for file in self.files) if self.files else None

    def chunks(self) -> list[RowGroups]:
        """Parquet files in chunks that can be read beside each other: whole row groups, of many rows where they are."""
        chunks = []
        for file in self.files:
            first, first_row, rows = 0, file.first_row, 0
            for group, size in enumerate(file.sizes):
                rows += size
                if rows >= CHUNK_ROWS or (rows and group + 1 == len(file.sizes)):
                    chunks.append(RowGroups(file.path, range(first, group + 1), file.sizes, first_row))
                    first, first_row, rows = group + 1, first_row + rows, 0
        return chunks


def open_stream(source: Any, text: Sequence[str], written: Sequence[str]) -> Stream | Any:
    """A table that is to be read chunk by chunk; where it is small, or in memory, what is to be read whole.

    `text` and `written`: as in `carob.read.formats.arrow_table`.
    """
    if isinstance(source, str) and is_query(source):
        return _query(source, written)
    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    paths = _several_files(path)
    check_apart([path] if paths is None else paths, written)
    stream = _file(path, text) if paths is None else parquet_stream(paths)
    if stream is None:
        return source
    names = list(stream.schema.names)
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(f"column names must differ; {examples(repeated)} occur more than once. Rename them.")
    if stream.rows is not None and stream.rows <= MANY_ROWS:
        return pa.Table.from_batches(stream.batches(names), stream.schema)
    return stream


def whole_table(source: Any, text: Sequence[str], written: Sequence[str]) -> Any:
    """All of a table as `carob.read.formats.arrow_table` gives it, of folders and of files of any size, too."""
    opened = open_stream(source, text, written)
    return arrow_table(_narrow_table(opened) if isinstance(opened, Stream) else opened, text, written)


def _narrow_table(stream: Stream) -> Any:
    """A table in memory, whose columns of small whole numbers take a byte a cell."""
    columns: list[list[Any]] = [[] for _ in stream.schema]
    for batch in stream.batches(list(stream.schema.names)):
        for chunks, column in zip(columns, batch.columns, strict=True):
            chunks.append(narrow(column))
    for field, chunks in zip(stream.schema, columns, strict=True):
        if len({chunk.type for chunk in chunks}) > 1:  # some batches hold large numbers
            chunks[:] = [chunk.cast(field.type) for chunk in chunks]
    return pa.table([pa.chunked_array(chunks) for chunks in columns], names=stream.schema.names)


def _file(path: Path, text: Sequence[str]) -> Stream | None:
    """A file that is large; None of one that is small, or that will be refused where it is read whole."""
    if not exists(path) or not path.is_file() or path.stat().st_size == 0:
        return None
    suffix = suffix_of(path)
    if suffix == ".parquet":
        with readable(path), pq.ParquetFile(path) as file:
            large = file.metadata.num_rows > MANY_ROWS
        return parquet_stream([path]) if large else None
    if path.stat().st_size <= MANY_BYTES:
        return None
    if suffix in (".csv", ".tsv"):
        return _csv(path, text)
    if suffix in (".jsonl", ".ndjson"):
        return _json_lines(path, text)
    return _arrow(path) if suffix in (".arrow", ".feather") else None


def parquet_stream(paths: Sequence[Path]) -> Stream:
    """One Parquet file, or several that have the same columns, one after the other, by what their ends tell."""
    files: list[RowGroups] = []
    schemas = []
    for path in paths:
        check_file(path)
        with readable(path), pq.ParquetFile(path) as file:
            sizes = tuple(file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups))
            files.append(RowGroups(path, range(len(sizes)), sizes, sum(before.rows for before in files)))
            schemas.append(file.schema_arrow.remove_metadata())
    for path, schema in zip(paths, schemas, strict=True):
        if schema.names != schemas[0].names:
            missing = sorted({*schema.names} ^ {*schemas[0].names}) or list(schema.names)
            raise InputError(
                f"{str(path)!r} and {str(paths[0])!r} must have the same columns in the same order, and differ in "
                f"{examples(missing)}. Name files of one kind."
            )

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        for file in files:
            yield from file.batches(columns, use_threads=True)

    more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
    return Stream(f"{paths[0]}{more}", schemas[0], batches, tuple(files))


def files_of(path: str | Path, written: Sequence[str] = ()) -> list[Path]:
    """The Parquet files that a path, a folder or a pattern names, in the order in which they are read."""
    paths = _several_files(Path(path)) or [Path(path)]
    check_apart(paths, written)
    return paths


def _several_files(path: Path) -> list[Path] | None:
    """The Parquet files in a folder, or that a pattern names, in the order of their names; None of anything else."""
    if exists(path) and path.is_dir():
        # Names that begin with a dot or an underscore are what Spark and others leave beside their data.
        paths = sorted(
            file for file in path.rglob("*.parquet")
            if not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
        )  # fmt: skip
        if not paths:
            raise InputError(f"{str(path)!r} is a folder without a .parquet file; name a file in it.")
        return paths
    if exists(path) or not glob.has_magic(str(path)):
        return None
    paths = [Path(name) for name in sorted(glob.glob(str(path), recursive=True)) if Path(name).is_file()]
    if not paths:
        raise InputError(f"no file is named like {str(path)!r}.")
    other = [str(file) for file in paths if suffix_of(file) != ".parquet"]
    if other:
        raise InputError(f"several files are read where all are Parquet; {examples(other)} are not.")
    return paths


def _text_stream(path: Path, open_reader: Callable[[], Any], schema: Any) -> Stream:
    """A CSV, TSV or JSON-lines file, perhaps compressed, whose small blocks are put together."""

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        with readable(path), open_reader() as reader:
            waiting: list[Any] = []
            for block in reader:
                batch = block.select(list(columns))
                if waiting and sum(map(len, waiting)) + len(batch) > batch_rows(len(columns)):
                    yield pa.concat_batches(waiting)
                    waiting = []
                waiting.append(batch)
            if waiting:
                yield pa.concat_batches(waiting)

    return Stream(str(path), schema, batches)


def _csv(path: Path, text: Sequence[str]) -> Stream:
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
    return _text_stream(path, lambda: open_as(types), pa.schema(list(types.items())))


def _types_throughout(open_as: Callable[[dict[str, Any]], Any], guessed: Any, text: Sequence[str]) -> dict[str, Any]:
    """The types of the columns, from their beginning where that is right, else from all of their text."""
    types = {field.name: field.type for field in guessed}
    try:
        with open_as(types) as reader:
            for _ in reader:
                pass
            return types
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise
    order = [pa.null(), pa.int64(), pa.float64(), pa.string()]  # each holds the values of those before
    widest = dict.fromkeys(types, 0)
    with open_as(dict.fromkeys(types, pa.string())) as reader:
        for batch in reader:
            for name in types:
                if name not in text:
                    kind = as_numbers(batch[name]).type
                    widest[name] = max(widest[name], order.index(kind) if kind in order else 3)
    return {name: pa.string() if name in text else order[place] for name, place in widest.items()}


def _json_lines(path: Path, text: Sequence[str]) -> Stream:
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
    return _text_stream(path, lambda: open_as(kinds), kinds)


def _arrow(path: Path) -> Stream:
    """An Arrow file or stream; read, not mapped into memory: a file that is cut meanwhile would end the process."""
    with readable(path), _arrow_reader(path) as (_, schema):
        pass

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        with readable(path), _arrow_reader(path) as (whole, _):
            for batch in whole:
                batch.validate(full=True)
                wanted, rows = batch.select(list(columns)), batch_rows(len(columns))
                for low in range(0, len(wanted), rows):
                    yield wanted.slice(low, rows)

    return Stream(str(path), schema, batches)


@contextmanager
def _arrow_reader(path: Path) -> Iterator[tuple[Iterable[Any], Any]]:
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


def _query(text: str, written: Sequence[str]) -> Stream | Any:
    """A query whose answer has many rows, asked anew whenever it is read, or the answer."""

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        with answered(text) as (reader, opened):
            for batch in reader(batch_rows(len(columns))):
                yield batch.select(list(columns))
            check_apart(opened(), written)

    with answered(text) as (reader, opened):
        answer, rows, first = reader(batch_rows(1)), 0, []
        for batch in answer:
            first.append(batch)
            rows += len(batch)
            if rows > MANY_ROWS:
                return Stream("the query", answer.schema, batches)
        check_apart(opened(), written)
        return pa.Table.from_batches(first, answer.schema)
