"""What gold labels and unlabeled points bring on real data: the constants of `carob.value.gains`, and how they hold.

python bench/gains.py DIR [--draws 4] [--out FILE]     fit every set with 50 to 250 gold labels; then tell c and b
python bench/gains.py --from FILE                      tell them from what was measured before

bench/sets.py says what DIR holds. c is the slope of the hidden log loss against one over the number of gold labels, b
that against one over the number of points; what is seen of them is what fits without a part of gold, or to halves of
the points, differ by, in each draw anew, as a user has one. A law says the one by the other, and is judged with each
set left out. For labels, level and power have the least absolute logarithms of error where the constant is clearly
there. What points bring is clearly there on few sets: there the level has the least absolute errors over all cases. The
deviation above is that which few of all cases are beyond; below it is large, as gains may be nothing at all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from sets import files_of, gold_balance, read_set, some_gold, votes_and_gold
from simulated_votes import simulated_votes

from carob.label.cross_validation import cross_validate
from carob.label.model import learn_votes
from carob.posterior.losses import log_losses
from carob.posterior.settings import Settings
from carob.value.gains import LEAST, Gain, Law
from carob.value.interval import Interval
from carob.value.risks import points_variation
from carob.votes import Gold, GoldPoints, Votes

GOLD = (100, 200)
TENTH_OF = 3_000  # points, of a set whose tenth tells what ten times as many bring
SIMULATED = 40  # sets of votes
NEXT = 50  # labels whose gain is told
POWERS = (0.0, 0.25, 0.5, 0.75, 1.0)
LEVELS = np.arange(0.4, 8.01, 0.1)
LEAST_LEVEL = 0.1  # of a law of all cases, of which half may gain nothing
POINTS_POWER = 0.5  # of what is seen, in the law of points
FEWEST_SETS = 3  # that a law is learned from
ABOVE = np.arange(0.4, 2.51, 0.1)  # deviations above what is said
BELOW = 2.5  # deviation below
BEYOND = 0.07  # of cases that may be above the interval of a law, where it is learned
CLEAR = 0.6  # a constant that is clearly there, if it is twice its error as well
ERRORS = NormalDist().inv_cdf(0.95)  # standard errors of a truth that counts as told


def hidden_scores(votes: Votes, gold: Gold, hidden: Votes, truth: np.ndarray, balance: Any) -> tuple[float, float]:
    """Log loss and share of wrong labels on hidden points, of the default fit."""
    p = votes_and_gold(votes, GoldPoints.of(votes, gold), Settings(class_balance=balance)).posterior(hidden)
    return float(log_losses(p[np.arange(len(truth)), truth]).mean()), float((p.argmax(axis=1) != truth).mean())


def named_sets(folder: str) -> Iterator[tuple[str, Votes]]:
    """Sets of a folder, then simulated ones."""
    for file in files_of(folder):
        yield file.stem, read_set(file)
    for seed in range(SIMULATED):
        votes, truth = simulated_votes(seed)
        values = Gold(truth.astype(np.int8), votes.classes)
        yield f"simulated {seed}", replace(votes, gold=values)


def holds(interval: Interval, truth: float, error: float) -> bool:
    """Whether an interval holds a truth, widened by the standard error of that."""
    side = interval.high - interval.value if truth > interval.value else interval.value - interval.low
    return bool(abs(truth - interval.value) <= np.hypot(side, ERRORS * error))


def measure_labels(name: str, votes: Votes, draws: int) -> Iterator[dict[str, Any]]:
    """What 50 more gold labels bring, and what fits without a part of gold differ by."""
    known = int(votes.own_gold.known.sum())
    for balance in (gold_balance(votes.own_gold), None):
        for n in (n for n in GOLD if 2 * (n + NEXT) <= known):
            gains, seen = [], []
            for draw in range(draws):
                scores = []
                for size in (n, n + NEXT):
                    drawn, rest = some_gold(votes, size, draw)
                    rows = np.flatnonzero(rest.known)
                    scores.append(hidden_scores(votes, drawn, votes.take(rows), rest.values[rows], balance))
                gains.append(np.array(scores[0]) - np.array(scores[1]))
                points = GoldPoints.of(votes, some_gold(votes, n, draw)[0])
                if np.count_nonzero(points.counts) > 1:
                    settings = Settings(class_balance=balance)
                    seen.append(n * cross_validate(learn_votes(votes, settings), points, settings).variation)
            yield _row(name, balance, gains, 1 / n - 1 / (n + NEXT), seen) | {"gold": n}


def measure_points(name: str, votes: Votes, draws: int) -> Iterator[dict[str, Any]]:
    """What ten times the points bring with the same gold, and what fits to halves of them differ by."""
    truth, n = votes.own_gold.values, len(votes) // 10
    known = np.flatnonzero(truth >= 0)
    for gold in (gold for gold in GOLD if len(votes) >= TENTH_OF and 2 * gold <= min(n, len(known))):
        for balance in (gold_balance(votes.own_gold), None):
            gains, seen = [], []
            for draw in range(draws):
                rng = np.random.default_rng([draw, n])
                labeled = rng.permutation(known)[:gold]
                others = rng.permutation(np.setdiff1d(np.arange(len(votes)), labeled))
                hidden = np.setdiff1d(known, labeled)[:4_000]
                scores = []
                for size in (n, 10 * n):
                    rows = np.concatenate([labeled, others[: size - gold]])
                    values = np.where(np.arange(size) < gold, truth[rows], -1).astype(np.int8)
                    drawn, part = Gold(values, votes.classes), votes.take(rows)
                    scores.append(hidden_scores(part, drawn, votes.take(hidden), truth[hidden], balance))
                    points = GoldPoints.of(part, drawn)
                    if size == n and np.count_nonzero(points.counts) > 1:
                        settings = Settings(class_balance=balance)
                        seen.append(n * points_variation(part, points, settings, rng))
                gains.append(np.array(scores[0]) - np.array(scores[1]))
            yield _row(name, balance, gains, 0.9 / n, seen) | {"points": n, "beside": gold}


def _row(name: str, balance: Any, gains: list[Any], unit: float, seen: list[float]) -> dict[str, Any]:
    """The mean gain over draws, in units of a constant, and its error; what was seen."""
    found = np.array(gains) / unit
    loss, wrong = found.mean(axis=0)
    errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return {
        "set": name,
        "given": balance is not None,
        "loss": float(loss),
        "loss error": float(errors[0]),
        "wrong": float(wrong),
        "wrong error": float(errors[1]),
        "seen": seen,
    }


@dataclass(frozen=True)
class Case:
    """A draw of so many labels, or points, of a set: what was seen, the constant, and the error of that."""

    name: str
    seen: float
    constant: float
    error: float

    @property
    def clear(self) -> bool:
        """Whether the constant is clearly there."""
        return self.constant >= max(CLEAR, 2 * self.error)


def cases_of(rows: list[dict[str, Any]], bought: str) -> list[Case]:
    """What was measured of labels ("gold") or "points"."""
    return [
        Case(row["set"], max(seen, LEAST), row["loss"], row["loss error"])
        for row in rows
        if bought in row
        for seen in row["seen"]
    ]


def labels_law(cases: list[Case]) -> Law:
    """Level and power by clear cases, each set counting as much as another."""
    clear = [case for case in cases if case.clear]
    weight = _weights(clear)
    told, seen = (np.log([getattr(case, name) for case in clear]) for name in ("constant", "seen"))
    errors = {
        (float(level), power): float(weight @ np.abs(told - np.log(level) - power * seen))
        for level in LEVELS
        for power in POWERS
    }
    level, power = min(errors, key=lambda law: errors[law])
    return Law(level, power, BELOW, _above(cases, level, power))


def points_law(cases: list[Case]) -> Law:
    """The level by all cases, each set counting as much as another: a median, weighed by what it is multiplied by."""
    factor = np.array([case.seen for case in cases]) ** POINTS_POWER
    levels = np.array([case.constant for case in cases]) / factor
    order = np.argsort(levels)
    share = np.cumsum((_weights(cases) * factor)[order])
    level = float(max(levels[order][np.searchsorted(share, share[-1] / 2)], LEAST_LEVEL))
    return Law(level, POINTS_POWER, BELOW, _above(cases, level, POINTS_POWER))


def _weights(cases: list[Case]) -> np.ndarray:
    names = [case.name for case in cases]
    return np.array([1 / names.count(name) for name in names])


def _above(cases: list[Case], level: float, power: float) -> float:
    """The smallest deviation that few cases are above."""
    for deviation in ABOVE.tolist():
        law = Law(level, power, BELOW, deviation)
        beyond = [
            case.constant > law.of(case.seen).median
            and not holds(law.of(case.seen).interval(0.9), case.constant, case.error)
            for case in cases
        ]
        if np.mean(beyond) <= BEYOND:
            break
    return float(deviation)


def tell(rows: list[dict[str, Any]]) -> None:
    """Print the laws, and how they hold on sets left out."""
    labels, points = cases_of(rows, "gold"), cases_of(rows, "points")
    _tell_real("LABELS", labels_law, labels)
    _tell_real("POINTS", points_law, points)
    labeled = [row for row in rows if "gold" in row]
    print(f"RIGHT = {sum(row['wrong'] for row in labeled) / sum(row['loss'] for row in labeled):.2f}")


def _tell_real(words: str, law_of: Callable[[list[Case]], Law], cases: list[Case]) -> None:
    """Print the law of real sets, and how it holds on simulated ones."""
    real = [case for case in cases if not case.name.startswith("simulated")]
    if len({case.name for case in real if case.clear}) >= FEWEST_SETS:
        law = _tell_law(words, law_of, real)
        _tell_held("simulated sets", [(case, law.of(case.seen)) for case in cases if case not in real])


def _tell_law(words: str, law_of: Callable[[list[Case]], Law], cases: list[Case]) -> Law:
    """Print the law of some cases, and how well it is said of each set by the others."""
    law = law_of(cases)
    print(f"{words} = Law({law.level:.1f}, {law.power:.2f}, {law.below:.1f}, {law.above:.1f})")
    laws = {name: law_of([case for case in cases if case.name != name]) for name in {case.name for case in cases}}
    _tell_held("each set left out", [(case, laws[case.name].of(case.seen)) for case in cases])
    return law


def _tell_held(where: str, found: list[tuple[Case, Gain]]) -> None:
    """Print how often intervals hold a constant, and how near what is said is to those that are clearly there."""
    if not found:
        return
    covered = np.mean([holds(gain.interval(0.9), case.constant, case.error) for case, gain in found])
    clear = [0.5 <= gain.median / case.constant <= 2 for case, gain in found if case.clear]
    close = f"{np.mean(clear):.2f} of {len(clear)} clear ones" if clear else "-"
    print(f"    {where}: {len(found)}, covered {covered:.2f}, within a factor of two {close}")


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
