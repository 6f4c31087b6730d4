"""Long tables sorted on disk, against sorting them in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carob.read import long_sorted, streams
from carob.read.long_sorted import SortedVotes
from carob.read.streams import Stream, open_stream


def test_oracle_rows_of_a_task_stand_together_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MANY_ROWS", 10)
    monkeypatch.setattr(long_sorted, "BATCH", 100)
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
