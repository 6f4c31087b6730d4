from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tables import WIDE

from carob import InputError, LabelModel, Moments, ReadOptions, Votes, check, read_votes
from carob.engines.labels import label_columns

LONG = pa.table(
    {
        "task": ["t1", "t1", "t2", "t2", "t3", "t3", "t3"],
        "worker": ["u", "v", "u", "w", "w", "v", "u"],
        "label": ["yes", "no", "yes", "yes", "no", "no", "no"],
        "truth": ["yes", "yes", None, None, "no", "no", "no"],
    }
)


def test_long_tables() -> None:
    votes = read_votes(LONG, gold="truth")
    assert votes.sources == ("u", "v", "w")
    assert votes.values.tolist() == [[1, 0, -1], [1, -1, 1], [0, 0, 0]]
    assert votes.keys is not None
    assert votes.keys.tolist() == ["t1", "t2", "t3"]
    assert votes.gold is not None
    assert votes.gold.values.tolist() == [1, -1, 0]
    renamed = LONG.rename_columns(["item", "who", "answer", "truth"])
    again = Votes.from_long(renamed, options=ReadOptions(task="item", worker="who", label="answer"))
    assert np.array_equal(again.values, votes.values)
    assert read_votes(LONG, gold="truth", drop=["w"]).sources == ("u", "v")
    assert read_votes(LONG, sources=["w", "u"]).sources == ("w", "u")


def test_long_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in LONG.to_pylist()))
    assert read_votes(path, gold="truth").values.tolist() == [[1, 0, -1], [1, -1, 1], [0, 0, 0]]


def test_a_worker_who_votes_twice() -> None:
    row = pa.table({"task": ["t1"], "worker": ["u"], "label": ["no"], "truth": ["yes"]})
    twice = pa.concat_tables([LONG, row])
    with pytest.raises(InputError, match=r"1 votes repeat.*worker 'u' on task 't1'.*--repeats first or last"):
        read_votes(twice)
    assert read_votes(twice, options=ReadOptions(repeats="first")).values[0].tolist() == [1, 0, -1]
    assert read_votes(twice, options=ReadOptions(repeats="last")).values[0].tolist() == [0, 0, -1]


