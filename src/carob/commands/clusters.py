"""Votes in Parquet files that a cluster reads, and labels that it writes."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from carob.commands.inputs import VotesFile
from carob.count.digest import Digest
from carob.engines.cluster import Table, digest_table
from carob.errors import InputError
from carob.model.label_model import LabelModel
from carob.posterior.settings import Settings
from carob.read.files import check_apart, check_writable

Engine = Literal["local", "spark", "dask"]


@dataclass(frozen=True, eq=False)
class ClusterVotes:
    """Votes on a cluster.

    Parameters
    ----------
    digest : Digest
        What is learned from.
    write : callable
        Writes the labels of a model into a folder.
    """

    digest: Digest
    write: Callable[[LabelModel, str], None]


def open_on_cluster(
    engine: Engine,
    master: str | None,
    data: VotesFile,
    settings: Settings,
    keep: Sequence[str] = (),
    leave_uncovered: bool = False,
) -> ClusterVotes:
    """Read votes with Spark or Dask.

    Parameters
    ----------
    master : str, optional
        Where the cluster is: the master of Spark, the scheduler of Dask; on this machine where not said.
    """
    if not isinstance(data.votes, str):
        raise InputError(f"--engine {engine} reads Parquet files: name a file, a folder or a pattern.")
    key, options = data.reading.key, {"keep": keep, "leave_uncovered": leave_uncovered}
    table: Table
    if engine == "spark":
        from carob.engines import spark

        frame = spark.read_parquet(spark.session(master), data.votes, data.reading.written)
        table = spark.table(frame)

        def write(model: LabelModel, folder: str) -> None:
            spark.label(frame, model, key=key, **options).write.parquet(folder)  # type: ignore[arg-type]
    else:
        from carob.engines import dask

        dask.connect(master)
        frame = dask.read_parquet(data.votes, data.reading.written)
        table = dask.table(frame)

        def write(model: LabelModel, folder: str) -> None:
            dask.label(frame, model, key=key, **options).to_parquet(folder, write_index=False)  # type: ignore[arg-type]

    return ClusterVotes(digest_table(table, data.reading, data.classes, settings), write)


def check_folder(out: str, votes: Any) -> None:
    """Refuse a folder of labels before any work is done for it."""
    if Path(out).suffix != ".parquet":
        raise InputError(f"{out!r}: a cluster writes a folder of Parquet files; end its name in .parquet.")
    if Path(out).exists():
        raise InputError(f"{out!r} is there already, and a cluster writes a new folder. Name another, or remove it.")
    check_writable(out)
    check_apart([str(votes)], [out])


def write_folder(votes: ClusterVotes, model: LabelModel, out: str) -> None:
    """Write labels into a folder, which appears when all of them are there."""
    part = Path(out).resolve().parent / f".carob-{secrets.token_hex(8)}.part"
    try:
        votes.write(model, str(part))
        part.rename(Path(out).resolve())
    finally:
        shutil.rmtree(part, ignore_errors=True)
