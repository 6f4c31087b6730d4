"""How well the value of data is told from few gold labels, against the truth.

python bench/value.py [DRAWS]      100 draws where not given; exit code 1 if a promise does not hold
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial

import numpy as np

import karat
from karat.datasets import load_imdb, paper_model
from karat.estimate.fit import Settings
from karat.theory.loss import expected_loss
from karat.value.advice import DataValue, conclude
from karat.value.learning import measure
from karat.value.risk import Curve, known_curve
from karat.votes import Gold, Votes

GOLD = 200
POINTS = 5_000  # unlabeled points of the synthetic data


def some_gold(votes: Votes, n: int, seed: int) -> Gold:
    """Gold for n random points of those that have it."""
    assert votes.gold is not None
    chosen = np.random.default_rng(seed).permutation(len(votes)) < n
    return Gold(np.where(chosen, votes.gold.values, -1).astype(np.int8), votes.classes)


def settings(symmetric: bool | None, aggregate: str = "median") -> Settings:
    """As the paper has it, with the class balance known."""
    return Settings(aggregate, 0.5, symmetric, (), "drop", "positive", 0.9, 0, 0)  # type: ignore[arg-type]


def split(seed: int) -> tuple[float, float]:
    """F of the median and of the mean on 40,000 random reviews, with all gold."""
    votes = load_imdb()
    part = votes.take(np.random.default_rng(seed).permutation(len(votes))[:40_000])
    assert part.gold is not None
    found = [conclude(measure(part, part.gold, settings(None, how)), settings(None, how)) for how in ("median", "mean")]
    return found[0].equivalent_labels.value, found[1].equivalent_labels.value


def imdb(seed: int) -> DataValue:
    """The value of the IMDB votes from a few gold labels."""
    votes = load_imdb()
    return conclude(measure(votes, some_gold(votes, GOLD, seed), settings(None)), settings(None))


@cache
def truth(d: int) -> tuple[karat.Ising, Curve]:
    """The synthetic distribution and its labeled curve."""
    model = paper_model(d)
    sizes = sorted({int(n) for n in np.geomspace(8, 40_000, 26)})
    return model, known_curve(model, "labeled", sizes, 200, 0)


def synthetic(d: int, seed: int) -> tuple[DataValue, float]:
    """The value of synthetic votes, and the truth."""
    model, curve = truth(d)
    votes = model.sample(POINTS, seed)
    found = measure(votes, some_gold(votes, GOLD, seed), settings(True))
    exact = expected_loss(model, found.solution.model).value
    return conclude(found, settings(True)), karat.equivalent_labels(curve.n, curve.risk, exact)


def covered(found: list[DataValue], exact: list[float]) -> float:
    """Share of intervals that hold the truth."""
    pairs = zip(found, exact, strict=True)
    return float(np.mean([value.equivalent_labels.low <= f <= value.equivalent_labels.high for value, f in pairs]))


def say(what: str, value: float, low: float, high: float) -> bool:
    """Print a number and whether it is where it should be."""
    holds = low <= value <= high
    print(f"{what:68} {value:8.2f}; {low:g} to {high:g}: {'holds' if holds else 'DOES NOT HOLD'}", flush=True)
    return holds


def main(draws: int) -> int:
    """Print every number and whether it holds."""
    with ProcessPoolExecutor(2) as workers:
        both = np.array(list(workers.map(split, range(max(2, draws // 25)))))
        held = [
            say("IMDB, all gold, 40,000 points: f of the median, smallest", both[:, 0].min(), 38, 50),
            say("IMDB, all gold, 40,000 points: f of the median, largest", both[:, 0].max(), 38, 50),
            say("IMDB, all gold, 40,000 points: f of the mean, on average", both[:, 1].mean(), 18, 32),
        ]
        votes = load_imdb()
        assert votes.gold is not None
        whole = conclude(measure(votes, votes.gold, settings(None)), settings(None), GOLD)
        f = whole.equivalent_labels.value
        found = list(workers.map(imdb, range(draws)))
        near = [1 / 1.5 <= value.equivalent_labels.value / f <= 1.5 for value in found]
        same = [value.kind == whole.kind for value in found]
        held += [
            say(f"IMDB, {GOLD} gold: share of f within a factor 1.5", float(np.mean(near)), 0.8, 1),
            say(f"IMDB, {GOLD} gold: share of 90 % intervals that hold f", covered(found, [f] * draws), 0.85, 0.97),
            say(f"IMDB, {GOLD} gold: share of verdicts {whole.kind!r}, as with all gold", float(np.mean(same)), 0.9, 1),
        ]
        for d in (0, 2, 5):
            answers = list(workers.map(partial(synthetic, d), range(draws)))
            share = covered([value for value, _ in answers], [exact for _, exact in answers])
            held.append(say(f"synthetic, d = {d}, {GOLD} gold: share of intervals that hold f", share, 0.85, 0.97))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
