from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import carob
from carob import InputError, ReadOptions, read_votes
from carob.read import long, streams
from carob.read.arrow import chance_column, group_column
from carob.read.long import SortedVotes, of_tasks
from carob.read.streams import Stream, open_stream


def test_columns_of_chances_and_groups() -> None:
    table = pa.table({"chance": [0.1, None, 1.0], "by": ["a", None, "b"]})
    assert np.array_equal(chance_column(table, "chance"), [0.1, np.nan, 1.0], equal_nan=True)
    assert group_column(table, "by").tolist() == ["a", "", "b"]


def test_one_entry_for_every_task() -> None:
    point = np.array([0, 1, 0, 2])
    assert of_tasks(np.array(["x", "y", "x", "z"]), point, ["t", "u", "v"], "by").tolist() == ["x", "y", "z"]
    empty = of_tasks(np.array([np.nan, 0.5, np.nan, 0.2]), point, ["t", "u", "v"], "chance")
    assert np.array_equal(empty, [np.nan, 0.5, 0.2], equal_nan=True)
    with pytest.raises(InputError, match="column 'by' gives task 't' two different entries"):
        of_tasks(np.array(["x", "y", "z", "z"]), point, ["t", "u", "v"], "by")


def test_read_with_wide_and_long_tables() -> None:
    wide = {"a": [0, 1, 1], "b": [1, 1, 0], "c": [0, 1, 0], "y": [0, 1, None], "p": [0.5, None, None], "g": [7, 7, 8]}
    votes = carob.read_votes(wide, gold="y", by="g", options=ReadOptions(chance="p"))
    assert votes.sources == ("a", "b", "c")
    assert votes.by is not None
    assert votes.by.tolist() == ["7", "7", "8"]
    assert votes.take(np.array([2])).by is not None
    assert votes.own_gold.chances is not None
    assert np.array_equal(votes.own_gold.chances, [0.5, np.nan, np.nan], equal_nan=True)
    rows = [(t, w, int(t == w), t, 0.25, f"g{t}") for t in range(3) for w in range(3)]
    columns = ("task", "worker", "label", "y", "p", "g")
    long = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))
    long["y"] = [value % 2 for value in long["y"]]
    votes = carob.read_votes(long, gold="y", by="g", options=ReadOptions(chance="p"))
    assert votes.by is not None
    assert votes.by.tolist() == ["g0", "g1", "g2"]
    assert votes.own_gold.weights.tolist() == [1, 1, 1]


def test_refusals() -> None:
    wide = {"id": [1, 2], "a": [0, 1], "b": [1, 0], "c": [1, 1]}
    with pytest.raises(InputError, match=r"needs gold \(gold=; --gold\)"):
        carob.read_votes(wide, options=ReadOptions(chance="a"))
    with pytest.raises(InputError, match="the gold file has no column 'p'"):
        carob.read_votes(wide, key="id", options=ReadOptions(gold_file={"id": [1], "gold": [0]}, chance="p"))


def test_nuls_at_the_end_of_tasks_stay(tmp_path: Path) -> None:
    rows = [{"task": task, "worker": f"w{k}", "label": k % 2} for task in ("a", "a\0") for k in range(3)]
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    votes = read_votes(tmp_path / "v.jsonl")
    assert votes.keys is not None
    assert votes.keys.tolist() == ["a", "a\0"]


def test_oracle_rows_of_a_task_stand_together_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MANY_ROWS", 10)
    monkeypatch.setattr(long, "BATCH", 100)
    rng = np.random.default_rng(0)
    task, worker = rng.integers(0, 60, 1_000), [f"w{w}" for w in rng.integers(0, 9, 1_000)]
    table = pa.table({"item": task, 'the "worker"': worker, "vote": np.arange(1_000).astype(np.int16)})
    pq.write_table(table, tmp_path / "votes.parquet")
    stream = open_stream(tmp_path / "votes.parquet", (), ())
    assert isinstance(stream, Stream)
    found = SortedVotes(stream, "item", 'the "worker"', ["vote"])
    assert (found.rows, found.votes, found.workers) == (len({*task.tolist()}), 1_000, list(dict.fromkeys(worker)))
    batches = list(found.batches(["vote", "item"]))
    assert len(batches) > 3
    sets = [{*batch["item"].to_pylist()} for batch in batches]
    assert sum(map(len, sets)) == found.rows  # no task is in two parts
    first = {t: i for i, t in reversed([*enumerate(task.tolist())])}
    expected = sorted(range(1_000), key=lambda i: (first[int(task[i])], i))
    assert [value for batch in batches for value in batch["vote"].to_pylist()] == expected
    assert batches[0].schema.types == [pa.int16(), pa.int64()]
