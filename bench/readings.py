"""How the readings behind probabilities without gold are weighed: chosen on simulated votes, judged on real ones.

python bench/readings.py DIR [--sets 300]

DIR holds Parquet files as in bench/label_quality.py. For every weight of votes in full and of votes that repeat each
other, and every repetition, of a grid: the mean log loss over simulated sets, with what it is above that of a smoothed
majority vote counted again (ten times and more of that is a plain majority vote). The best on simulations is shown on
the real sets; and for each real set, the best on simulations and all other real sets, which has not seen it.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from sets import files_of, read_set
from simulated_votes import simulated_votes

from carob.label import pool
from carob.label.consensus import Ballots, learn, majority
from carob.label.pool import without_gold
from carob.votes import Votes

WEIGHTS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75)
REPETITIONS = (0.1, 0.2, 0.4, 0.8, 1.6)
ABOVE = 3.0  # how often log loss above that of majority vote is counted again
POINTS = 1_000  # of each set that are scored


def probabilities_of_truth(votes: Votes, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P(truth) of some points by each reading, shape (2 + repetitions, points), and by smoothed majority vote."""
    K = len(votes.classes)
    known = np.flatnonzero(truth >= 0)
    balance = np.bincount(truth[known], minlength=K) + 0.5
    balance = balance / balance.sum()
    groups = tuple((i,) for i in range(len(votes.sources)))
    ballots = Ballots.of(votes, groups, np.array([], dtype=np.intp), np.array([], dtype=np.int8))
    found = learn(ballots, balance)
    scored = np.random.default_rng(0).permutation(known)[:POINTS]
    said, tally = found.evidence.of(votes.take(scored)), votes.take(scored).tally()
    rows: list[np.ndarray] = []
    for repetition in REPETITIONS:
        pool.REPETITION = repetition
        mixture = without_gold(found, ballots)
        single = [reading.mixed([said], tally)[np.arange(len(scored)), truth[scored]] for reading in mixture.single]
        rows += [single[1]] if rows else [single[0], single[2], single[1]]
    smoothed = majority((tally * (2 / K)).astype(np.float64), balance)  # one vote more for each class
    return np.array(rows), smoothed[np.arange(len(scored)), truth[scored]]


def losses(found: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, float]:
    """Log loss of every setting of the grid, and of smoothed majority vote."""
    p, smoothed = found
    full, counted, repeated = p[0], p[1], p[2:]
    result = [
        -np.log(np.maximum(a * full + b * repeated[r] + (1 - a - b) * counted, 1e-9)).mean() if a + b <= 1 else np.inf
        for a, b, r in GRID
    ]
    return np.array(result), float(-np.log(smoothed).mean())


GRID = list(product(WEIGHTS, WEIGHTS, range(len(REPETITIONS))))


def judged(loss: np.ndarray, smoothed: float) -> np.ndarray:
    """What is to be small."""
    return loss + ABOVE * np.maximum(loss - smoothed, 0)


def words(k: int) -> str:
    """A setting of the grid."""
    full, repeating, place = GRID[k]
    return f"in full {full:g}, repeating {repeating:g} with correlation {REPETITIONS[place]:g}"


def main() -> None:
    """Choose on simulations, judge on real sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", type=int, default=300, help="simulated sets")
    options = parser.parse_args()
    simulated = [losses(probabilities_of_truth(*simulated_votes(seed))) for seed in range(options.sets)]
    real = {
        file.stem: losses(probabilities_of_truth(votes, votes.own_gold.values.astype(np.int64)))
        for file in files_of(options.folder)
        for votes in [read_set(file)]
    }
    on_simulations = np.mean([judged(*found) for found in simulated], axis=0)
    best = int(on_simulations.argmin())
    now = GRID.index((0.25, 0.25, REPETITIONS.index(0.4)))
    for what, k in (("best on simulations", best), ("as carob has it", now)):
        on_real = [float(found[0][k]) for found in real.values()]
        print(f"{what}: {words(k)}; simulated {on_simulations[k]:.4f}, real {np.mean(on_real):.4f}")
    left_out = []
    for name in real:
        others = np.mean([judged(*found) for other, found in real.items() if other != name], axis=0)
        k = int((others + on_simulations).argmin())
        left_out.append(float(real[name][0][k]))
        print(
            f"{name}: {left_out[-1]:.4f} with what is best without it ({words(k)}), {real[name][0][now]:.4f} as it is"
        )
    print(f"mean {np.mean(left_out):.4f} left out, majority vote {np.mean([found[1] for found in real.values()]):.4f}")


if __name__ == "__main__":
    main()
