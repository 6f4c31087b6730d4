"""Spark gives the bits of an array in memory, whatever its partitions, and where an executor is killed, too."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from carob import InputError, LabelModel, Votes
from carob.count.digest import Digest
from carob.count.statistics import Statistics
from carob.engines import spark as carob_spark
from carob.engines.labels import label_columns


def executors() -> list[psutil.Process]:
    """The processes of Spark's executors that this process has started."""
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process.name().startswith("java") and any("CoarseGrainedExecutor" in word for word in process.cmdline())
    ]


@pytest.mark.slow
def test_invariant_the_bits_of_an_array_also_where_an_executor_is_killed(
    spark: Any, votes_table: Any, votes_folder: Path
) -> None:
    votes = Votes.from_frame(votes_table, key="id", gold="y")
    expected = LabelModel(rng=1).fit(votes, votes.gold)
    known = votes.select(expected.source_model_.sources)
    df = carob_spark.read_parquet(spark, votes_folder)
    for frame in (df, df.repartitionByRange(40, "id").sortWithinPartitions("id")):  # more than are merged at once
        found = carob_spark.fit(frame, LabelModel(rng=1), key="id", gold="y")
        assert found.to_bytes() == expected.to_bytes()
    assert carob_spark.statistics(df, key="id", gold="y") == Statistics.of(known)
    assert carob_spark.digest(df, key="id", gold="y") == expected.fit_.digest

    # Killed while one of the jobs of a fit is at work; what is lost is made again.
    done: list[LabelModel] = []
    work = threading.Thread(target=lambda: done.append(carob_spark.fit(df, LabelModel(rng=1), key="id", gold="y")))
    before = executors()
    assert len(before) == 2
    work.start()
    tracker = spark.sparkContext.statusTracker()
    while not tracker.getActiveJobsIds():
        time.sleep(0.01)
    os.kill(before[0].pid, signal.SIGKILL)
    assert work.is_alive()
    work.join()
    assert not before[0].is_running()
    assert done[0].to_bytes() == expected.to_bytes()

    assert votes.keys is not None
    labels = {row["id"]: row for row in carob_spark.label(df, expected, key="id", keep=["s1"]).toArrow().to_pylist()}
    columns = label_columns(known, expected.predict_proba(known))
    assert [labels[key]["p_spam"] for key in votes.keys.tolist()] == columns["p_spam"].to_pylist()
    assert [labels[key]["label"] for key in votes.keys.tolist()] == columns["label"].to_pylist()
    numbered = carob_spark.label(df.drop("id"), expected).toArrow().to_pydict()
    assert sorted(numbered["row"]) == list(range(1, len(votes) + 1))
    at_row = dict(zip(numbered["row"], numbered["p_spam"], strict=True))
    assert [at_row[t + 1] for t in range(len(votes))] == columns["p_spam"].to_pylist()
    with pytest.raises(InputError, match="there is no column 's4'"):
        carob_spark.label(df.drop("s4"), expected)
    with pytest.raises(InputError, match="clusters learn by the default"):
        carob_spark.fit(df, LabelModel(method="triplets"))
    assert isinstance(expected.fit_.digest, Digest)


def test_what_is_no_frame_of_spark_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a data frame of Spark, not list"):
        carob_spark.fit([1, 2])


def test_without_spark_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(InputError, match=r"pip install 'carob\[spark\]'"):
        carob_spark.session()
