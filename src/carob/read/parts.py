"""Parts of a table: what gives them, how large they are, and what is said where they cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from carob.errors import InputError
from carob.read.formats import reason

BATCH = 1 << 17  # rows of a part at most
CELLS = 1 << 23  # of a part, about, where a table has many columns


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


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say which file cannot be read, and why."""
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, OverflowError) as error:
        raise InputError(f"cannot read {str(path)!r}: {reason(error)}.") from error
