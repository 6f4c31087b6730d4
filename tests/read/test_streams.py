"""Tables that are read part by part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carob import InputError, read_votes
from carob.read import streams
from carob.read.formats import arrow_table
from carob.read.streams import BATCH, CELLS, Stream, batch_rows, open_stream, parquet_stream, readable, whole_table


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MANY_ROWS", 10)
    monkeypatch.setattr(streams, "MANY_BYTES", 10)
    monkeypatch.setattr(streams, "BATCH", 10)


def test_a_long_parquet_file_is_read_in_parts_and_means_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "votes.parquet"
    columns = {
        "vote": [0, 1, None, 1, -1] * 7,
        "late": [*range(34), 1_000],  # large in the last part alone
        "none": pa.array([None] * 35, pa.int64()),
        "text": ["a", None, "b", "", "c"] * 7,
        "half": [0.5] * 35,
    }
    pq.write_table(pa.table(columns), path)
    whole = arrow_table(path)
    monkeypatch.setattr(streams, "MANY_ROWS", 10)
    monkeypatch.setattr(streams, "BATCH", 10)
    found = whole_table(path, (), ())
    assert found.to_pydict() == whole.to_pydict()
    kinds = {field.name: str(field.type) for field in found.schema}
    assert kinds == {"vote": "int8", "late": "int64", "none": "int64", "text": "string", "half": "double"}


def rows_of(path: Any) -> tuple[Any, list[dict[str, Any]]]:
    stream = open_stream(path, ["id"], ())
    assert isinstance(stream, Stream)
    batches = list(stream.batches(stream.schema.names))
    return stream.schema, pa.Table.from_batches(batches).to_pylist()


@pytest.mark.usefixtures("in_parts")
def test_types_of_a_csv_file_are_those_of_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "TEXT_BLOCK", 200)
    rows = [f"{t:04},,{t % 2},{t % 3}" for t in range(200)]
    path = tmp_path / "votes.csv"
    late = ["0200,7,0.5,yes"]
    path.write_text("\n".join(["id,empty,half,word", *rows, *late]) + "\n")
    schema, found = rows_of(path)
    assert [str(kind) for kind in schema.types] == ["string", "int64", "double", "string"]
    assert found[3] == {"id": "0003", "empty": None, "half": 1.0, "word": "0"}
    assert found == arrow_table(path, ["id"]).to_pylist()


@pytest.mark.usefixtures("in_parts")
def test_what_is_written_is_never_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    pq.write_table(pa.table({"a": np.arange(30) % 2}), path)
    query = f"SELECT * FROM '{path}'"  # noqa: S608 - a path of our own
    for source in (path, tmp_path, tmp_path / "*.parquet"):
        with pytest.raises(InputError, match="different files"):
            open_stream(source, (), [str(path)])
    stream = open_stream(query, (), [str(path)])
    with pytest.raises(InputError, match="different files"):
        list(stream.batches(["a"]))
    assert open_stream({"a": [1]}, (), ()) == {"a": [1]}


@pytest.mark.usefixtures("in_parts")
def test_names_must_differ(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    pq.write_table(pa.table([np.arange(30), np.arange(30)], names=["a", "a"]), path)
    with pytest.raises(InputError, match="'a' occur more than once"):
        open_stream(path, (), ())


def test_known_answer_rows_of_a_part_follow_the_columns() -> None:
    assert batch_rows(0) == batch_rows(1) == batch_rows(CELLS // BATCH) == BATCH
    assert batch_rows(2 * CELLS // BATCH) == BATCH // 2
    assert batch_rows(10 * CELLS) == 1


@pytest.mark.parametrize(
    "error", [pa.ArrowInvalid("bad page"), OSError("gone"), EOFError(), ValueError("no"), OverflowError()]
)
def test_what_cannot_be_read_is_named_with_the_reason(error: Exception) -> None:
    with pytest.raises(InputError, match=r"^cannot read 'votes\.parquet': "), readable(Path("votes.parquet")):
        raise error


def test_refusals_and_faults_of_our_own_pass_as_they_are() -> None:
    with pytest.raises(InputError, match=r"^said already$"), readable(Path("votes.parquet")):
        raise InputError("said already")
    with pytest.raises(KeyError), readable(Path("votes.parquet")):
        raise KeyError("a fault")


def test_folders_and_patterns(tmp_path: Path) -> None:
    folder = tmp_path / "votes"
    (folder / "day=1").mkdir(parents=True)
    for k in range(3):
        pq.write_table(pa.table({"a": [k, 1], "b": [0, 1], "c": [1, 0]}), folder / "day=1" / f"{k}.parquet")
    (folder / ".hidden.parquet").write_text("no Parquet")
    (folder / "_SUCCESS").write_text("")
    assert read_votes(folder, classes=[0, 1, 2]).values[:, 0].tolist() == [0, 1, 1, 1, 2, 1]
    assert len(read_votes(str(folder / "*" / "[12].parquet"), classes=[0, 1, 2])) == 4
    pq.write_table(pa.table({"a": [0], "other": [1]}), folder / "day=1" / "9.parquet")
    with pytest.raises(InputError, match=r"same columns in the same order, and differ in 'b', 'c', 'other'"):
        read_votes(folder)
    with pytest.raises(InputError, match="no file is named like"):
        read_votes(tmp_path / "*.parquet")
    (tmp_path / "x.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="all are Parquet"):
        read_votes(tmp_path / "*.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"without a \.parquet file"):
        read_votes(tmp_path / "empty")


def test_pieces_are_whole_row_groups_and_all_rows_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "CHUNK_ROWS", 25)
    paths = [tmp_path / name for name in ("a.parquet", "b.parquet", "c.parquet")]
    for path, held, group in zip(paths, ((0, 95), (95, 95), (95, 99)), (10, 10, 100), strict=True):
        pq.write_table(pa.table({"row": range(*held)}), path, row_group_size=group)
    found = parquet_stream(paths).chunks()
    assert [(piece.path.name, piece.groups, piece.first_row, piece.rows) for piece in found] == [
        ("a.parquet", range(3), 0, 30),
        ("a.parquet", range(3, 6), 30, 30),
        ("a.parquet", range(6, 9), 60, 30),
        ("a.parquet", range(9, 10), 90, 5),
        ("c.parquet", range(1), 95, 4),
    ]
    rows = [[row for batch in piece.batches(["row"]) for row in batch["row"].to_pylist()] for piece in found]
    assert rows == [list(range(piece.first_row, piece.first_row + piece.rows)) for piece in found]
