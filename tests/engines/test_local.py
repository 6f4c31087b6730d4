"""Files that are read part by part: the same bits as a file that is read whole, and as an array in memory."""

from __future__ import annotations

import gzip
import json
import os
import resource
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import csv, feather

from carob import InputError, LabelModel, Votes
from carob.commands.check import check_file
from carob.commands.fit import fit_votes
from carob.commands.inputs import VotesFile
from carob.commands.label import label_votes
from carob.commands.value import plan_purchase, value_votes
from carob.count import digest as digests
from carob.engines.local import FileVotes, fit, open_votes
from carob.posterior.settings import Settings
from carob.read import streams
from carob.read.table import ReadOptions
from carob.votes.messages import of_kind

N = 3_000
READING = ReadOptions(key="id", gold="y", drop=("text",))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little data is much: sources are learned from a part of it."""
    monkeypatch.setattr(digests, "MOST_VOTES", 6_000)
    monkeypatch.setattr(digests, "MOST_EACH", 0)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Files are read in parts of so many rows, and by all cores at once where they have many parts."""

    def set_to(rows: int) -> None:
        monkeypatch.setattr(streams, "MANY_ROWS", 100)
        monkeypatch.setattr(streams, "MANY_BYTES", 1_000)
        monkeypatch.setattr(streams, "BATCH", rows)
        monkeypatch.setattr(streams, "CHUNK_ROWS", rows)

    return set_to


def table(n: int = N) -> Any:
    rng = np.random.default_rng(5)
    truth = rng.random(n) < 0.4
    columns: dict[str, Any] = {"id": [f"{t:05}" for t in range(n)], "text": [f"text {t}" for t in range(n)]}
    for i, accuracy in enumerate((0.9, 0.7, 0.8, 0.65, 0.75)):
        right = rng.random(n) < accuracy
        said = np.where(np.where(right, truth, ~truth), "spam", "ham").astype(object)
        said[rng.random(n) < 0.25] = None
        columns[f"s{i}"] = said.tolist()
    columns["y"] = [("spam" if truth[t] else "ham") if t % 30 == 3 else None for t in range(n)]
    return pa.table(columns)


def write_parquet(found: Any, folder: Path) -> str:
    pq.write_table(found, folder / "votes.parquet", row_group_size=700)
    return str(folder / "votes.parquet")


def write_folder(found: Any, folder: Path) -> str:
    (folder / "parts").mkdir()
    for k, low in enumerate(range(0, len(found), 1_100)):
        pq.write_table(found.slice(low, 1_100), folder / "parts" / f"part-{k}.parquet")
    (folder / "parts" / "_SUCCESS").write_bytes(b"")
    return str(folder / "parts")


def write_glob(found: Any, folder: Path) -> str:
    return write_folder(found, folder) + "/part-*.parquet"


def write_csv(found: Any, folder: Path) -> str:
    csv.write_csv(found, folder / "votes.csv")
    return str(folder / "votes.csv")


def write_gz(found: Any, folder: Path) -> str:
    csv.write_csv(found, folder / "plain.csv")
    (folder / "votes.csv.gz").write_bytes(gzip.compress((folder / "plain.csv").read_bytes()))
    return str(folder / "votes.csv.gz")


def write_json_lines(found: Any, folder: Path) -> str:
    (folder / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found.to_pylist()))
    return str(folder / "votes.jsonl")


def write_arrow(found: Any, folder: Path) -> str:
    feather.write_feather(found, folder / "votes.arrow", compression="uncompressed", chunksize=500)
    return str(folder / "votes.arrow")


def write_query(found: Any, folder: Path) -> str:
    return f"SELECT * FROM '{write_parquet(found, folder)}'"  # noqa: S608 - a path of our own


WRITERS = [
    write_parquet, write_folder, write_glob, write_csv, write_gz, write_json_lines, write_arrow, write_query
]  # fmt: skip


def rows_of(path: Path) -> list[dict[str, Any]]:
    return pq.read_table(path).to_pylist()


