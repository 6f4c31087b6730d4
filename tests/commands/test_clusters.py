"""Votes that a cluster reads, and folders of labels; here Dask in threads of this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carob import InputError
from carob.commands.fit import fit_votes
from carob.commands.inputs import VotesFile
from carob.posterior.settings import Settings
from carob.read.formats import FileContent
from carob.read.table import Reading


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    truth = rng.random(900) < 0.5
    columns: dict[str, Any] = {f"s{i}": np.where(rng.random(900) < 0.8, truth, ~truth).astype(int) for i in range(4)}
    (tmp_path / "votes").mkdir()
    for k in range(3):
        part = pa.table(columns | {"id": np.arange(900)}).slice(300 * k, 300)
        pq.write_table(part, tmp_path / "votes" / f"{k}.parquet")
    return tmp_path / "votes"


def test_a_cluster_gives_the_model_and_labels_of_this_machine(votes: Path, tmp_path: Path) -> None:
    data = VotesFile(str(votes), Reading(key="id"))
    names = [str(tmp_path / name) for name in ("a.parquet", "a.json", "b.parquet", "b.json")]
    fit_votes(data, Settings(), names[0], names[1])
    found = fit_votes(data, Settings(), names[2], names[3], engine="dask", keep=["s1"])
    assert Path(names[3]).read_bytes() == Path(names[1]).read_bytes()
    here, there = pq.read_table(names[0]), pq.read_table(names[2])
    assert there["p_1"].to_pylist() == here["p_1"].to_pylist()
    assert there.column_names == ["id", "s1", "label", "p_0", "p_1", "n_votes"]
    assert found.data.n_points == 900
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "a.parquet", "b.json", "b.parquet", "votes"]


def test_refusals_before_any_work(votes: Path, tmp_path: Path) -> None:
    data = VotesFile(str(votes), Reading(key="id"))
    (tmp_path / "there.parquet").mkdir()
    for out, words in (("labels.csv", "end its name in .parquet"), ("there.parquet", "is there already")):
        with pytest.raises(InputError, match=words):
            fit_votes(data, Settings(), str(tmp_path / out), engine="dask")
    content = FileContent("standard input.csv", b"a,b\n")
    with pytest.raises(InputError, match="--engine dask reads Parquet files"):
        fit_votes(VotesFile(content), Settings(), engine="dask")
