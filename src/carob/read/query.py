"""Queries, which DuckDB answers: they read files, and do nothing else.

A query is one SELECT. Extensions are neither fetched nor loaded, so that no address is opened; variables of the program
are no tables; and what was opened is known from DuckDB's own log, not from the text, which may name files by patterns.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from carob.errors import InputError

_QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)
LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "allow_persistent_secrets": "false",
}


def is_query(text: str) -> bool:
    """Whether a text is a query rather than the name of a file.

    >>> is_query("SELECT * FROM 'votes.csv'"), is_query("selected.csv")
    (True, False)
    """
    return _QUERY.match(text) is not None and not exists(Path(text))


def exists(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for the file system, or with a NUL
        return False


@contextmanager
def answered(text: str) -> Iterator[tuple[Callable[[int], Any], Callable[[], list[Path]]]]:
    """Ask a query; yields what makes a reader of Arrow batches, and what tells which files were read."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:  # for what does not fit into memory
        connection = duckdb.connect(config=LOCKED | {"temp_directory": folder})

        def opened() -> list[Path]:
            found = connection.execute("SELECT DISTINCT path FROM duckdb_logs_parsed('FileSystem')").fetchall()
            return [Path(path) for (path,) in found]

        try:
            connection.execute("CALL enable_logging('FileSystem')")
            connection.execute("SET lock_configuration = true")
            statements = connection.extract_statements(text)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise InputError("a query is one SELECT statement: it reads votes, and does nothing else.")
            yield connection.sql(text).to_arrow_reader, opened
        except (duckdb.Error, UnicodeError) as error:
            raise InputError(f"DuckDB refuses the query: {' '.join(str(error).split())}") from error
        finally:
            connection.close()
