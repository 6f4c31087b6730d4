"""What gold labels and unlabeled points bring on real data: the constants of `karat.value.gains`, and how they hold.

python bench/gains.py DIR [--draws 4] [--out FILE]     fit every set with 50 to 250 gold labels; then tell c and b
python bench/gains.py --from FILE                      tell them from what was measured before

bench/sets.py says what DIR holds. c is the slope of the hidden log loss against one over the number of gold labels, b
that against one over the number of points; what is seen of them is what fits without a part of gold, or to halves of
the points, differ by. A law is a line through their logarithms, and is judged with each set left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sets import files_of, gold_balance, read_set, some_gold
from simulated_votes import simulated_votes

from karat.estimate.settings import Settings
from karat.fit import fit
from karat.losses import log_losses
from karat.value.gains import LEAST, Gain, Law
from karat.value.risks import FOLDS, blind, points_variation
from karat.votes import Gold, GoldPoints, Votes

GOLD = (50, 100, 150, 200, 250)
POINTS = (300, 1_000)  # and ten times as many
SIMULATED = 40  # sets of votes
NEXT = 50  # labels whose gain is told
SEEN = (100, 200)  # gold labels with which it is measured what fits differ by
DRAWN = 0.5  # variance of what is seen, as a logarithm, that is noise: the line is drawn to none by so much


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
        yield f"simulated {seed}", replace(votes, gold=values)


def measure_labels(name: str, votes: Votes, draws: int) -> Iterator[dict[str, Any]]:
    """Losses with several numbers of gold labels, and what fits differ by."""
    known = int(votes.own_gold.known.sum())
    for balance in (gold_balance(votes.own_gold), None):
        for n in (n for n in GOLD if 2 * n <= known):
            found, seen = [], []
            for draw in range(draws):
                drawn, rest = some_gold(votes, n, draw)
                rows = np.flatnonzero(rest.known)
                found.append(hidden_scores(votes, drawn, votes.take(rows), rest.values[rows], balance))
                points = GoldPoints.of(votes, drawn)
                if n in SEEN and np.count_nonzero(points.counts) > 1:
                    seen.append(
                        n * blind(votes, points, np.arange(n) % FOLDS, Settings(class_balance=balance)).variation
                    )
            loss, wrong = np.mean(found, axis=0)
            row = {"set": name, "given": balance is not None, "gold": n, "loss": loss, "wrong": wrong}
            yield row | ({"seen": float(np.mean(seen))} if seen else {})


def measure_points(name: str, votes: Votes, draws: int, gold: int = 100) -> Iterator[dict[str, Any]]:
    """What ten times the points bring with the same gold, and what fits to halves of them differ by."""
    truth = votes.own_gold.values
    known = np.flatnonzero(truth >= 0)
    for n in (n for n in POINTS if 10 * n <= len(votes) and 2 * gold <= len(known)):
        for balance in (gold_balance(votes.own_gold), None):
            found, seen = [], []
            for draw in range(draws):
                rng = np.random.default_rng([draw, n])
                labeled = rng.permutation(known)[:gold]
                others = rng.permutation(np.setdiff1d(np.arange(len(votes)), labeled))
                hidden = np.setdiff1d(known, labeled)[:4_000]
                for size in (n, 10 * n):
                    rows = np.concatenate([labeled, others[: size - gold]])
                    values = np.where(np.arange(size) < gold, truth[rows], -1).astype(np.int8)
                    drawn, part = Gold(values, votes.classes), votes.take(rows)
                    found.append(hidden_scores(part, drawn, votes.take(hidden), truth[hidden], balance))
                    points = GoldPoints.of(part, drawn)
                    if size == n and np.count_nonzero(points.counts) > 1:
                        seen.append(n * points_variation(part, points, Settings(class_balance=balance), rng))
            loss, wrong = np.array(found)[::2].mean(axis=0) - np.array(found)[1::2].mean(axis=0)
            row = {"set": name, "given": balance is not None, "points": n, "loss": loss, "wrong": wrong}
            yield row | {"seen": float(np.mean(seen))}


@dataclass(frozen=True)
class Case:
    """A set with a class balance: what was seen, and the constant."""

    name: str
    seen: float
    constant: float


def label_cases(rows: list[dict[str, Any]], number: str) -> list[Case]:
    """The c of every set and class balance, from losses with at least three numbers of labels."""
    by_set: dict[tuple[str, bool], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if "gold" in row:
            by_set[row["set"], row["given"]].append(row)
    cases = []
    for (name, _), found in by_set.items():
        seen = [row["seen"] for row in found if row.get("seen")]
        if len(found) >= 3 and seen:
            slope = np.polyfit([1 / row["gold"] for row in found], [row[number] for row in found], 1)[0]
            cases.append(Case(name, float(np.exp(np.mean(np.log(seen)))), float(slope)))
    return cases


def point_cases(rows: list[dict[str, Any]], number: str) -> list[Case]:
    """The b of every set, class balance and number of points."""
    return [Case(row["set"], row["seen"], row[number] / (0.9 / row["points"])) for row in rows if "points" in row]


def law_of(cases: list[Case]) -> Law:
    """A line through logarithms, every set counting once; a constant that noise makes negative is taken as a small one."""
    least = 0.1 * max(float(np.median([case.constant for case in cases])), 0.01)
    sets = [case.name for case in cases]
    weight = np.array([1 / sets.count(name) for name in sets])
    x = np.log([max(case.seen, LEAST) for case in cases])
    y = np.log([max(case.constant, least) for case in cases])
    middle, height = np.average(x, weights=weight), np.average(y, weights=weight)
    spread = np.average((x - middle) ** 2, weights=weight)
    power = np.average((x - middle) * (y - height), weights=weight) / (spread + DRAWN)
    power = float(np.clip(power, 0, 1))
    left = y - height - power * (x - middle)
    return Law(float(np.exp(height - power * middle)), power, float(np.sqrt(np.average(left**2, weights=weight))))


def tell(rows: list[dict[str, Any]]) -> None:
    """Print the laws, and how they hold on sets left out."""
    for words, cases in (
        ("LABELS_LOSS", label_cases(rows, "loss")),
        ("LABELS_RIGHT", label_cases(rows, "wrong")),
        ("POINTS_LOSS", point_cases(rows, "loss")),
        ("POINTS_RIGHT", point_cases(rows, "wrong")),
    ):
        real = [case for case in cases if not case.name.startswith("simulated")]
        simulated = [case for case in cases if case not in real]
        if len({case.name for case in real}) < 3:
            continue
        law = law_of(real)
        held = {"real sets, each left out": [], "simulated sets": []}  # type: dict[str, list[tuple[bool, bool]]]
        for case in real:
            other = law_of([one for one in real if one.name != case.name]).of(case.seen)
            held["real sets, each left out"].append(_held(case, other))
        for case in simulated:
            held["simulated sets"].append(_held(case, law.of(case.seen)))
        print(f"{words} = Law({law.level:.2f}, {law.power:.2f}, {law.deviation:.2f})")
        for where, found in held.items():
            if found:
                covered, close = np.mean(found, axis=0)
                print(f"    {where}: {len(found)}, covered {covered:.2f}, within a factor of two {close:.2f}")


def _held(case: Case, gain: Gain) -> tuple[bool, bool]:
    interval = gain.interval(0.9)
    return interval.low <= case.constant <= interval.high, gain.median / 2 <= case.constant <= 2 * gain.median


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
