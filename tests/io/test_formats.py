from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from tables import COLUMNS, WIDE, check

from karat import InputError, Votes, read_votes
from karat.io.formats import written_table


def write_csv(path: Path, delimiter: str = ",") -> None:
    rows = [list(COLUMNS), *zip(*COLUMNS.values(), strict=True)]
    path.write_text("\n".join(delimiter.join("" if v is None else str(v) for v in row) for row in rows) + "\n")


def write_json(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in WIDE.to_pylist()))


def write_gz(writer: Callable[[Path], None]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        plain = path.with_name(path.name + ".plain")
        writer(plain)
        path.write_bytes(gzip.compress(plain.read_bytes()))

    return write


def write_stream(path: Path) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, WIDE.schema) as out:
        out.write_table(WIDE)


FILES: dict[str, Callable[[Path], None]] = {
    "votes.parquet": lambda path: pq.write_table(WIDE, path),
    "votes.csv": write_csv,
    "votes.tsv": lambda path: write_csv(path, "\t"),
    "votes.csv.gz": write_gz(write_csv),
    "votes.jsonl": write_json,
    "votes.ndjson": write_json,
    "votes.jsonl.gz": write_gz(write_json),
    "votes.arrow": lambda path: feather.write_feather(WIDE, path, compression="uncompressed"),
    "votes.feather": lambda path: feather.write_feather(WIDE, path, compression="zstd"),
    "stream.arrow": write_stream,
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_gives_the_same_votes(name: str, tmp_path: Path) -> None:
    FILES[name](tmp_path / name)
    check(read_votes(tmp_path / name, key="id", gold="gold"))


class Capsule:
    """Any object that speaks Arrow, and nothing else."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return WIDE.__arrow_c_stream__(requested_schema)


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas nullable": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas categories": lambda: pd.DataFrame(COLUMNS).astype({"x": "category"}),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pyarrow": lambda: WIDE,
    "record batch": lambda: WIDE.to_batches()[0],
    "dict": lambda: COLUMNS,
    "capsule": Capsule,
    "duckdb": lambda: duckdb.connect().from_arrow(WIDE),
}


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_gives_the_same_votes(name: str) -> None:
    frame = FRAMES[name]()
    if not hasattr(frame, "__arrow_c_stream__") and not isinstance(frame, dict):
        frame = frame.to_arrow_table() if name == "duckdb" else pa.table([*frame], names=WIDE.column_names)
    check(Votes.from_frame(frame, key="id", gold="gold"))


def test_sql(tmp_path: Path) -> None:
    pq.write_table(WIDE, tmp_path / "v.parquet")
    check(read_votes(f"SELECT * FROM '{tmp_path}/v.parquet' ORDER BY id", key="id", gold="gold"))  # noqa: S608
    check(read_votes(f"from '{tmp_path}/v.parquet'", key="id", gold="gold"))
    with pytest.raises(InputError, match="DuckDB refuses the query"):
        read_votes("SELECT * FROM nowhere")


def test_a_column_that_starts_with_a_long_run_of_empty_cells(tmp_path: Path) -> None:
    n = 400_000
    path = tmp_path / "late.csv"
    path.write_text("a,b,c,gold\n" + "0,1,1,\n" * (n - 2) + "1,0,1,1\n1,1,0,0\n")
    votes = read_votes(path, gold="gold")
    assert votes.gold is not None
    assert votes.gold.counts.tolist() == [1, 1]
    assert len(votes) == n


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "is empty"),
        (b"a,b,c\n", "zero rows"),
        (b"a,b,c\n0,1\n1,1,1\n", "Expected 3 columns, got 2"),
        (b"a,b,c\n0,1,1\n1,1,1,1\n", "Expected 3 columns, got 4"),
        (b"a,b,a\n0,1,1\n1,1,1\n", "names must differ; 'a'"),
        (b"a,b,c\n0,1,x\n1,1,y\n", "'c' holds text .*'x', 'y'.*--drop"),
        (b"a,b,c\nyes,no,caf\xe9\nno,no,no\n", "UTF-8"),
        (b"a,b\xe9,c\nyes,no,no\nno,no,no\n", "UTF-8"),
        (b"a,b,c\n0,1,NaN\n1,1,1\n", "column 'c' holds NaN"),
        (b"a,b,c\n0,1,inf\n1,1,1\n", "column 'c' holds infinity"),
        (b"a,b,c\n0,1,.5\n1,1,1\n", "column 'c' holds 0.5"),
        (b"a,b,c\n2026-01-01,1,1\n2026-01-02,0,1\n", "column 'a' is of type date32"),
        (b"a,b,c\n0,1,1\n0,-1,1\n", "-1, 0, 1. Either"),
        (b"a,b,c\n0,1,1\n1,1,-7\n", "hold -7"),
    ],
)
def test_refusal_of_csv(content: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=text):
        read_votes(path)


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.jsonl"])
def test_written_tables_read_back(name: str, tmp_path: Path) -> None:
    with written_table(tmp_path / name, {"key": ["ä", "b"], "p": [0.25, 1e-300]}):
        assert not (tmp_path / name).exists()
    back = duckdb.connect().execute(f"FROM '{tmp_path / name}'").fetchall()
    assert back == [("ä", 0.25), ("b", 1e-300)]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_output_refusals(tmp_path: Path) -> None:
    (tmp_path / "dir.csv").mkdir()
    for name, text in [
        ("out.txt", r"labels are written as .csv, .jsonl, .parquet"),
        ("no/out.csv", "does not exist"),
        ("dir.csv", "it is a folder"),
        ("x" * 300 + ".csv", "cannot write"),
    ]:
        with pytest.raises(InputError, match=text), written_table(tmp_path / name, {"a": [1]}):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["dir.csv"]
