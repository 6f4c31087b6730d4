from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from run_carob import carob

from carob import InputError, read_votes
from carob.read.query import answered, exists, is_query

VOTES = "a,b,c\n" + "0,1,1\n1,1,1\n1,0,0\n" * 20


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(VOTES)
    return tmp_path


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1; COPY (SELECT 1) TO 'x.csv'; SELECT * FROM 'data.csv'",
        "SELECT 1; ATTACH 'x.db'",
        "SELECT 1; CREATE TABLE x AS SELECT 1",
        "WITH t AS (SELECT 1) INSERT INTO x SELECT * FROM t",
        "FROM 'data.csv'; FROM 'data.csv'",
        "SELECT ';",
        "FROM",
    ],
)
def test_a_query_only_reads(query: str, folder: Path) -> None:
    with pytest.raises(InputError, match=r"one SELECT|DuckDB refuses|no file"):
        read_votes(query)
    assert [path.name for path in folder.iterdir()] == ["data.csv"]


def test_nothing_of_it_reaches_a_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with pytest.raises(InputError, match="requires the extension httpfs"):
        read_votes("FROM 'https://127.0.0.1:9/votes.csv'")


def test_variables_of_the_program_are_no_tables(folder: Path) -> None:
    votes = pa.table({"a": [0, 1], "b": [1, 1], "c": [0, 0]})
    assert votes.num_rows == 2
    with pytest.raises(InputError, match="votes does not exist"):
        read_votes("SELECT * FROM votes")


def test_files_that_were_read(folder: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), folder / "more.parquet")
    (folder / "never.csv").write_text(VOTES)
    for query, read in [
        ("FROM 'data.csv'", {"data.csv"}),
        ("FROM '*.csv'", {"data.csv", "never.csv"}),
        ("FROM read_csv('da' || 'ta.csv')", {"data.csv"}),
        ("SELECT a, 'never.csv' AS name FROM 'data.csv' WHERE a IN (SELECT a FROM 'more.parquet')",
         {"data.csv", "more.parquet"}),
    ]:  # fmt: skip
        with answered(query) as (reader, opened):
            reader(1 << 18).read_all()
            assert {path.name for path in opened()} == read


def test_no_input_is_an_output_and_no_name_is_confused(folder: Path) -> None:
    (folder / "a.csv").write_text("old")
    result = carob("fit", "FROM 'd*.csv'", "--out", "data.csv", cwd=folder)
    assert (result.returncode, (folder / "data.csv").read_text()) == (2, VOTES)
    assert "must be different files" in result.stderr
    result = carob("fit", "FROM 'data.csv'", "--out", "a.csv", cwd=folder)  # which is part of that name
    assert result.returncode == 0, result.stderr
    assert (folder / "a.csv").read_text().startswith('"row","label"')


def test_what_is_a_query(folder: Path) -> None:
    (folder / "select me.csv").write_text(VOTES)
    assert not is_query("select me.csv")
    assert is_query("select 1")
    assert not exists(Path("a\0b"))
    assert not exists(Path("x" * 5_000))