@pytest.mark.parametrize("write", WRITERS)
def test_invariant_parts_give_the_model_and_labels_of_the_whole(
    write: Callable[[Any, Path], str], in_parts: Callable[[int], None], tmp_path: Path
) -> None:
    found, settings = table(), Settings(rng=1)
    votes = Votes.from_frame(found, key="id", gold="y", drop=["text"])
    expected = LabelModel(rng=1).fit(votes, votes.gold)
    source = write(found, tmp_path)
    out, model = tmp_path / "labels.parquet", tmp_path / "model.json"
    whole = fit_votes(VotesFile(source, READING), settings, str(out), str(model), keep=["text"])
    assert model.read_bytes() == expected.to_bytes()
    labels = rows_of(out)
    for rows in (1_000_000, 900, 77):
        in_parts(rows)
        assert isinstance(open_votes(source, READING, None, settings), FileVotes)
        streamed = fit_votes(VotesFile(source, READING), settings, str(out), str(model), keep=["text"])
        assert model.read_bytes() == expected.to_bytes()
        assert rows_of(out) == labels
        assert (streamed.labels, streamed.data.warnings) == (whole.labels, whole.data.warnings)
        again = label_votes(VotesFile(source, ReadOptions(key="id")), str(model), str(out), keep=["text"])
        assert rows_of(out) == labels
        assert again.labels == whole.labels
    assert [row["text"] for row in labels] == found["text"].to_pylist()
    np.testing.assert_array_equal([row["p_spam"] for row in labels], expected.predict_proba(votes)[:, 1])


def test_invariant_check_value_and_plan(in_parts: Callable[[int], None], tmp_path: Path) -> None:
    data, settings = VotesFile(write_parquet(table(), tmp_path), READING), Settings(rng=1)

    def results() -> list[Any]:
        check = check_file(data, settings)
        value, plan = value_votes(data, settings), plan_purchase(data, settings, 1, 0.01, 50)
        assert check.dependence is not None
        told = (check.data.sources.rows(), check.class_balance, check.findings, check.data.n_uncovered)
        return [told, check.dependence.agreement.tolist(), check.pairs, value.to_dict(), plan.to_dict()]

    whole = results()
    in_parts(400)
    assert results() == whole


def test_without_gold_to_speak_of_value_is_told_of_votes_alone(in_parts: Callable[[int], None], tmp_path: Path) -> None:
    data = VotesFile(write_parquet(table(), tmp_path), replace(READING, gold=None, drop=("text", "y")))
    whole = value_votes(data, Settings()).to_dict()
    in_parts(400)
    assert value_votes(data, Settings()).to_dict() == whole
    assert whole["n_unlabeled"] == N


def test_invariant_from_python(in_parts: Callable[[int], None], tmp_path: Path) -> None:
    path = write_parquet(table(), tmp_path)
    whole = fit(path, LabelModel(rng=2), key="id", gold="y", drop=["text"]).to_bytes()
    in_parts(500)
    assert fit(path, LabelModel(rng=2), key="id", gold="y", drop=["text"]).to_bytes() == whole


def test_labels_that_nobody_asked_for_are_those_of_a_fair_sample(
    in_parts: Callable[[int], None], tmp_path: Path
) -> None:
    data = VotesFile(write_parquet(table(), tmp_path), READING)
    whole = fit_votes(data, Settings())
    in_parts(500)
    some = fit_votes(data, Settings())
    assert whole.n_labeled == N
    assert 1_400 < some.n_labeled < 1_900
    for one, other in zip(whole.labels, some.labels, strict=True):
        assert one.mean_probability == pytest.approx(other.mean_probability, abs=0.03)


