"""Parquet files, folders and patterns of them, read part by part, or by every core a piece of its own."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from carob.errors import InputError, examples
from carob.read.files import check_apart
from carob.read.formats import check_file, suffix_of
from carob.read.parts import batch_rows, readable
from carob.read.query import exists

PIECE = 1 << 19  # rows, at least, of a piece of a file that is opened anew for it


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


def several_files(path: Path) -> list[Path] | None:
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
    found = several_files(Path(path)) or [Path(path)]
    check_apart(found, written)
    return found


def _hidden(path: Path) -> bool:
    """What Spark and others leave beside their data: names that begin with a dot or an underscore."""
    return any(part.startswith((".", "_")) for part in path.parts)
