from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from tables import COLUMNS, WIDE, check

from carob import InputError, ReadOptions, Votes, read_votes
from carob.read.formats import written_table


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
        (b"a,b,c\n0,1\n1,1,1\n", "Row #2: Expected 3 columns, got 2"),
        (b"a,b,c\n0,1,1\n1,1,1,1\n", "Row #3: Expected 3 columns, got 4"),
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


@pytest.mark.parametrize("name", ["votes.arrow", "votes.feather", "stream.arrow", "votes.parquet"])
def test_damaged_files_are_refused_or_read_and_never_crash(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    FILES[name](path)
    whole = path.read_bytes()
    refused = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        damaged = bytearray(whole)
        damaged[rng.integers(len(damaged))] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged[: rng.integers(len(damaged))] if seed % 5 == 0 else damaged)
        try:
            read_votes(path, key="id", gold="gold")
        except InputError:
            refused += 1
    assert refused > 20


def test_letters_of_a_parquet_key_that_are_no_utf8(tmp_path: Path) -> None:
    text = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"\xffb")]
    )
    pq.write_table(pa.table({"id": text, "a": [0, 1], "b": [1, 0], "c": [1, 1]}), tmp_path / "v.parquet")
    with pytest.raises(InputError, match=r"(?i)utf-?8"):
        read_votes(tmp_path / "v.parquet", key="id")


def test_a_record_of_three_megabytes(tmp_path: Path) -> None:
    long = "x" * 3_000_000
    (tmp_path / "v.csv").write_text(f"id,a,b,c\n{long},0,1,1\nq,1,0,1\n")
    (tmp_path / "v.csv.gz").write_bytes(gzip.compress((tmp_path / "v.csv").read_bytes()))
    rows = [{"id": long, "a": 0, "b": 1, "c": 1}, {"id": "q", "a": 1, "b": 0, "c": 1}]
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("v.csv", "v.csv.gz", "v.jsonl"):
        votes = read_votes(tmp_path / name, key="id")
        assert votes.keys is not None
        assert votes.keys.tolist() == [long, "q"]


def test_keys_that_read_like_times_come_back_as_they_came(tmp_path: Path) -> None:
    keys = ["2020-01-01T00:00:00", "2020-01-02T00:00:00"]
    rows = [{"id": key, "a": 0, "b": 1, "c": k} for k, key in enumerate(keys)]
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "gold.csv").write_text(f"id,gold\n{keys[1]},1\n")
    votes = read_votes(tmp_path / "v.jsonl", key="id", options=ReadOptions(gold_file=tmp_path / "gold.csv"))
    assert votes.keys is not None
    assert votes.keys.tolist() == keys
    assert votes.own_gold.values.tolist() == [-1, 1]


def test_a_pipe_is_called_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "v.csv")
    with pytest.raises(InputError, match="is a pipe or a device"):
        read_votes(tmp_path / "v.csv")
    with pytest.raises(InputError, match="there is no file"):
        read_votes("a\0.csv")


def test_numbers_that_change_their_kind_late_in_a_file(tmp_path: Path) -> None:
    n = 300_000
    (tmp_path / "v.csv").write_text("a,b,c,y\n" + "0,1,1,0\n" * n + "1,0,1,0.5\n")
    with pytest.raises(InputError, match=r"'y' holds 0\.5"):
        read_votes(tmp_path / "v.csv", gold="y")


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.jsonl"])
def test_written_tables_read_back(name: str, tmp_path: Path) -> None:
    with written_table(tmp_path / name, [{"key": ["ä", "b"], "p": [0.25, 1e-300]}]):
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
        with pytest.raises(InputError, match=text), written_table(tmp_path / name, [{"a": [1]}]):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["dir.csv"]
