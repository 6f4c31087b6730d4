"""What becomes of files and processes where something goes wrong outside of carob."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pytest
from run_carob import CAROB, carob

from carob import InputError, load, read_votes
from carob.read.files import whole_file

# Writes labels and a model over and over, until it is killed.
WRITER = """
import sys
from carob import LabelModel, read_votes
from carob.engines.labels import label_columns
from carob.read.formats import written_table
votes = read_votes(sys.argv[1], key="id", gold="y")
model = LabelModel(replicates=0).fit(votes, votes.gold)
columns = label_columns(votes.select(model.source_model_.sources), model.predict_proba(votes))
print("ready", flush=True)
while True:
    with written_table(sys.argv[2], [columns]):
        model.save(sys.argv[3])
"""


def parts(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.suffix == ".part"]


def test_killed_while_writing_the_old_file_or_the_new_one_is_there(votes_csv: Path, tmp_path: Path) -> None:
    out, model = tmp_path / "labels.csv", tmp_path / "model.json"
    rng = np.random.default_rng(0)
    left = 0
    for _ in range(4):
        command = [sys.executable, "-c", WRITER, str(votes_csv), str(out), str(model)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
            assert running.stdout is not None
            running.stdout.readline()
            for _ in range(5):  # a fit takes long, so that one process stands for several
                time.sleep(rng.uniform(0, 0.03))
            running.send_signal(signal.SIGKILL)
            running.wait()
        left += len(parts(tmp_path))
        if out.exists():
            assert len(read_votes(out, sources=["label"], key="id", classes=[0, 1])) == 2_000
        if model.exists():
            load(model)
        with whole_file(tmp_path / "other") as file:
            file.write(b"x")
        assert parts(tmp_path) == []  # the next to write tidies up
    assert left > 0


def test_files_of_processes_that_run_are_left_alone(tmp_path: Path) -> None:
    with whole_file(tmp_path / "one") as first:
        first.write(b"1")
        with whole_file(tmp_path / "two") as second:
            second.write(b"2")
        assert len(parts(tmp_path)) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_a_full_disk_leaves_both_files_as_they_were(votes_csv: Path, tmp_path: Path) -> None:
    out, model = tmp_path / "labels.csv", tmp_path / "model.json"
    for limit in (4_000, 30_000, 60_000):  # of labels or of the model
        out.write_text("old")
        model.write_text("old")
        result = carob(
            "fit", votes_csv, "--key", "id", "--gold", "y", "--out", out, "--model", model,
            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )  # fmt: skip
        assert result.returncode == 2, result
        assert "cannot write" in result.stderr
        assert (out.read_text(), model.read_text()) == ("old", "old")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.csv", "model.json"]


def test_neither_of_two_files_appears_before_both_are_on_disk(
    votes_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    replace = os.replace

    def appear(part: str, target: str) -> None:
        done.append("appears")
        replace(part, target)

    monkeypatch.setattr(os, "fsync", lambda handle: done.append("on disk"))
    monkeypatch.setattr(os, "replace", appear)
    fit = ("fit", votes_csv, "--key", "id", "--gold", "y")
    result = carob(*fit, "--out", tmp_path / "labels.csv", "--model", tmp_path / "model.json")
    assert result.returncode == 0, result.stderr
    assert done.index("appears") >= 2
    assert done.count("appears") == 2


def test_a_folder_that_may_not_be_written_to(votes_csv: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        pytest.skip("this user may write everywhere")
    result = carob("fit", votes_csv, "--out", closed / "labels.csv")
    assert result.returncode == 2
    assert "may not be written to" in result.stderr
    assert list(closed.iterdir()) == []


def test_a_folder_in_which_nobody_can_make_a_file(votes_csv: Path) -> None:
    result = carob("fit", votes_csv, "--key", "id", "--gold", "y", "--out", "/proc/labels.csv")
    assert result.returncode == 2
    assert "cannot write '/proc/labels.csv'" in result.stderr


def test_input_that_is_cut_while_it_is_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pa.table({name: rng.integers(0, 2, 20_000).astype(np.int8) for name in "abc"})
    path = tmp_path / "votes.arrow"
    feather.write_feather(table, path, compression="uncompressed")
    cutter = subprocess.Popen(
        [sys.executable, "-c", "import os, sys\nwhile True:\n  os.truncate(sys.argv[1], 1000)", str(path)]
    )
    try:
        whole = path.read_bytes()
        for _ in range(20):
            path.write_bytes(whole)
            try:
                read_votes(path)
            except InputError:
                continue
    finally:
        cutter.kill()
        cutter.wait()


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    command = [*CAROB, "reproduce", "combined", "--trials", "1000", "--jobs", "2", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        children: list[int] = []
        for _ in range(200):
            children = _children(running.pid)
            if len(children) >= 3:  # two workers, and who keeps account of what they share
                break
            time.sleep(0.1)
        time.sleep(1)
        running.kill()
    assert len(children) >= 2
    for _ in range(100):
        if not any(_alive(child) for child in children):
            break
        time.sleep(0.1)
    assert not any(_alive(child) for child in children)


def _children(process: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        pytest.skip("needs /proc to tell who started whom")


def _alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_parts_of_a_reproduction_that_are_damaged_but_well_formed_are_done_again(tmp_path: Path) -> None:
    reproduce = ("reproduce", "excess-error", "--trials", "2", "--jobs", "1", "--out", tmp_path, "--json")
    first = carob(*reproduce)
    assert first.returncode in (0, 1), first.stderr
    kept = sorted((tmp_path / "parts").rglob("*.json"))
    results: list[Any] = [[], {"x": [1]}, None]
    crafted = [{"check": zlib.crc32(json.dumps(result).encode()), "result": result} for result in results]
    for place, wrong in zip(kept, ([], {"result": 3}, {"check": 0, "result": None}, 7, *crafted), strict=False):
        place.write_text(json.dumps(wrong))
    again = carob(*reproduce)
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout), again.stderr
