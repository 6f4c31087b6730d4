"""Files, queries and data frames as Arrow tables, and columns into files."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv
from pyarrow import json as arrow_json

from carob.errors import InputError, examples
from carob.read.files import check_apart, check_writable, on_disk, whole_file
from carob.read.query import exists

PANDAS_INDEX = re.compile(r"__index_level_\d+__")
TEXT_BLOCK = 1 << 20  # bytes of text that are read at a time, and that types are guessed from
_LARGEST_BLOCK = (1 << 31) - 1


@dataclass(frozen=True)
class FileContent:
    """A file that is in memory alone; the ending of its name says what it holds, which is not compressed."""

    name: str
    content: bytes | None  # None where the file is on disk under that name; text may be compressed there

    def stream(self) -> Any:
        """All bytes, one after the other, not compressed."""
        return pa.input_stream(self.name) if self.content is None else pa.BufferReader(self.content)

    def size(self) -> int:
        """How many bytes there are, not compressed."""
        if self.content is not None:
            return len(self.content)
        if self.name.endswith(".gz"):
            with gzip.open(self.name) as file:
                return file.seek(0, 2)
        return Path(self.name).stat().st_size


def arrow_table(source: Any, text: Sequence[str] = (), written: Sequence[str] = ()) -> Any:
    """An Arrow table from a path, a dict of columns or anything with the Arrow capsule.

    `text`: columns of text files that stay as they are written even where they hold digits or times: identifiers, with
    their leading zeros. `written`: files that will be written, none of which may be read.
    """
    if isinstance(source, str | Path):
        check_apart([source], written)
        check_file(Path(source))
        table = _parsed(FileContent(str(source), None), text)
    elif isinstance(source, FileContent):
        table = _parsed(source, text)
    elif isinstance(source, pa.Table):  # which Arrow would ask pandas about
        table = source
    elif isinstance(source, dict) or hasattr(source, "__arrow_c_stream__"):
        try:
            table = pa.table(source)
        except (pa.ArrowException, OverflowError, ValueError, TypeError) as error:
            raise InputError(f"the frame cannot be read as a table: {error}") from error
    else:
        raise TypeError(
            f"votes come from a path, a query, an array or a data frame that speaks Arrow, not {type(source).__name__}."
        )
    try:
        names = [field.name for field in table.schema if field.type is not None]  # decodes names and types
        table.validate(full=True)  # what does not fit together in a damaged file would crash the process later on
    except (pa.ArrowException, UnicodeDecodeError, KeyError) as error:
        raise InputError(f"the table is damaged: {reason(error)}.") from error
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise InputError(f"column names must differ; {examples(repeated)} occur more than once. Rename them.")
    return table.drop_columns([name for name in names if PANDAS_INDEX.fullmatch(name)])


def check_file(path: Path) -> None:
    """Refuse what is no file with something in it."""
    if not exists(path):
        raise InputError(f"there is no file {str(path)!r}.")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file in it.")
    if not path.is_file():
        raise InputError(f"{str(path)!r} is a pipe or a device; write what comes out of it into a file first.")
    if path.stat().st_size == 0:
        raise InputError(f"{str(path)!r} is empty.")


def _parsed(file: FileContent, text: Sequence[str]) -> Any:
    """The table in a file, by the ending of its name."""
    suffix = suffix_of(Path(file.name))
    read = _READERS.get(suffix)
    if read is None:
        raise InputError(
            f"{file.name!r}: files end in {', '.join(sorted(_READERS))} (text also in .gz), not {suffix!r}."
        )
    try:
        table = read(file, text)
        names = table.column_names
    except (pa.ArrowException, OSError, EOFError, ValueError, OverflowError, MemoryError) as error:
        raise InputError(f"cannot read {file.name!r}: {reason(error)}.") from error
    if not names:
        raise InputError(f"{file.name!r} has no columns.")
    return table


def reason(error: Exception) -> str:
    """What is wrong with a file, in the words of who found it, and what to do about letters."""
    words = (str(error).strip() or type(error).__name__).rstrip(".")
    if "utf8" in words.lower().replace("-", ""):
        words += ". Text must be UTF-8: convert it first"
    return words


def suffix_of(path: Path) -> str:
    """The ending of a name, but for that of compressed files."""
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _read_parquet(file: FileContent, text: Sequence[str]) -> Any:
    with pq.ParquetFile(file.name if file.content is None else file.stream()) as opened:
        return opened.read()


def _read_arrow(file: FileContent, text: Sequence[str]) -> Any:
    # Not mapped into memory: a file that is cut while it is read would end the process.
    content = pa.py_buffer(Path(file.name).read_bytes() if file.content is None else file.content)
    try:
        return pa.ipc.open_file(content).read_all()
    except pa.ArrowInvalid:
        return pa.ipc.open_stream(content).read_all()


def _read_csv(file: FileContent, text: Sequence[str]) -> Any:
    try:
        return _csv_table(file, text, csv.ReadOptions(block_size=TEXT_BLOCK))
    except pa.ArrowInvalid as error:
        if "straddling" in str(error):  # a record of more than a block
            return _csv_table(file, text, csv.ReadOptions(block_size=min(file.size() + 1, _LARGEST_BLOCK)))
        if "parse error" not in str(error):
            raise
    return _csv_table(file, text, csv.ReadOptions(block_size=TEXT_BLOCK, use_threads=False))  # which names the row


def csv_options(path: Path, text: Sequence[str]) -> tuple[Any, Any]:
    """How CSV and TSV files are parsed, and their cells converted."""
    parse = csv.ParseOptions(delimiter="\t" if suffix_of(path) == ".tsv" else ",", newlines_in_values=True)
    convert = csv.ConvertOptions(
        null_values=[""], strings_can_be_null=True, column_types=dict.fromkeys(text, pa.string())
    )
    return parse, convert


def _csv_table(file: FileContent, text: Sequence[str], blocks: Any) -> Any:
    parse, convert = csv_options(Path(file.name), text)
    try:
        return csv.read_csv(file.stream(), blocks, parse, convert)
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise
    # A column changes its kind after the part of the file that the types were guessed from; for instance it
    # starts with a megabyte of empty cells. Read all as text, then find out what the text is.
    with csv.open_csv(file.stream(), blocks, parse) as header:
        names = header.schema.names
    convert.column_types = dict.fromkeys(names, pa.string())
    table = csv.read_csv(file.stream(), blocks, parse, convert)
    columns = [
        column if name in text else as_numbers(column) for name, column in zip(names, table.columns, strict=True)
    ]
    return pa.table(columns, names=names)


def as_numbers(column: Any) -> Any:
    """A column of text as whole numbers, or as any numbers, where all of it is."""
    for kind in (pa.int64(), pa.float64()):
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column


def _read_json_lines(file: FileContent, text: Sequence[str]) -> Any:
    try:
        return _json_table(file, text, TEXT_BLOCK)
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
    return _json_table(file, text, min(file.size() + 1, _LARGEST_BLOCK))


def _json_table(file: FileContent, text: Sequence[str], block: int, kinds: Any = None) -> Any:
    parse = arrow_json.ParseOptions(explicit_schema=kinds)
    with file.stream() as opened:
        table = arrow_json.read_json(opened, arrow_json.ReadOptions(block_size=block), parse)
    # A text that reads like a time was taken for one, and would not be written as it was.
    times = [field.name for field in table.schema if field.name in text and pa.types.is_temporal(field.type)]
    return _json_table(file, (), block, pa.schema([(name, pa.string()) for name in times])) if times else table


_READERS: dict[str, Callable[..., Any]] = {
    ".parquet": _read_parquet,
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
}


@contextmanager
def written_table(path: str | Path, parts: Iterable[dict[str, Any]]) -> Iterator[None]:
    """Write columns, part by part, as Parquet, CSV or JSON lines, by the ending of the name.

    The block begins when all parts are on disk; the file appears when it ends.
    """
    check_output(path)
    with whole_file(path) as file:
        _write(file, suffix_of(Path(path)), map(pa.table, parts))
        on_disk(file)  # before whatever else is written in the block appears
        yield


def table_bytes(suffix: str, columns: dict[str, Any]) -> bytes:
    """Columns as the content of a file whose name ends so."""
    content = io.BytesIO()
    _write(content, suffix, iter([pa.table(columns)]))
    return content.getvalue()


def check_output(path: str | Path) -> None:
    """Refuse a path that labels cannot be written to, before any work is done for it."""
    if Path(path).suffix.lower() not in _WRITERS:
        raise InputError(f"{str(path)!r}: labels are written as {', '.join(sorted(_WRITERS))}; end the name in one.")
    check_writable(path)


def _write(file: IO[bytes], suffix: str, tables: Iterator[Any]) -> None:
    """Tables into one file, one after the other."""
    first = next(tables, None)
    if first is not None:
        with closing(_WRITERS[suffix](file, first.schema)) as writer:
            for table in chain([first], tables):
                writer.write_table(table)


class _JsonLines:
    """Rows as JSON objects, one in a line."""

    def __init__(self, file: IO[bytes], schema: Any) -> None:
        self._file = file

    def write_table(self, table: Any) -> None:
        for batch in table.to_batches(max_chunksize=65536):
            rows = (json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in batch.to_pylist())
            self._file.write("".join(rows).encode())

    def close(self) -> None:
        """All is written."""


_WRITERS: dict[str, Callable[[IO[bytes], Any], Any]] = {
    ".parquet": pq.ParquetWriter,
    ".csv": csv.CSVWriter,
    ".jsonl": _JsonLines,
}
