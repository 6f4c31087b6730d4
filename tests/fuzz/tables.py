"""Tables of votes, sound and hostile, in files of every format and coding."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

Rows = dict[str, list[Any]]

CODINGS: list[list[Any]] = [
    [0, 1], [0, 1], [0, 1], [-1, 1], [0, 1, -1], [0, 1, 2], [1, 2, 3, 4, 5], list(range(12)), [True, False],
    ["yes", "no"], ["spam", "ham", ""], ["yes", "Yes", "no.", "N/A"], ["a\0", "a"], ["\x1b[31mred", "b\x9b"],
    ["ü", "日本", "\u202e"], ["x" * 5_000, "y"], [0.25, 0.5, 0.75, 0.9, 0.1, 0.33], [0.0, 1.0, None],
    [float("nan"), 0.0, 1.0], [float("inf"), 1.0], [2**63 - 1, 2**63 - 2], [10**30, 1], ["nan", "1"], [None], [1],
    ["2020-01-01T00:00:00", "2020-01-02T00:00:00"], ["=1+1", "@x"], ["null", "true"], [-5, 7],
]  # fmt: skip
SOUND = [[0, 1], [-1, 1], [0, 1, 2], [True, False], ["yes", "no"], ["spam", "ham", ""], ["ü", "日本"], ["a\0", "a"],
         [0.25, 0.5, 0.75, 0.9, 0.1, 0.33], [1, 2, 3, 4, 5], ["\x1b[31mred", "b\x9b"],
         [2**63 - 1, 2**63 - 2]]  # fmt: skip
NAMES = [
    "a", "b", "c", "d", "e", "task", "worker", "label", "y", "gold", "id", "", " ", "\x1b[2J", "näme", "x" * 300,
    "__index_level_0__", "p_0", "row", "key", "chance", "n_votes", "a,b", 'q"', "line\nbreak", "\0", "verdict",
]  # fmt: skip
FORMATS = ["csv", "tsv", "csv.gz", "jsonl", "ndjson", "jsonl.gz", "parquet", "arrow", "feather", "stream.arrow"]


def pick(rng: np.random.Generator, values: Any) -> Any:
    """One of some values, as it is."""
    return values[int(rng.integers(len(values)))]


def chance(rng: np.random.Generator, share: float) -> bool:
    """True with this probability."""
    return bool(rng.random() < share)


def votes_table(rng: np.random.Generator, sound: bool) -> Rows:
    """Columns of a wide or a long table; sound ones are such that what comes after reading is reached."""
    coding = pick(rng, SOUND if sound else CODINGS)
    n = int(pick(rng, [25, 60, 60] if sound else [0, 1, 2, 7, 25, 60]))
    empty = float(pick(rng, [0, 0, 0.2] if sound else [0, 0.2, 0.9, 1]))
    truth = rng.integers(0, len(coding), n)

    def vote(point: int) -> Any:
        if chance(rng, empty):
            return None
        return coding[int(truth[point])] if chance(rng, 0.7) else pick(rng, coding)

    if chance(rng, 0.3):
        m = int(pick(rng, [3, 8] if sound else [1, 3, 8]))
        cells = [(t, w) for t in range(n) for w in range(m) if chance(rng, 0.7)]
        table: Rows = {
            "task": [f"t{t}" for t, _ in cells],
            "worker": [f"w{w}" for _, w in cells],
            "label": [vote(t) for t, _ in cells],
        }
        if chance(rng, 0.3):
            table["y"] = [coding[int(truth[t])] for t, _ in cells]
    else:
        names = list("abcdef")[: int(pick(rng, [3, 5, 6] if sound else [1, 2, 3, 5, 6]))]
        if chance(rng, 0.1 if sound else 0.5):
            names = [*names, *(pick(rng, NAMES) for _ in range(3))]
        table = {name: [vote(t) for t in range(n)] for name in names}
        if chance(rng, 0.5):
            table["id"] = [f"k{t}" for t in range(n)] if chance(rng, 0.8) else [pick(rng, NAMES) for _ in range(n)]
        if chance(rng, 0.5):
            known = float(pick(rng, [0.1, 0.5, 1]))
            table["y"] = [coding[int(k)] if chance(rng, known) else None for k in truth]
    for name in list(table):
        if table[name] and chance(rng, 0.01 if sound else 0.1):  # one cell that does not belong there
            table[name][int(rng.integers(len(table[name])))] = pick(rng, pick(rng, CODINGS))
    return table


def write_table(table: Rows, path: Path) -> None:
    """Write a table in the format that the name of the file says."""
    name = path.name
    content: bytes
    if ".csv" in name or ".tsv" in name:
        text = io.StringIO()
        writer = csv.writer(text, delimiter="\t" if ".tsv" in name else ",")
        rows = zip(*table.values(), strict=True)
        writer.writerows([[*table], *([("" if v is None else v) for v in row] for row in rows)])
        content = text.getvalue().encode("utf-8", "surrogatepass")
    elif "json" in name:
        lines = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    else:
        columns = pa.table({column: _arrow(values) for column, values in table.items()})
        out = pa.BufferOutputStream()
        if name.endswith(".parquet"):
            pq.write_table(columns, out)
        elif name.endswith("stream.arrow"):
            with pa.ipc.new_stream(out, columns.schema) as stream:
                stream.write_table(columns)
        else:
            feather.write_feather(columns, out, compression="uncompressed" if name.endswith(".arrow") else "zstd")
        content = out.getvalue().to_pybytes()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)


def _arrow(values: list[Any]) -> Any:
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def damage(rng: np.random.Generator, content: bytes) -> bytes:
    """A few bytes changed, cut, doubled or put in."""
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        if not changed:
            break
        low, size = int(rng.integers(len(changed))), int(rng.integers(1, 40))
        match int(rng.integers(5)):
            case 0:
                changed[low] ^= int(rng.integers(1, 256))
            case 1:
                del changed[low : low + size]
            case 2:
                changed[low:low] = changed[low : low + size]
            case 3:
                changed[low:low] = rng.bytes(size)
            case _:
                del changed[low:]
    return bytes(changed)
