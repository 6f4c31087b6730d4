"""How common a class is, from votes and few gold labels: does the interval hold, and how narrow is it.

python bench/rate.py DIR [--draws 2] [--gold 50 100 200] [--only SET ...] [--peers] [--json]

bench/sets.py says what DIR holds; points without gold are left out, so that the truth is known. Of every set, random
gold labels are drawn, and the shares that `carob.rate` tells for all its points are compared to the truth: how often
the intervals hold it (nominal 90 %), and how wide they are beside gold alone and beside the best single source, taken
for itself by the same formula (prediction-powered inference with one judge; of more than ten sources those with most
votes; the best is that with the narrowest intervals over all draws of a set). --peers also asks ppi_py and truescore
for each of these sources, in an environment of their own; they speak of points like these, so that the width of
`carob.rate(beyond=True)` is compared to theirs.
A draw larger than half of the points is left out. Of two classes the second is told, else the mean over classes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from peer_environment import FOLDER, HERE, last_line
from sets import readable, some_gold

from carob._types import Floats
from carob.label.cross_validation import cross_validate
from carob.label.model import learn_votes
from carob.posterior.settings import Settings
from carob.value.rate import group_rates
from carob.votes import GoldPoints, Votes

LEVEL = 0.9
MOST_JUDGES = 10
PEERS = ("ppi_python", "truescore")


def peer_python() -> Path:
    """The interpreter of an environment with ppi_py and truescore, made once."""
    folder = FOLDER / "rates"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PEERS], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"ppi_py and truescore cannot be installed: {last_line(done.stderr)}")
        (folder / "ready").touch()
    return python


def peer_widths(python: Path, y: Floats, judges: Floats) -> dict[str, list[float]]:
    """How wide the interval of each peer is, from gold and each single judge."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "judged.npz"
        np.savez(file, y=y, judges=judges)
        command = [str(python), str(HERE / "rate_peers.py"), str(file), "--level", str(LEVEL)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(last_line(done.stderr))
        found: dict[str, list[float]] = json.loads(done.stdout)
        return found


def told(points: GoldPoints, predicted: Floats, beyond: bool = False) -> list[Any]:
    """Rates of all points."""
    everyone = np.zeros(len(predicted), dtype=np.intp)
    (found,) = group_rates(points, predicted, everyone, [None], LEVEL, beyond)
    return [found.worth, *(found.shares[1:] if len(found.shares) == 2 else found.shares)]


def measure(votes: Votes, n: int, seed: int, python: Path | None) -> dict[str, Any]:
    """One draw of gold: whether intervals hold, and how wide they are."""
    gold, _ = some_gold(votes, n, 1000 * seed + n)
    aside, settings = Settings(rng=seed).set_aside(votes)
    points = GoldPoints.of(aside.votes, gold)
    predicted = cross_validate(learn_votes(aside.votes, settings), points, settings).everyone
    worth, *shares = told(points, predicted)
    K, values = len(votes.classes), aside.votes.values
    classes = range(1, 2) if K == 2 else range(K)
    truth = np.bincount(votes.own_gold.values, minlength=K) / len(votes)
    widths = np.array([share.high - share.low for share in shares])
    alone = np.array([share.gold_high - share.gold_low for share in shares])
    some = np.argsort(-(values >= 0).sum(axis=0), kind="stable")[:MOST_JUDGES]
    single = [told(points, (values[:, [i]] == np.arange(K)).astype(np.float64))[1:] for i in some]
    row = {
        "covered": float(np.mean([s.low <= truth[k] <= s.high for s, k in zip(shares, classes, strict=True)])),
        "gold_covered": float(
            np.mean([s.gold_low <= truth[k] <= s.gold_high for s, k in zip(shares, classes, strict=True)])
        ),
        "width": float(widths.mean()),
        "over_gold": float((widths / alone).mean()),
        "most_over_gold": float((widths / alone).max()),
        "worth": worth,
        "judges": [float(np.mean([share.high - share.low for share in found])) for found in single],
    }
    if python is not None and K == 2:
        ours = told(points, predicted, beyond=True)[1]
        judges = (values[:, some] == 1).astype(np.float64)
        y = np.full(len(votes), np.nan)
        y[points.rows] = points.truth
        row["beyond"] = ours.high - ours.low
        row |= peer_widths(python, y, judges)
    return row


def main() -> None:
    """Measure on a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--gold", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--only", nargs="+", metavar="SET")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    python = peer_python() if options.peers else None
    rows: list[dict[str, Any]] = []
    for name, table in readable(options.folder, options.only):
        votes = table.take(np.flatnonzero(table.own_gold.known))
        for n in options.gold:
            if 2 * n > len(votes):
                continue
            for seed in range(options.draws):
                rows.append({"set": name, "gold": n, "seed": seed, **measure(votes, n, seed, python)})
                if not options.json:
                    print(f"{name:24} {n:4}  {_words(rows[-1:])}", flush=True)
    summary = {n: means([row for row in rows if row["gold"] == n]) for n in options.gold}
    if options.json:
        print(json.dumps({"rows": rows, "means": summary}))
        return
    print()
    for n in options.gold:
        chosen = [row for row in rows if row["gold"] == n]
        if chosen:
            print(f"{n:4} gold, {len(chosen):4} draws  {_words(chosen)}")


def means(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Means over draws, and the width beside the best judge of each set, by carob's formula and by others'."""
    if not rows:
        return {}
    names = ("covered", "gold_covered", "width", "over_gold", "worth")
    found = {name: float(np.mean([row[name] for row in rows])) for name in names}
    found["most_over_gold"] = max(row["most_over_gold"] for row in rows)
    for other, ours in (("judges", "width"), ("ppi_py", "beyond"), ("truescore", "beyond")):
        ratios = []
        for name in {row["set"] for row in rows}:
            of_set = [row for row in rows if row["set"] == name and other in row]
            if of_set:
                best = np.mean([row[other] for row in of_set], axis=0).min()
                ratios.append(np.mean([row[ours] for row in of_set]) / best)
        if ratios:
            found[f"over_best_of_{other}"] = float(np.mean(ratios))
    return found


def _words(rows: list[dict[str, Any]]) -> str:
    return "  ".join(f"{name} {value:.3g}" for name, value in means(rows).items())


if __name__ == "__main__":
    main()