def test_a_class_that_appears_late_and_a_source_that_is_constant_at_first(
    in_parts: Callable[[int], None], tmp_path: Path
) -> None:
    found = table()
    late = pa.array(["maybe" if t > 2_900 else value for t, value in enumerate(found["s1"].to_pylist())])
    same = pa.array(["ham" if t < 2_000 else value for t, value in enumerate(found["s4"].to_pylist())])
    found = found.set_column(3, "s1", late).set_column(6, "s4", same).append_column("copy", found["s0"])
    found = found.append_column("always", pa.array(["ham"] * N)).append_column(
        "never", pa.array([None] * N, pa.string())
    )
    data, model = VotesFile(write_parquet(found, tmp_path), READING), tmp_path / "model.json"
    whole = fit_votes(data, Settings(), model_file=str(model))
    expected = model.read_bytes()
    in_parts(600)
    streamed = fit_votes(data, Settings(), model_file=str(model))
    assert model.read_bytes() == expected
    assert streamed.data.messages == whole.data.messages
    assert len(of_kind(whole.data.messages, "dropped")) == 3
    assert streamed.data.sources.rows() == whole.data.sources.rows()


def test_gold_of_a_second_file(in_parts: Callable[[int], None], tmp_path: Path) -> None:
    found = table()
    gold = found.select(["id", "y"]).filter(pc.is_valid(found["y"]))
    source = write_parquet(found.drop_columns(["y"]), tmp_path)
    model = tmp_path / "model.json"
    reading = ReadOptions(key="id", gold_file=gold, drop=("text",))
    fit_votes(VotesFile(source, reading), Settings(), model_file=str(model))
    expected = model.read_bytes()
    in_parts(600)
    fit_votes(VotesFile(source, reading), Settings(), model_file=str(model))
    assert model.read_bytes() == expected
    with pytest.raises(InputError, match="no key of the gold file"):
        fit_votes(
            VotesFile(source, replace(reading, gold_file=gold.set_column(0, "id", gold["y"]).slice(3, 1))), Settings()
        )


def test_refusals_name_the_row_and_write_nothing(in_parts: Callable[[int], None], tmp_path: Path) -> None:
    found = pa.table({f"s{i}": np.random.default_rng(i).integers(0, 2, N).astype(float) for i in range(4)})
    bad = found.set_column(2, "s2", pa.array([0.5 if t == 2_345 else 1.0 * (t % 2) for t in range(N)]))
    in_parts(500)
    out = tmp_path / "labels.csv"
    for source, words in (
        (bad, r"column 's2' \(rows counted from row 2,101 on\) holds 0.5"),
        (
            found.set_column(2, "s2", pa.array([1.0 * (t % 2) if t < 2_000 else t for t in range(N)])),
            "different values",
        ),
    ):
        with pytest.raises(InputError, match=words):
            fit_votes(VotesFile(write_parquet(source, tmp_path)), Settings(), str(out))
        assert not out.exists()
    with pytest.raises(InputError, match="neither a class nor an abstain"):
        fit_votes(VotesFile(write_parquet(found, tmp_path), classes=[0, 2]), Settings(), str(out))
    with pytest.raises(InputError, match="there is no column 'texts'"):
        fit_votes(VotesFile(write_parquet(found, tmp_path)), Settings(), str(out), keep=["texts"])
    assert not out.exists()


def test_other_methods_and_scores_are_read_whole(in_parts: Callable[[int], None], tmp_path: Path) -> None:
    in_parts(500)
    path = write_parquet(table(), tmp_path)
    assert isinstance(open_votes(path, READING, None, Settings(method="triplets")), Votes)
    rng = np.random.default_rng(0)
    judged = pa.table({f"j{i}": rng.random(400) for i in range(3)})
    assert isinstance(open_votes(write_parquet(judged, tmp_path), ReadOptions(), None, Settings()), Votes)


def test_a_corrupt_row_group_is_named_and_nothing_is_written(in_parts: Callable[[int], None], tmp_path: Path) -> None:
    path, out = Path(write_parquet(table(), tmp_path)), tmp_path / "labels.parquet"
    content = bytearray(path.read_bytes())
    last = pq.ParquetFile(path).metadata.row_group(4).column(2)
    start = last.dictionary_page_offset or last.data_page_offset
    content[start : start + last.total_compressed_size] = b"\xff" * last.total_compressed_size
    path.write_bytes(bytes(content))
    in_parts(500)
    with pytest.raises(InputError, match=r"cannot read '.*votes\.parquet'"):
        fit_votes(VotesFile(str(path), READING), Settings(), str(out))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["votes.parquet"]


