"""What gold labels and unlabeled points bring on real data: the constants of `karat.value.gains`, and how they hold.

python bench/gains.py DIR [--draws 4] [--out FILE]     fit every set with 50 to 250 gold labels; then tell c and b
python bench/gains.py --from FILE                      tell them from what was measured before

bench/sets.py says what DIR holds. c is the slope of the hidden log loss against one over the number of gold labels, b
that against one over the number of points. Constants are judged with each set left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from sets import files_of, gold_balance, read_set, some_gold
from simulated_votes import simulated_votes

from karat.estimate.settings import Settings
from karat.fit import fit
from karat.losses import log_losses
from karat.votes import Gold, Votes

GOLD = (50, 100, 150, 200, 250)
POINTS = (300, 1_000)  # and ten times as many
SIMULATED = 40  # sets of votes
NEXT = 50  # labels whose gain is told


def hidden_scores(
    votes: Votes, gold: Gold | None, hidden: Votes, truth: np.ndarray, balance: Any
) -> tuple[float, float]:
    """Log loss and share of wrong labels on hidden points, of the default fit."""
    p = fit(votes, gold, Settings(class_balance=balance)).posterior(hidden)
    return float(log_losses(p[np.arange(len(truth)), truth]).mean()), float((p.argmax(axis=1) != truth).mean())


def named_sets(folder: str) -> Iterator[tuple[str, Votes]]:
    """Sets of a folder, then simulated ones."""
    for file in files_of(folder):
        yield file.stem, read_set(file)
    for seed in range(SIMULATED):
        votes, truth = simulated_votes(seed)
        values = Gold(truth.astype(np.int8), votes.classes)
        yield f"simulated {seed}", Votes(votes.cells, votes.sources, votes.coding, values)


def measure_labels(name: str, votes: Votes, draws: int) -> Iterator[dict[str, Any]]:
    """Losses with several numbers of gold labels."""
    known = int(votes.own_gold.known.sum())
    for balance in (gold_balance(votes.own_gold), None):
        for n in (n for n in GOLD if 2 * n <= known):
            found = []
            for draw in range(draws):
                drawn, rest = some_gold(votes, n, draw)
                rows = np.flatnonzero(rest.known)
                found.append(hidden_scores(votes, drawn, votes.take(rows), rest.values[rows], balance))
            loss, wrong = np.mean(found, axis=0)
            yield {"set": name, "given": balance is not None, "gold": n, "loss": loss, "wrong": wrong}


def measure_points(name: str, votes: Votes, draws: int, gold: int = 100) -> Iterator[dict[str, Any]]:
    """Losses with some points and with ten times as many, and the same gold."""
    truth = votes.own_gold.values
    known = np.flatnonzero(truth >= 0)
    for n in (n for n in POINTS if 10 * n <= len(votes) and 2 * gold <= len(known)):
        for balance in (gold_balance(votes.own_gold), None):
            found = []
            for draw in range(draws):
                rng = np.random.default_rng([draw, n])
                labeled = rng.permutation(known)[:gold]
                others = rng.permutation(np.setdiff1d(np.arange(len(votes)), labeled))
                hidden = np.setdiff1d(known, labeled)[:4_000]
                for size in (n, 10 * n):
                    rows = np.concatenate([labeled, others[: size - gold]])
                    values = np.where(np.arange(size) < gold, truth[rows], -1).astype(np.int8)
                    drawn = Gold(values, votes.classes)
                    found.append(hidden_scores(votes.take(rows), drawn, votes.take(hidden), truth[hidden], balance))
            few, many = np.array(found)[::2].mean(axis=0), np.array(found)[1::2].mean(axis=0)
            loss, wrong = few - many
            yield {"set": name, "given": balance is not None, "points": n, "loss": loss, "wrong": wrong}


def slopes(rows: list[dict[str, Any]], number: str) -> dict[tuple[str, bool], float]:
    """The c of every set and class balance, from losses with at least three numbers of labels."""
    by_set = defaultdict(list)
    for row in rows:
        if "gold" in row:
            by_set[row["set"], row["given"]].append((row["gold"], row[number]))
    return {
        key: float(np.polyfit([1 / n for n, _ in found], [loss for _, loss in found], 1)[0])
        for key, found in by_set.items()
        if len(found) >= 3
    }


def per_point(rows: list[dict[str, Any]], number: str) -> dict[tuple[str, bool], float]:
    """The b of every set and class balance."""
    by_set = defaultdict(list)
    for row in rows:
        if "points" in row:
            by_set[row["set"], row["given"]].append(row[number] / (0.9 / row["points"]))
    return {key: float(np.mean(found)) for key, found in by_set.items()}


def log_normal(found: list[float]) -> tuple[float, float]:
    """Median and deviation of the logarithm, by quantiles, so that gains that noise makes negative do no harm."""
    middle = max(float(np.median(found)), 1e-3)
    low, high = (max(float(np.quantile(found, share)), middle / 20) for share in (0.1, 0.9))
    return middle, float(np.log(high / low) / (2 * NormalDist().inv_cdf(0.9)))


def tell(rows: list[dict[str, Any]]) -> None:
    """Print the constants, and how they hold on sets left out."""
    z = NormalDist().inv_cdf(0.95)
    for words, found in (
        ("labels, log loss", slopes(rows, "loss")),
        ("labels, wrong labels", slopes(rows, "wrong")),
        ("points, log loss", per_point(rows, "loss")),
        ("points, wrong labels", per_point(rows, "wrong")),
    ):
        for given in (True, False):
            here = {name: value for (name, balance), value in found.items() if balance == given}
            if len(here) < 3:
                continue
            real = [name for name in here if not name.startswith("simulated")]
            median, deviation = log_normal([here[name] for name in real])
            covered, close = [], []
            for name in real:
                m, d = log_normal([here[other] for other in real if other != name])
                covered.append(m * np.exp(-z * d) <= here[name] <= m * np.exp(z * d))
                close.append(m / 2 <= here[name] <= 2 * m)
            simulated = [here[name] for name in here if name not in real]
            there = f"; simulated sets: median {np.median(simulated):.2f}" if simulated else ""
            print(
                f"{words}, class balance {'given' if given else 'not given'}: median {median:.2f}, deviation of the log "
                f"{deviation:.2f}; left out: covered {np.mean(covered):.2f}, within a factor of two {np.mean(close):.2f} "
                f"of {len(real)} sets{there}"
            )


def main() -> None:
    """Measure, or read what was measured, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--from", dest="measured", type=Path)
    options = parser.parse_args()
    if options.measured:
        rows = [json.loads(line) for line in options.measured.read_text().splitlines()]
    else:
        rows = []
        for name, votes in named_sets(options.folder):
            rows += [*measure_labels(name, votes, options.draws), *measure_points(name, votes, options.draws)]
            print(name, file=sys.stderr, flush=True)
    if options.out:
        options.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tell(rows)


if __name__ == "__main__":
    main()
