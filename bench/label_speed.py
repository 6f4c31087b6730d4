"""How long labels take, against other libraries in the same run: the part of bench/label_quality.py that --speed runs.

python bench/label_speed.py [REPLICATES]     carob alone on many workers, with the memory of this process, as JSON

Votes are simulated: two classes equally frequent, every source right with a probability of its own. Bringing votes into
the form that a library takes is not timed. carob takes all cores that it may, others what OMP_NUM_THREADS says: run it
under `taskset -c 0` to give everybody one core.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from peer_environment import PeerError, Peers, last_line
from pyarrow import parquet

import carob
from carob._types import Codes, Floats, Ints
from carob.votes import Votes

CLASSES = (0, 1)


def full_votes(n: int, m: int, low: float, high: float) -> tuple[Ints, Codes]:
    """True classes, and votes of all sources on all points."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    wrong = rng.random((n, m)) >= rng.uniform(low, high, m)
    return truth, (truth[:, None] ^ wrong).astype(np.int8)


def crowd_votes(n: int, m: int, each: int, low: float, high: float) -> tuple[Ints, pa.Table]:
    """True classes, and a row for every vote of so many random workers on each task."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    accuracy = rng.uniform(low, high, m)
    worker = np.concatenate([rng.choice(m, each, replace=False) for _ in range(n)])
    task = np.repeat(np.arange(n), each)
    label = truth[task] ^ (rng.random(len(task)) >= accuracy[worker])
    return truth, pa.table({"task": task, "worker": worker, "label": label})


def wide(table: pa.Table, n: int, m: int) -> Codes:
    """The same votes with a column per worker."""
    values = np.full((n, m), -1, dtype=np.int8)
    values[table["task"].to_numpy(), table["worker"].to_numpy()] = table["label"].to_numpy()
    return values


def timed(work: Callable[[], Floats]) -> tuple[Floats, float]:
    """Probabilities, and the seconds they took."""
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


def carob_labels(votes: Votes, replicates: int | None = None, **options: Any) -> Floats:
    """Fit and label; with carob's own number of replicates where not given."""
    if replicates is not None:
        options["replicates"] = replicates
    return carob.LabelModel(**options).fit(votes).predict_proba(votes)


def accuracy(probabilities: Floats, truth: Ints) -> float:
    """Share of points whose most probable class is right."""
    return float((probabilities.argmax(axis=1) == truth).mean())


def peer_labels(peers: Peers, peer: str, values: Codes) -> tuple[Floats, float] | str:
    """Probabilities and seconds of a peer, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "votes.parquet"
        parquet.write_table(pa.table({f"s{i}": column for i, column in enumerate(values.T)}), file)
        try:
            found = peers.label(peer, file, len(CLASSES), None)
        except PeerError as error:
            return str(error)
        return found.probabilities, found.seconds


def line(what: str, name: str, found: tuple[Floats, float], truth: Ints, peer: str, other: Any) -> dict[str, Any]:
    """One comparison in words and numbers."""
    probabilities, seconds = found
    right = accuracy(probabilities, truth)
    told: dict[str, Any] = {"what": what, "carob": name, "seconds": seconds, "accuracy": right, "peer": peer}
    words = f"{what}: {name} {seconds:.2f} s, accuracy {right:.4f}"
    if isinstance(other, str):
        return told | {"failed": other, "words": f"{words}; {peer} failed: {other}"}
    peer_right, peer_seconds = accuracy(other[0], truth), other[1]
    ratio = seconds / peer_seconds
    told |= {"peer_seconds": peer_seconds, "peer_accuracy": peer_right, "ratio": ratio}
    return told | {"words": f"{words}, {ratio:.2f} x {peer} ({peer_seconds:.2f} s, accuracy {peer_right:.4f})"}


def against_snorkel(peers: Peers) -> list[dict[str, Any]]:
    """Fifty sources that all vote."""
    truth, values = full_votes(200_000, 50, 0.55, 0.8)
    votes = Votes.from_array(values, classes=CLASSES)
    ours = timed(lambda: carob_labels(votes, class_balance=0.5))
    other = peer_labels(peers, "Snorkel", values)
    return [line("200,000 x 50", "carob with intervals", ours, truth, "Snorkel", other)]


def against_dawid_skene(peers: Peers) -> list[dict[str, Any]]:
    """A crowd, of which nobody is told the class balance."""
    n, m = 20_000, 800
    truth, table = crowd_votes(n, m, 7, 0.6, 0.95)
    votes = Votes.from_long(table, classes=CLASSES)
    keyed = truth[np.asarray(votes.keys, dtype=np.int64)]
    plain = timed(lambda: carob_labels(votes, 0))
    full = timed(lambda: carob_labels(votes))
    other = peer_labels(peers, "DawidSkene", wide(table, n, m))
    if not isinstance(other, str):
        other = other[0][np.asarray(votes.keys, dtype=np.int64)], other[1]
    what = "20,000 tasks x 800 workers, 7 votes a task"
    return [
        line(what, "carob without intervals", plain, keyed, "DawidSkene", other),
        line(what, "carob with intervals", full, keyed, "DawidSkene", other),
    ]


def many_workers(replicates: int | None) -> dict[str, Any]:
    """Seconds and memory of carob alone, in this process."""
    truth, table = crowd_votes(100_000, 10_000, 7, 0.6, 0.95)
    votes = Votes.from_long(table, classes=CLASSES)
    before = peak_bytes()
    probabilities, seconds = timed(lambda: carob_labels(votes, replicates))
    right = accuracy(probabilities, truth[np.asarray(votes.keys, dtype=np.int64)])
    return {"seconds": seconds, "accuracy": right, "peak_bytes": peak_bytes(), "peak_bytes_before": before}


def peak_bytes() -> int:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux counts in units of 1,024


def in_child(name: str, *words: str) -> dict[str, Any]:
    """`many_workers` in a process of its own, in words and numbers."""
    told: dict[str, Any] = {"what": "100,000 tasks x 10,000 workers, 7 votes a task", "carob": name}
    done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True)
    if done.returncode:
        reason = last_line(done.stderr) or f"ended with code {done.returncode}"
        return told | {"failed": reason, "words": f"{told['what']}: {name} failed: {reason}"}
    found = json.loads(done.stdout)
    peak, before = (f"{found[key] / 2**30:.2f} GB" for key in ("peak_bytes", "peak_bytes_before"))
    words_told = f"{told['what']}: {name} {found['seconds']:.2f} s, accuracy {found['accuracy']:.4f}, "
    return told | found | {"words": f"{words_told}peak memory {peak} ({before} with the votes read)"}


def speed(peers: Peers) -> list[dict[str, Any]]:
    """All comparisons."""
    # First, as Linux counts the memory of the process that starts another one as the other's too.
    large = [in_child("carob without intervals", "0"), in_child("carob with intervals")]
    carob_labels(Votes.from_array(full_votes(1_000, 5, 0.6, 0.9)[1], classes=CLASSES))  # compiles
    return [*against_snorkel(peers), *against_dawid_skene(peers), *large]


if __name__ == "__main__":
    print(json.dumps(many_workers(int(sys.argv[1]) if len(sys.argv) > 1 else None)))
