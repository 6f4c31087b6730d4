"""Dask gives the bits of an array in memory, whatever its partitions, and where a worker is killed, too."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from carob import InputError, LabelModel, Votes
from carob.count.statistics import Statistics
from carob.engines import dask as carob_dask
from carob.engines.labels import label_columns


@pytest.mark.slow
def test_invariant_the_bits_of_an_array_also_where_a_worker_is_killed(
    dask_client: Any, votes_table: Any, votes_folder: Path
) -> None:
    votes = Votes.from_frame(votes_table, key="id", gold="y")
    expected = LabelModel(rng=1).fit(votes, votes.gold)
    known = votes.select(expected.source_model_.sources)
    df = carob_dask.read_parquet(votes_folder)
    assert df.npartitions > 5
    for frame in (df, df.repartition(npartitions=2)):
        assert carob_dask.fit(frame, LabelModel(rng=1), key="id", gold="y").to_bytes() == expected.to_bytes()
    assert carob_dask.statistics(df, key="id", gold="y") == Statistics.of(known)

    before = {address: worker["pid"] for address, worker in _workers(dask_client).items()}
    assert len(before) == 2
    done: list[LabelModel] = []
    work = threading.Thread(target=lambda: done.append(carob_dask.fit(df, LabelModel(rng=1), key="id", gold="y")))
    work.start()
    while not any(dask_client.processing().values()):
        time.sleep(0.001)
    killed = next(address for address, busy in dask_client.processing().items() if busy)
    os.kill(before[killed], signal.SIGKILL)
    assert work.is_alive()
    work.join()
    assert done[0].to_bytes() == expected.to_bytes()

    assert votes.keys is not None
    columns = label_columns(known, expected.predict_proba(known))
    labels = carob_dask.label(df, expected, key="id", keep=["s1"]).compute()
    assert labels["id"].tolist() == votes.keys.tolist()
    assert labels["p_spam"].tolist() == columns["p_spam"].to_pylist()
    assert labels["label"].tolist() == columns["label"].to_pylist()
    numbered = carob_dask.label(df, expected).compute()
    assert numbered["row"].tolist() == list(range(1, len(votes) + 1))
    with pytest.raises(InputError, match="there is no column 's4'"):
        carob_dask.label(df.drop(columns="s4"), expected)


def _workers(client: Any) -> dict[str, Any]:
    pids = client.run(os.getpid)
    return {address: {"pid": pid} for address, pid in pids.items()}


def test_what_is_no_frame_of_dask_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a data frame of Dask, not list"):
        carob_dask.fit([1, 2])


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(InputError, match=r"pip install 'carob\[dask\]'"):
        carob_dask.read_parquet("votes.parquet")
