"""Store what carob computes, and compare two such stores: for changes of the code that must change no result.

python scripts/compare_results.py store OUT VOTES.parquet...    the IMDB votes, examples/messages.csv and these files
python scripts/compare_results.py compare BEFORE AFTER          exit code 1 if something moved that must not

Point estimates and probabilities must agree to 1e-12 and the numbers of `carob reproduce` to the bit. Intervals, values
and plans rest on random draws: their largest differences are printed, for somebody to look at.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import carob

ROOT = Path(__file__).resolve().parent.parent
EXACT = 1e-12
FITS: dict[str, dict[str, Any]] = {
    "default": {},
    "balance": {"class_balance": "uniform"},
    "pair": {"known_pairs": [(0, 1)]},
    "labeled": {"method": "labeled"},
    "triplets": {"method": "triplets"},
}


def data_sets(files: list[str]) -> Iterator[tuple[str, carob.Votes]]:
    """Votes with all the gold that they came with."""
    yield "imdb", carob.paper.datasets.load_imdb()
    yield "messages", carob.read_votes(ROOT / "examples" / "messages.csv", key="id", gold="truth")
    for file in files:
        yield Path(file).stem, carob.read_votes(file, gold="gold", drop=["split"])


def few(votes: carob.Votes, n: int) -> Any:
    """Gold for n random points."""
    gold = votes.code_gold(votes.gold).values
    rows = np.random.default_rng(0).permutation(np.flatnonzero(gold >= 0))[:n]
    kept = np.full(len(votes), -1, dtype=np.int8)
    kept[rows] = gold[rows]
    return carob.Gold(kept, votes.classes)


def fitted(votes: carob.Votes, options: dict[str, Any], n_gold: int, folder: Path, name: str) -> dict[str, Any]:
    """Everything that a fit gives, or what it says no with."""
    if options.get("class_balance") == "uniform":
        options = options | {"class_balance": [1 / len(votes.classes)] * len(votes.classes)}
    try:
        model = carob.LabelModel(**options).fit(votes, few(votes, n_gold) if n_gold else None)
    except ValueError as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    np.save(folder / f"{name}.npy", model.predict_proba(votes))
    model.save(folder / f"{name}.json")
    table = model.source_table_
    return {
        "point": {"accuracy": table.accuracy.tolist(), "class_balance": model.class_balance_.tolist()},
        "interval": {"low": table.low.tolist(), "high": table.high.tolist()},
    }


def valued(votes: carob.Votes, n_gold: int) -> dict[str, Any]:
    """What carob.data_value and carob.plan say."""
    found: dict[str, Any] = {}
    for name, balance in (("value", None), ("balance", [1 / len(votes.classes)] * len(votes.classes))):
        try:
            found[name] = carob.data_value(
                votes, few(votes, n_gold), model=carob.LabelModel(class_balance=balance)
            ).to_dict()
        except ValueError as error:
            found[name] = {"refused": f"{type(error).__name__}: {error}"}
    try:
        spent = carob.plan(votes, few(votes, n_gold), label_cost=0.5, point_cost=0.001, budget=100.0)
        found["plan"] = spent.to_dict()
    except ValueError as error:
        found["plan"] = {"refused": f"{type(error).__name__}: {error}"}
    return found


def reproduced(trials: int) -> Any:
    """The numbers of `carob reproduce all`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from carob.__main__ import main; main()", "reproduce", "all", "--json"]
        run = subprocess.run([*command, "--trials", str(trials), "--out", folder], capture_output=True, check=True)
        return {name: json.loads(run.stdout)[name] for name in ("comparison", "tables")}


def store(out: Path, files: list[str]) -> None:
    """Compute everything."""
    out.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {}
    for name, votes in data_sets(files):
        for fit, options in FITS.items():
            for n_gold in (0, 100):
                key = f"{name}, {fit}, {n_gold} gold"
                results[key] = fitted(votes, options, n_gold, out, key.replace(", ", "-").replace(" ", "-"))
        results[f"{name}, value"] = valued(votes, 100)
        print(name, flush=True)
    results["reproduce"] = reproduced(100)
    (out / "results.json").write_text(json.dumps(results, indent=1))


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """All numbers in a nest of dicts and lists, with where they are."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from numbers(item, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from numbers(item, f"{path}[{place}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


def gap(before: Any, after: Any) -> tuple[float, str]:
    """The largest difference of two nests of numbers, and where; infinite where they hold different things."""
    ours, theirs = dict(numbers(before)), dict(numbers(after))
    if ours.keys() != theirs.keys():
        return float("inf"), f"differ in {sorted(ours.keys() ^ theirs.keys())[:3]}"
    worst = max(
        ((0.0 if ours[path] == theirs[path] else abs(ours[path] - theirs[path]), path) for path in ours),
        default=(0, ""),
    )
    return float(worst[0]), worst[1]


def compare(before: Path, after: Path) -> int:
    """Print what differs."""
    old, new = (json.loads((folder / "results.json").read_text()) for folder in (before, after))
    failed = 0

    def say(key: str, found: tuple[float, str], limit: float | None) -> None:
        nonlocal failed
        bad = limit is not None and not found[0] <= limit
        failed += bad
        if bad or limit is None:
            print(f"{key}: {found[0]:.3g} at {found[1]}{'  MOVED' if bad else ''}")

    for key, value in old.items():
        other = new.get(key, {})
        if key == "reproduce":
            say(key, gap(value, other), 0.0)
        elif key.endswith("value"):
            for part in value:
                say(f"{key}, {part}", gap(value[part], other.get(part)), None)
                kinds = [found.get("advice", "") for found in (value[part], other.get(part, {}))]
                if kinds[0] != kinds[1]:
                    print(f"{key}, {part}: {kinds[0]!r} became {kinds[1]!r}")
        elif "refused" in value or "refused" in other:
            if value != other:
                print(f"{key}: {value.get('refused', 'fitted')!r} became {other.get('refused', 'fitted')!r}")
        else:
            say(f"{key}, point", gap(value["point"], other["point"]), EXACT)
            name = key.replace(", ", "-").replace(" ", "-") + ".npy"
            moved = float(np.abs(np.load(before / name) - np.load(after / name)).max())
            say(f"{key}, probabilities", (moved, "a point"), EXACT)
    widths = [
        np.mean(
            [
                np.mean(np.subtract(found[key]["interval"]["high"], found[key]["interval"]["low"]))
                for key in old
                if "interval" in old[key] and "interval" in new.get(key, {})
            ]
        )
        for found in (old, new)
    ]
    print(f"mean width of the intervals: {widths[0]:.4f} before, {widths[1]:.4f} after")
    for file in sorted(before.glob("*.json")):
        if file.name != "results.json":
            loaded = carob.load(file)
            probabilities = np.load(file.with_suffix(".npy"))
            name = file.stem.split("-")[0]
            if name in DATA and np.abs(loaded.predict_proba(DATA[name]) - probabilities).max() > EXACT:
                failed += 1
                print(f"{file.name}: a model of before labels differently when loaded  MOVED")
    print("something moved" if failed else "nothing moved that must not")
    return 1 if failed else 0


DATA: dict[str, carob.Votes] = {}

if __name__ == "__main__":
    if sys.argv[1] == "store":
        store(Path(sys.argv[2]), sys.argv[3:])
    else:
        DATA.update(data_sets(sys.argv[4:]))
        sys.exit(compare(Path(sys.argv[2]), Path(sys.argv[3])))