def test_a_file_that_changes_while_it_is_read_is_refused(in_parts: Callable[[int], None], tmp_path: Path) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "votes.parquet"
    numbers = {f"s{i}": rng.integers(0, 90, 200_000) for i in range(3)}  # more than is read ahead
    pq.write_table(pa.table(numbers), path, row_group_size=5_000)
    in_parts(5_000)
    opened = open_votes(str(path), ReadOptions(), None, Settings())
    assert isinstance(opened, FileVotes)
    parts = opened.chunks(opened.digest.sources)
    next(parts)
    os.truncate(path, path.stat().st_size // 3)
    with pytest.raises(InputError, match=r"cannot read '.*votes\.parquet'"):
        list(parts)
    pq.write_table(pa.table(numbers).slice(0, 9_000), path)
    with pytest.raises(InputError, match="changed while it was read"):
        list(opened.chunks(opened.digest.sources))


@pytest.mark.parametrize("name", ["labels.parquet", "labels.csv", "labels.jsonl"])
def test_a_full_disk_leaves_the_old_labels(name: str, in_parts: Callable[[int], None], tmp_path: Path) -> None:
    path, out, model = write_parquet(table(), tmp_path), tmp_path / name, tmp_path / "model.json"
    in_parts(300)
    out.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(InputError, match="cannot write"):
            fit_votes(VotesFile(path, READING), Settings(), str(out), str(model))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert out.read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, "votes.parquet"])


def long_table(votes_each: int, workers: int, named: bool = False) -> Any:
    rng = np.random.default_rng(2)
    n, tasks = 4_000, 4_000 // votes_each
    task, worker = rng.integers(0, tasks, n), rng.integers(0, workers, n)
    truth, accuracy = rng.random(tasks) < 0.4, rng.uniform(0.6, 0.95, workers)
    label = np.where(rng.random(n) < accuracy[worker], truth[task], ~truth[task]).astype(int)
    label[rng.random(n) < 0.1] = -1
    gold = np.where(task % 9 == 0, truth[task], -1)
    names = ("item_id", "annotator", "answer") if named else ("task", "worker", "label")
    return pa.table(dict(zip([*names, "y"], (task, [f"w{w}" for w in worker], label, gold), strict=True)))


@pytest.mark.parametrize(("votes_each", "workers", "named"), [(40, 12, False), (5, 300, False), (40, 12, True)])
def test_invariant_long_tables_are_sorted_on_disk_and_mean_the_same(
    votes_each: int, workers: int, named: bool, in_parts: Callable[[int], None], tmp_path: Path
) -> None:
    source = write_parquet(long_table(votes_each, workers, named), tmp_path)
    out, model = tmp_path / "labels.parquet", tmp_path / "model.json"
    data = VotesFile(source, ReadOptions(gold="y", repeats="last", abstain=-1))
    whole = fit_votes(data, Settings(), str(out), str(model))
    expected, labels = model.read_bytes(), rows_of(out)
    in_parts(333)
    assert isinstance(open_votes(source, data.reading, None, Settings()), FileVotes)
    streamed = fit_votes(data, Settings(), str(out), str(model))
    assert model.read_bytes() == expected
    assert rows_of(out) == labels
    assert (streamed.labels, streamed.data.messages) == (whole.labels, whole.data.messages)
    if not named:
        label_votes(VotesFile(source, ReadOptions(repeats="last")), str(model), str(out))
        assert rows_of(out) == labels
    with pytest.raises(InputError, match="repeat a worker on a task"):
        fit_votes(VotesFile(source, ReadOptions(gold="y", abstain=-1)), Settings())
