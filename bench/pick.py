"""How many picked gold labels make labels as good as 200 random ones do.

python bench/pick.py DIR [--draws 2] [--goal 200] [--only SET ...] [--json]

bench/sets.py says what DIR holds. Half of the points with gold can be labeled, the others are scored: log loss of the
default fit, with gold for random points, and for points that `carob.pick` chose, 50 at a time, each time with what was
labeled before. Every draw halves the points anew. The number of picked labels that reaches the loss of `goal` random
ones is read off between the steps, on the mean over sets and draws. Sets with too few points to choose from are left
out.
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from typing import Any

import numpy as np
from sets import readable, votes_and_gold

from carob._types import Floats, Places
from carob.posterior.losses import log_losses
from carob.posterior.settings import Settings
from carob.value.pick import pick_points
from carob.votes import Gold, GoldPoints, Votes

STEP = 50


def loss(votes: Votes, gold: Gold, settings: Settings, scored: Places) -> float:
    """Log loss of the default fit."""
    truth = votes.own_gold.values[scored]
    found = votes_and_gold(votes, GoldPoints.of(votes, gold), settings).posterior(votes.take(scored))
    return float(log_losses(found[np.arange(len(scored)), truth]).mean())


def gold_of(votes: Votes, rows: Places, chances: Floats | None = None) -> Gold:
    """Gold of some points."""
    values = np.full(len(votes), -1, dtype=np.int8)
    values[rows] = votes.own_gold.values[rows]
    return Gold(values, votes.classes, chances=chances)


def measure(votes: Votes, goal: int, seed: int) -> dict[str, dict[int, float]] | None:
    """Losses with random and with picked gold, by the number of labels; None where points are too few."""
    aside, settings = Settings(rng=seed).set_aside(votes)
    votes = aside.votes
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(votes.own_gold.known))
    to_label, scored = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    if len(to_label) < goal + STEP:
        return None
    steps = range(2 * STEP, goal + 1, STEP)
    random = {n: loss(votes, gold_of(votes, to_label[:n]), settings, scored) for n in steps}
    # Only points that can be labeled are there to choose from; the others are in the fits all the same.
    picked: Places = np.array([], dtype=np.intp)
    chances, found = np.full(len(votes), np.nan), {}
    for n in range(STEP, goal + 1, STEP):
        gold = gold_of(votes, picked, chances) if len(picked) else None
        mine = votes.take(to_label)
        chosen = pick_points(mine, None if gold is None else gold.take(to_label), settings, STEP)
        new = to_label[chosen.rows]
        chances[new] = chosen.chances * len(to_label) / len(votes)
        picked = np.append(picked, new)
        if n >= 2 * STEP:
            found[n] = loss(votes, gold_of(votes, picked, chances), settings, scored)
    return {"random": random, "picked": found}


def labels_needed(random: dict[int, float], picked: dict[int, float], goal: int) -> float | None:
    """Picked labels that reach the loss of `goal` random ones, by a line between steps; None where none do."""
    target = random[goal]
    numbers = sorted(picked)
    if picked[numbers[0]] <= target:
        return float(numbers[0])
    for low, high in pairwise(numbers):
        if picked[high] <= target:
            return low + (high - low) * (picked[low] - target) / (picked[low] - picked[high])
    return None


def main() -> None:
    """Measure on a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--goal", type=int, default=200)
    parser.add_argument("--only", nargs="+", metavar="SET")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name, votes in readable(options.folder, options.only):
        for seed in range(options.draws):
            found = measure(votes, options.goal, seed)
            if found is None:
                break
            rows.append({"set": name, "seed": seed, **found})
            if not options.json:
                print(f"{name:24} {_words(found)}", flush=True)
    if not rows:
        raise SystemExit(f"no set in {options.folder!r} has enough points with gold.")
    mean = {
        how: {n: float(np.mean([row[how][n] for row in rows])) for n in rows[0][how]} for how in ("random", "picked")
    }
    needed = labels_needed(mean["random"], mean["picked"], options.goal)
    if options.json:
        print(json.dumps({"rows": rows, "means": mean, "labels_needed": needed}))
        return
    print(f"\n{len(rows)} draws: {_words(mean)}")
    words = f"more than {options.goal}" if needed is None else f"{needed:.0f}"
    print(f"Picked labels that are as good as {options.goal} random ones: {words}")


def _words(found: dict[str, dict[int, float]]) -> str:
    return "; ".join(f"{how} " + ", ".join(f"{n}: {x:.4f}" for n, x in of.items()) for how, of in found.items())


if __name__ == "__main__":
    main()
