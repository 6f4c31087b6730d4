"""Commands with options at random, on tables and model files that may be damaged."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from run_carob import carob

from fuzz.tables import FORMATS, NAMES, chance, damage, pick, votes_table, write_table

HOSTILE = [
    "", " ", "nan", "inf", "-1", "1e999", "0", "1" * 5_000, "a,b", "\x1b[31m", "ü", "x" * 2_000, "0..1", "a=b", "=",
    "/dev/zero", ".", "..", "/", "~", "-", "--", "\udcff", "%s", "{}", "9223372036854775808", ".9999999999999999",
]  # fmt: skip
VALUES: dict[str, list[str]] = {
    "--key": ["id", "y", "a"],
    "--gold": ["y", "y", "y", "gold", "a"],
    "--gold-file": ["votes.csv", "gold.csv", "missing.csv"],
    "--chance": ["chance", "a"],
    "--task": ["task", "a"],
    "--worker": ["worker", "task", "id"],
    "--label": ["label", "y"],
    "--repeats": ["first", "last", "refuse"],
    "--drop": ["a", "b,c", "y"],
    "--sources": ["a,b,c", "a"],
    "--classes": ["0,1", "no,yes", "1,0", "nan,1", "a"],
    "--abstain": ["-1", "0", "nan", "no"],
    "--map": ["yes=no", "1=0", "x=y"],
    "--kind": ["a=score", "a=vote", "a=0..10", "*=probability"],
    "--class-balance": [".5", ".2,.8", "0", "1", ".3,.3,.4", ".999999999999"],
    "--level": [".5", ".99", "1e-9", ".9999999999"],
    "--seed": ["0", "7", "99999999999999999999"],
    "--known-pair": ["a", "b"],
}
FLAGS = ["--ignore-case", "--strict"]
OWN: dict[str, list[list[str]]] = {
    "check": [[], ["--method", "triplets"], ["--method", "tensors"], ["--method", "labeled"]],
    "fit": [
        ["--out", "labels.csv"], ["--out", "labels.parquet", "--model", "model.json"], ["--out", "labels.jsonl"],
        ["--model", "model.json"], ["--out", "votes.csv"], ["--method", "labeled", "--out", "labels.csv"],
        ["--method", "triplets", "--out", "labels.csv"], ["--out", "labels.txt"],
    ],
    "pick": [["-n", "5", "--out", "points.csv"], ["-n", "3", "--for", "estimate"], ["-n", "-1"], ["-n", "99999999999"]],
    "rate": [[], ["--by", "a"], ["--beyond"]],
    "value": [[], ["--worth", ".01"]],
    "plan": [["--label-cost", "1", "--point-cost", ".01", "--budget", "10"],
             ["--label-cost", "nan", "--point-cost", "-1", "--budget", "inf"]],
}  # fmt: skip
OFTEN = ["check"] * 5 + ["fit"] * 6 + ["pick"] * 2 + ["rate"] * 2 + ["value", "plan"]


def command_case(rng: np.random.Generator, folder: Path) -> list[str]:
    """A table in the folder, and the words of a command on it; more than half are such that they can be answered."""
    votes, sound = f"votes.{pick(rng, FORMATS)}", chance(rng, 0.6)
    table = votes_table(rng, sound)
    write_table(table, folder / votes)
    if not sound and chance(rng, 0.4):
        (folder / votes).write_bytes(damage(rng, (folder / votes).read_bytes()))
    if chance(rng, 0.1):
        (folder / "gold.csv").write_text("id,gold\nk1,1\nk2,0\nk3,yes\n")
    if chance(rng, 0.3):
        (folder / "labels.csv").write_text("old")
    command = pick(rng, OFTEN)
    own = pick(rng, OWN[command][:1] if sound and chance(rng, 0.5) else OWN[command])
    words = [command, votes if sound else _source(rng, votes), *own]
    if sound:
        words += ["--gold", "y"] if "y" in table and chance(rng, 0.9) else []
        words += ["--key", "id"] if "id" in table and chance(rng, 0.7) else []
        words += _options(rng, ["--level", "--seed", "--class-balance", "--abstain"])
    else:
        words += _options(rng, list(VALUES))
    words += [flag for flag in FLAGS if chance(rng, 0.03 if sound else 0.1)]
    return [*words, "--json"] if chance(rng, 0.4) else words


def label_case(rng: np.random.Generator, folder: Path) -> list[str]:
    """A model, most often with one thing wrong, and the words that label votes with it."""
    model, votes = pick(rng, models())
    (folder / "votes.csv").write_text(votes)
    whole = model.encode()
    if chance(rng, 0.3):
        whole = damage(rng, whole)
    elif chance(rng, 0.9):
        whole = _wrong_value(rng, model).encode(errors="surrogatepass")
    (folder / "model.json").write_bytes(whole)
    out = pick(rng, ["labels.csv", "labels.parquet", "labels.jsonl"])
    words = ["label", "votes.csv", "--model", "model.json", "--out", out]
    return [*words, *_options(rng, list(VALUES)[:1]), *(["--json"] if chance(rng, 0.4) else [])]


def _source(rng: np.random.Generator, votes: str) -> str:
    if chance(rng, 0.9):
        return votes
    return str(
        pick(rng, [
            f"FROM '{votes}' SELECT *", f"FROM '{votes}' LIMIT 5", "FROM 'votes*'", f"FROM '{votes}'; COPY x TO 'y'",
            "SELECT 1; CREATE TABLE t AS SELECT 1", "FROM 'https://127.0.0.1:9/x.csv'", "WITH x", "FROM read_text('*')",
            "SELECT 1 AS a, 0 AS b FROM range(30)", *HOSTILE,
        ])
    )  # fmt: skip


def _options(rng: np.random.Generator, names: list[str]) -> list[str]:
    words: list[str] = []
    for name in names:
        often = 0.25 if name in ("--gold", "--key") else 0.04
        if chance(rng, often):
            hostile = chance(rng, 0.15)
            for _ in range(2 if name == "--known-pair" else 1):
                words += [str(pick(rng, [*HOSTILE, *NAMES] if hostile else VALUES[name])).replace("\0", "")]
            words.insert(len(words) - (2 if name == "--known-pair" else 1), name)
    return words


def _wrong_value(rng: np.random.Generator, model: str) -> str:
    """A model file with one value replaced, taken out or doubled."""
    content = json.loads(model)
    at: Any = content
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = pick(rng, keys)
        if not isinstance(at[key], dict | list) or not at[key] or chance(rng, 0.25):
            break
        at = at[key]
    match int(rng.integers(4)):
        case 0:
            del at[key]
        case 1 if isinstance(at, list):
            at.append(at[key])
        case _:
            at[key] = "here"
    wrong = ["null", "NaN", "-Infinity", "1e400", "1e300", "-1", "0", "2", "1" * 5_000, "1" + "0" * 400, '"x"', "[]",
             "{}", "true", "[" * 5_000 + "]" * 5_000, '"\\ud800"', "0.3", "[1, 2]", '"\\u001b[31m"']  # fmt: skip
    return json.dumps(content).replace('"here"', pick(rng, wrong), 1)


@cache
def models() -> list[tuple[str, str]]:
    """Models of several kinds as text, and the votes that they were fitted to."""
    import tempfile

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    rows = [[int(y if rng.random() < 0.75 else 1 - y) for _ in range(4)] for y in truth]
    scores = [[round(float(np.clip(rng.normal(0.3 + 0.4 * y, 0.2), 0, 1)), 3)] for y in truth]
    found = []
    for extra, options in (
        ([[]] * 60, []),
        ([[]] * 60, ["--method", "triplets", "--class-balance", ".5"]),
        ([[]] * 60, ["--method", "labeled", "--known-pair", "a", "b"]),
        (scores, []),
    ):
        table = [[*row, *more, y] for row, more, y in zip(rows, extra, truth.tolist(), strict=True)]
        header = ["a", "b", "c", "d", *(["s"] if extra[0] else []), "y"]
        text = "\n".join(",".join(map(str, row)) for row in [header, *table]) + "\n"
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "v.csv").write_text(text)
            result = carob("fit", "v.csv", "--gold", "y", "--model", "m.json", *options, cwd=Path(folder))
            assert result.returncode == 0, result.stderr
            found.append(((Path(folder) / "m.json").read_text(), text))
    return found
