"""Files, queries and data frames as Arrow tables, and columns into files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv
from pyarrow import json as arrow_json

from karat.errors import InputError, examples
from karat.io.files import check_writable, whole_file

_QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def arrow_table(source: Any, text: Sequence[str] = ()) -> Any:
    """An Arrow table from a path, a query, a dict of columns or anything with the Arrow capsule.

    Parameters
    ----------
    text : sequence of str
        Columns of CSV files that are read as text even where they hold digits: identifiers, with their leading zeros.
    """
    if isinstance(source, str) and is_query(source):
        table = _query(source)
    elif isinstance(source, str | Path):
        table = _file(Path(source), text)
    elif isinstance(source, dict) or hasattr(source, "__arrow_c_stream__"):
        try:
            table = pa.table(source)
        except (pa.ArrowException, OverflowError, ValueError, TypeError) as error:
            raise InputError(f"the frame cannot be read as a table: {error}") from error
    else:
        raise TypeError(
            f"votes come from a path, a query, an array or a data frame that speaks Arrow, not {type(source).__name__}."
        )
    names = table.column_names
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise InputError(f"column names must differ; {examples(repeated)} occur more than once. Rename them.")
    return table.drop_columns([name for name in names if _PANDAS_INDEX.fullmatch(name)])


def is_query(text: str) -> bool:
    """Whether a text is a query rather than the name of a file.

    >>> is_query("SELECT * FROM 'votes.csv'"), is_query("selected.csv")
    (True, False)
    """
    return _QUERY.match(text) is not None and not _exists(Path(text))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long for the file system is no file
        return False


def _query(text: str) -> Any:
    import duckdb

    connection = duckdb.connect()
    try:
        return connection.sql(text).to_arrow_table()
    except duckdb.Error as error:
        raise InputError(f"DuckDB refuses the query: {' '.join(str(error).split())}") from error
    finally:
        connection.close()


def _file(path: Path, text: Sequence[str]) -> Any:
    if not _exists(path):
        raise InputError(f"there is no file {str(path)!r}.")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file in it.")
    if path.stat().st_size == 0:
        raise InputError(f"{str(path)!r} is empty.")
    suffix = _suffix(path)
    read = _READERS.get(suffix)
    if read is None:
        raise InputError(
            f"{str(path)!r}: files end in {', '.join(sorted(_READERS))} (text also in .gz), not {suffix!r}."
        )
    try:
        table = read(path, text) if read is _read_csv else read(path)
        names = table.column_names  # decodes them
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).strip()
        if "utf8" in reason.lower().replace("-", ""):
            reason += ". Text files must be UTF-8: convert it first"
        raise InputError(f"cannot read {str(path)!r}: {reason}.") from error
    if not names:
        raise InputError(f"{str(path)!r} has no columns.")
    return table


def _suffix(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _read_parquet(path: Path) -> Any:
    return pq.read_table(path)


def _read_arrow(path: Path) -> Any:
    with pa.memory_map(str(path)) as file:
        try:
            return pa.ipc.open_file(file).read_all()
        except pa.ArrowInvalid:
            return pa.ipc.open_stream(file).read_all()


def _read_csv(path: Path, text: Sequence[str]) -> Any:
    parse = csv.ParseOptions(delimiter="\t" if _suffix(path) == ".tsv" else ",", newlines_in_values=True)
    convert = csv.ConvertOptions(
        null_values=[""], strings_can_be_null=True, column_types=dict.fromkeys(text, pa.string())
    )
    try:
        return csv.read_csv(path, parse_options=parse, convert_options=convert)
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise
    # A column changes its kind after the part of the file that the types were guessed from; for instance it
    # starts with a megabyte of empty cells. Read all as text, then find out what the text is.
    with csv.open_csv(path, parse_options=parse) as header:
        names = header.schema.names
    convert.column_types = dict.fromkeys(names, pa.string())
    table = csv.read_csv(path, parse_options=parse, convert_options=convert)
    columns = [
        column if name in text else _numbers_in(column) for name, column in zip(names, table.columns, strict=True)
    ]
    return pa.table(columns, names=names)


def _numbers_in(column: Any) -> Any:
    """A column of text as whole numbers where all of it is."""
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column


def _read_json_lines(path: Path) -> Any:
    with pa.input_stream(str(path)) as file:
        return arrow_json.read_json(file)


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
def written_table(path: str | Path, columns: dict[str, Any]) -> Iterator[None]:
    """Write columns as Parquet, CSV or JSON lines, by the ending of the name; the file appears when the block ends."""
    check_output(path)
    with whole_file(path) as file:
        _WRITERS[_suffix(Path(path))](pa.table(columns), file)
        yield


def check_output(path: str | Path) -> None:
    """Refuse a path that labels cannot be written to, before any work is done for it."""
    if Path(path).suffix.lower() not in _WRITERS:
        raise InputError(f"{str(path)!r}: labels are written as {', '.join(sorted(_WRITERS))}; end the name in one.")
    check_writable(path)


def _write_parquet(table: Any, file: IO[bytes]) -> None:
    pq.write_table(table, file)


def _write_csv(table: Any, file: IO[bytes]) -> None:
    csv.write_csv(table, file)


def _write_json_lines(table: Any, file: IO[bytes]) -> None:
    for batch in table.to_batches(max_chunksize=65536):
        file.write(
            "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in batch.to_pylist()).encode()
        )


_WRITERS: dict[str, Callable[[Any, IO[bytes]], None]] = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
}
