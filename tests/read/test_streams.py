"""Tables that are read part by part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carob import InputError
from carob.read import parts, streams
from carob.read.formats import arrow_table
from carob.read.parts import Stream
from carob.read.streams import open_stream, whole_table


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MANY_ROWS", 10)
    monkeypatch.setattr(streams, "MANY_BYTES", 10)
    monkeypatch.setattr(parts, "BATCH", 10)


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
    monkeypatch.setattr(parts, "BATCH", 10)
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
