"""Parquet files, folders of them, and patterns."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carob import InputError, read_votes
from carob.read import parquet_files
from carob.read.parquet_files import ParquetFiles


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
    monkeypatch.setattr(parquet_files, "PIECE", 25)
    paths = [tmp_path / name for name in ("a.parquet", "b.parquet", "c.parquet")]
    for path, held, group in zip(paths, ((0, 95), (95, 95), (95, 99)), (10, 10, 100), strict=True):
        pq.write_table(pa.table({"row": range(*held)}), path, row_group_size=group)
    found = ParquetFiles.of(paths).pieces()
    assert [(piece.path.name, piece.groups, piece.first_row, piece.rows) for piece in found] == [
        ("a.parquet", range(3), 0, 30),
        ("a.parquet", range(3, 6), 30, 30),
        ("a.parquet", range(6, 9), 60, 30),
        ("a.parquet", range(9, 10), 90, 5),
        ("c.parquet", range(1), 95, 4),
    ]
    rows = [[row for batch in piece.batches(["row"]) for row in batch["row"].to_pylist()] for piece in found]
    assert rows == [list(range(piece.first_row, piece.first_row + piece.rows)) for piece in found]