def test_gold_in_a_second_file() -> None:
    votes = read_votes(
        WIDE.drop_columns(["gold"]),
        key="id",
        options=ReadOptions(gold_file={"id": ["d", "a", "zz"], "label": [0, 1, 1]}),
    )
    assert votes.gold is not None
    assert votes.gold.values.tolist() == [1, -1, -1, 0]
    crowd = read_votes(
        LONG.drop_columns(["truth"]), options=ReadOptions(gold_file={"task": ["t3"], "gold": ["no"], "note": ["x"]})
    )
    assert crowd.gold is not None
    assert crowd.gold.values.tolist() == [-1, -1, 0]


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        read_votes(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_votes(tmp_path)
    (tmp_path / "votes.xlsx").write_bytes(b"x")
    with pytest.raises(InputError, match=r"files end in .arrow, .csv"):
        read_votes(tmp_path / "votes.xlsx")
    (tmp_path / "bad.parquet").write_bytes(b"not parquet")
    with pytest.raises(InputError, match="cannot read"):
        read_votes(tmp_path / "bad.parquet")
    (tmp_path / "bad.jsonl").write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(InputError, match="cannot read"):
        read_votes(tmp_path / "bad.jsonl")
    with pytest.raises(TypeError, match="not int"):
        read_votes(3)
    with pytest.raises(InputError, match="no column 'nope'"):
        read_votes(WIDE, gold="nope")
    with pytest.raises(InputError, match="no column 'nope'"):
        read_votes(WIDE, drop=["nope"])
    with pytest.raises(InputError, match="no worker 'nope'"):
        read_votes(LONG, drop=["nope"])
    with pytest.raises(InputError, match="'id' holds text"):
        read_votes(WIDE, options=ReadOptions(strict=True))
    with pytest.raises(InputError, match=r"200 different values.*--key"):
        read_votes({"id": list(range(200)), "x": [0, 1] * 100})
    with pytest.raises(InputError, match="names must differ"):
        read_votes(pa.table([pa.array([0, 1]), pa.array([1, 0])], names=["a", "a"]))
    with pytest.raises(InputError, match="cannot be read as a table"):
        read_votes({"a": [0, 1], "b": [1]})
    with pytest.raises(InputError, match="no sources"):
        read_votes({"gold": [0, 1]}, gold="gold")
    with pytest.raises(InputError, match=r"no column 'task'.*--long"):
        Votes.from_long(WIDE)
    with pytest.raises(InputError, match="zero rows"):
        read_votes(LONG.slice(0, 0))
    with pytest.raises(InputError, match="'worker' is empty in 1 rows"):
        read_votes({"task": [1, 2], "worker": ["a", None], "label": [0, 1]})
    with pytest.raises(InputError, match="key column 'id' is empty"):
        read_votes({"id": [1, None], "a": [0, 1]}, key="id")
    with pytest.raises(InputError, match="two different labels"):
        read_votes({"task": [1, 1], "worker": ["a", "b"], "label": [0, 1], "g": [0, 1]}, gold="g")


def test_real_vote_sets(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("votes")
    for path in sorted(folder.glob("*.parquet")):
        frame = pd.read_parquet(path)
        largest = int(frame.drop(columns=["split"]).to_numpy().max())
        classes = list(range(max(largest, 1) + 1))
        votes = read_votes(path, gold="gold", drop=["split"], classes=classes, abstain=-1)
        assert np.array_equal(votes.values, frame.drop(columns=["gold", "split"]).to_numpy())
        assert votes.gold is not None
        assert np.array_equal(votes.gold.values, frame["gold"].to_numpy())


def long_table(path: Path, rows: Iterable[tuple[object, object, object]]) -> Path:
    path.write_text("task,worker,label\n" + "".join(f"{task},{worker},{label}\n" for task, worker, label in rows))
    return path


def test_memory_grows_with_the_data_not_with_its_longest_name(tmp_path: Path) -> None:
    rows = [(f"t{i // 3}", f"w{i % 3}", i % 2) for i in range(9_000)]
    path = long_table(tmp_path / "v.csv", [*rows, ("x" * 100_000, "w0", 1)])
    tracemalloc.start()
    votes = read_votes(path)
    model = LabelModel(replicates=0).fit(votes)
    label_columns(votes, model.predict_proba(votes))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 60e6
    assert votes.keys is not None
    assert votes.keys[-1] == "x" * 100_000


def test_a_column_that_names_rows_is_no_column_of_workers(tmp_path: Path) -> None:
    path = long_table(tmp_path / "v.csv", [(f"t{i // 3}", f"w{i}", i % 2) for i in range(300)])
    with pytest.raises(InputError, match="a worker of its own in each of 300 rows"):
        read_votes(path)


def test_many_workers_and_classes_are_refused_before_their_pairs_are_counted(tmp_path: Path) -> None:
    path = long_table(
        tmp_path / "v.csv", [(f"t{i // 20}", f"w{i * 7 % 1000}", f"c{i * 13 % 30}") for i in range(20_000)]
    )
    votes = read_votes(path)
    with pytest.raises(InputError, match="1,000 sources have 30,000 outputs together"):
        Moments.of(votes)
    with pytest.raises(InputError, match="outputs together"):
        LabelModel(method="triplets").fit(votes)
    assert check(votes).pairs == ()


def test_sources_that_are_called_as_the_columns_of_a_long_table(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("task,worker,c\n0,1,1\n1,1,0\n0,0,0\n1,0,1\n")
    votes = read_votes(tmp_path / "v.csv")
    assert votes.sources == ("task", "worker", "c")
    assert votes.values.tolist() == [[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]]
