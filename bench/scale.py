"""Large tables: time and memory of files, growth with points and sources, and what a cluster would send.

python bench/scale.py           every ratio, each to a yardstick of the same run; exit code 1 if one does not hold
python bench/scale.py --costs   the table and the chart of docs/questions/large-tables.md: cost against n and m
python bench/scale.py --tree    a merge tree of 1,000 executors, worked through

A run writes 600 MB to a temporary folder. Seconds are of the clock, so that an idle machine is needed; costs are in
seconds of a core, which others at work beside it change little.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from run import Result, best, compile_modules

import carob
from carob.count.digest import Digest
from carob.engines.cluster import FAN, chunk_bytes, merged_bytes
from carob.engines.row_decoder import ChunkDigest, RowDecoder, together
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions

CAROB = str(Path(sys.executable).with_name("carob"))
ROWS = 1 << 20  # of a row group, and of a part that is drawn
GOLD = 200
ROUNDS = 5  # of everything that is timed, of which the shortest counts
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Ran:
    """What a process took: seconds of the clock, seconds of all cores, and memory at its largest, in MB."""

    seconds: float
    cpu: float
    memory: float


# A process counts the memory of who started it as its own, so that something small does.
LAUNCH = """
import os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def ran(*words: str) -> Ran:
    """Run a process to its end."""
    done = subprocess.run([sys.executable, "-c", LAUNCH, *words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Ran(*map(float, done.stdout.split()))


def drawn(n: int, m: int, seed: int = 0) -> pa.Table:
    """Votes of m sources on n points, three in ten silent, and no gold yet."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n, dtype=np.float32) < 0.4
    columns = {}
    for i, accuracy in enumerate(np.random.default_rng(1).uniform(0.55, 0.9, m)):
        votes = np.where(rng.random(n, dtype=np.float32) < accuracy, truth, ~truth).astype(np.int8)
        votes[rng.random(n, dtype=np.float32) < 0.3] = -1
        columns[f"s{i}"] = votes
    gold = np.where((np.arange(n) < GOLD) & (seed == 0), truth, -1).astype(np.int8)
    return pa.table(columns | {"y": gold})


def write_wide(path: Path, n: int, m: int) -> None:
    """A Parquet file of such votes, drawn part by part."""
    with pq.ParquetWriter(path, drawn(1, m).schema) as writer:
        for k, low in enumerate(range(0, n, ROWS)):
            writer.write_table(drawn(min(ROWS, n - low), m, k))


def write_long(path: Path, rows: int, workers: int) -> None:
    """A Parquet file with a row per vote, five votes a task, in a random order."""
    rng = np.random.default_rng(0)
    task = (np.arange(rows) // 5)[rng.permutation(rows)].astype(np.int32)
    worker = rng.integers(0, workers, rows, dtype=np.int32)
    truth = rng.random(rows // 5 + 1) < 0.4
    right = rng.random(rows) < rng.uniform(0.6, 0.9, workers)[worker]
    label = np.where(right, truth[task], ~truth[task]).astype(np.int8)
    pq.write_table(pa.table({"task": task, "worker": worker, "label": label}), path)


def fit(path: Path, *words: str) -> Ran:
    """`carob fit` of a file, as its users run it."""
    return ran(CAROB, "fit", str(path), "--abstain", "-1", *words)


def least(runs: Sequence[Ran]) -> Ran:
    """The shortest of some runs, with the most memory."""
    return Ran(min(run.seconds for run in runs), min(run.cpu for run in runs), max(run.memory for run in runs))


def python(code: str, *words: str) -> Ran:
    """A few lines of Python, in a process of its own."""
    return ran(sys.executable, "-c", code, *words)


COPY = "import sys, pyarrow.parquet as q; q.write_table(q.read_table(sys.argv[1]), sys.argv[2])"


def reading(path: Path) -> float:
    """Seconds that pyarrow takes to read the votes of a file, once it is loaded."""
    return best(lambda: pq.read_table(path, columns=[f"s{i}" for i in range(20)]), 1)


def files(folder: Path) -> list[Result]:
    """Fits and labels of 20,000,000 x 20, against pyarrow, and against a tenth of the points."""
    large, small, model = folder / "large.parquet", folder / "small.parquet", str(folder / "model.json")
    write_wide(large, 20_000_000, 20)
    write_wide(small, 2_000_000, 20)
    # In turn, as a machine that others share is now faster and now slower.
    rounds = [
        (
            reading(large),
            fit(large, "--drop", "y"),
            fit(large, "--gold", "y", "--model", model),
            fit(small, "--drop", "y"),
        )
        for _ in range(ROUNDS)
    ]
    reads, *fits = zip(*rounds, strict=True)
    read = min(reads)
    without, with_gold, tenth = map(least, fits)
    copied = python(COPY, str(large), str(folder / "copy.parquet"))
    labeled = ran(CAROB, "label", str(large), "--model", model, "--out", str(folder / "labels.parquet"))
    return [
        Result("fit 20,000,000 x 20 without gold", without.seconds, "2 x pyarrow's reading + 1 s", 2 * read + 1, 1),
        Result(
            "fit 20,000,000 x 20, 200 gold labels", with_gold.seconds, "2 x pyarrow's reading + 1 s", 2 * read + 1, 1
        ),
        Result("memory of that fit, in GB as seconds", with_gold.memory / 1e3, "500 MB", 0.5, 1),
        Result("time of ten times the points", without.seconds, "2,000,000", tenth.seconds, 11),
        Result("memory of ten times the points, in GB", without.memory / 1e3, "2,000,000", tenth.memory / 1e3, 1.2),
        Result("label 20,000,000 x 20 to Parquet", labeled.seconds, "pyarrow's read and write", copied.seconds, 3),
    ]


def pair_counts() -> list[Result]:
    """Counts of pairs of m sources on 200,000 points, per doubling of m."""
    seconds = {}
    for m in (64, 256, 1024):
        votes = carob.Votes.from_array(np.random.default_rng(0).integers(0, 2, (200_000, m), dtype=np.int8))
        seconds[m] = best(lambda votes=votes: carob.Moments.of(votes), ROUNDS)  # type: ignore[misc]
    return [
        Result(f"pair counts, {m:,} sources, a doubling", (seconds[m] / seconds[m // 4]) ** 0.5, "before", 1, 4.4)
        for m in (256, 1024)
    ]


def crowd(folder: Path) -> list[Result]:
    """Memory of 20,000,000 votes of 10,000 workers in a long table."""
    path = folder / "long.parquet"
    write_long(path, 20_000_000, 10_000)
    found = ran(CAROB, "fit", str(path), "--repeats", "first")
    return [Result("memory of 20,000,000 long rows, in GB", found.memory / 1e3, "2 GB", 2, 1)]


def ratios() -> bool:
    """Print every ratio; whether all of them hold."""
    compile_modules()
    held = True
    with tempfile.TemporaryDirectory() as name:
        for group in (pair_counts, lambda: files(Path(name)), lambda: crowd(Path(name))):
            for result in group():
                print(result, flush=True)
                held &= result.ratio <= result.limit
    return held


def costs() -> None:
    """Cost against n and m: seconds of a core, memory, and what a worker sends; a table and a chart for the docs."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "votes.parquet"
        for n, m in ((2_000_000, 20), (6_000_000, 20), (20_000_000, 20), (2_000_000, 5), (2_000_000, 80)):
            write_wide(path, n, m)
            used = fit(path, "--drop", "y")
            sent = len(_part(drawn(ROWS, m, 1), 0).to_bytes(_plan(m).coding))
            row = {"n": n, "m": m, "cpu": used.cpu, "memory": used.memory, "per_core": n / used.cpu, "sent": sent}
            rows.append(row)
            print(json.dumps(row), flush=True)
    (ROOT / "docs" / "_pictures" / "scale.svg").write_text(_chart(rows), encoding="utf-8")


def _chart(rows: list[dict[str, float]]) -> str:
    import altair
    import vl_convert

    alt: Any = altair  # whose types do not know all of it

    points = [row | {"votes": row["n"] * row["m"], "sources": f"{row['m']:.0f} sources"} for row in rows]
    x = alt.X("votes:Q", title="cells (points x sources)", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s"))
    chart = (
        alt.Chart(alt.Data(values=points))
        .mark_point(filled=True, size=80)
        .encode(x=x, color=alt.Color("sources:N", title=None), shape=alt.Shape("sources:N", title=None))
    )
    seconds = chart.encode(y=alt.Y("cpu:Q", title="seconds of a core", scale=alt.Scale(type="log")))
    memory = chart.encode(y=alt.Y("memory:Q", title="memory, MB", scale=alt.Scale(zero=True)))
    both = alt.hconcat(seconds.properties(width=280, height=200), memory.properties(width=280, height=200))
    return str(vl_convert.vegalite_to_svg(both.to_json()))


def _plan(m: int) -> RowDecoder:
    plan = RowDecoder.of_head(drawn(1_000, m), ReadOptions(drop=("y",), abstain=-1), None, Settings())
    if plan is None:
        raise TypeError("these are votes for classes in a wide table")
    return plan


def _part(rows: pa.Table, first_row: int) -> ChunkDigest:
    return _plan(rows.num_columns - 1).digest(rows, first_row)


def tree(executors: int = 1_000, rows: int = 2_000, m: int = 20) -> None:
    """A merge tree worked through: every executor's digest made, sent as bytes, and put together in groups."""
    plan = _plan(m)
    start = time.process_time()
    table = drawn(rows, m, 1)
    contents = [chunk_bytes(table.to_batches(), plan, k * rows, False) for k in range(executors)]
    made, level = time.process_time() - start, 0
    first = sum(map(len, contents)) / len(contents)
    largest = 0
    start = time.process_time()
    while len(contents) > 1:
        level += 1
        contents = [merged_bytes(contents[low : low + FAN], plan.coding) for low in range(0, len(contents), FAN)]
        largest = max(largest, *map(len, contents))
    merged = time.process_time() - start
    found = ChunkDigest.of_bytes(contents[0], plan.coding).digest
    whole = together([plan.digest(table, k * rows) for k in range(executors)]).digest
    if not isinstance(found, Digest) or found != whole:
        raise RuntimeError("the tree gives another digest than all parts at once")
    print(
        f"{executors:,} executors x {rows:,} rows: {len(found):,} points in {level} levels of {FAN}; an executor sends "
        f"{first / 1e3:,.0f} kB, a merge at most {largest / 1e3:,.0f} kB; {made:.1f} s of a core for all digests, "
        f"{merged:.1f} s for all merges; the same digest as of all parts at once."
    )


def main(words: list[str]) -> int:
    """Do what is asked for."""
    others: dict[str, Callable[[], None]] = {"--costs": costs, "--tree": tree}
    if words:
        others[words[0]]()
        return 0
    return 0 if ratios() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
