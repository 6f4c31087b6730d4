"""How often intervals of sources' accuracies hold, and how their constants are chosen.

python bench/source_intervals.py DIR [--draws 3] [--simulations] [--json]

DIR holds Parquet files as in bench/label_quality.py. The truth is the accuracy of a source on gold that the fit has not
seen, for sources with 100 votes there or more; for those with 20 to 99, whose own accuracy is told badly, the interval
is widened by the error of that. The constants of `carob.label.source_accuracy` are those under which what votes
say of the sources of all sets, and what gold says, are most likely, sources of a set sharing its errors; the errors of
single sources are then taken a little larger, since some are far off. Each set is judged by constants chosen without
it, and by those that carob has. Beside: the width of intervals of one width for all, around what votes and gold say,
that hold as often. The same for intervals of the class balance.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sets import files_of, read_set, some_gold

from carob.count.aside import set_aside
from carob.label import agreed, source_accuracy
from carob.label.source_accuracy import Seen, expected_of, source_accuracies
from carob.posterior.settings import Settings
from carob.votes import Gold, GoldPoints, Votes

GOLD = (0, 25, 50, 100, 200)
LEVEL = 0.9
FEWEST = 100  # votes of a source on hidden gold that tell its accuracy
WIDER = 1.3  # errors of single sources over those that are most likely
CHOSEN = (
    "SHIFT_ERROR", "SCALE_ERROR", "OWN_ERROR", "UNTOLD_LEVEL", "UNTOLD_SLOPE", "UNTOLD_ERROR", "USUAL_WORTH",
)  # fmt: skip
Constants = dict[str, float]


@dataclass(frozen=True, eq=False)
class Case:
    """What a fit saw of one set with some gold, and what hidden gold says."""

    name: str
    seen: Seen
    right: np.ndarray  # of the votes of each source on hidden gold
    hidden: np.ndarray  # all of these
    truth: np.ndarray | None  # accuracies, where they are known
    worse: np.ndarray  # sources called worse than chance
    balance: tuple[np.ndarray, np.ndarray, np.ndarray]  # class balance, low, high
    shares: np.ndarray  # the true class balance


def case_of(name: str, votes: Votes, truth: np.ndarray, gold: Gold | None, known: np.ndarray | None = None) -> Case:
    """Learn from votes and gold as the default fit does, without its labels."""
    points = GoldPoints.of(votes, gold) if gold is not None else None
    alone, _ = agreed._learned_alone(agreed.ballots_of(votes, points, Settings()), points, Settings())
    seen, flattered = agreed._seen(alone, points)
    balance = alone.consensus.class_balance
    low, high = agreed._balance_interval(alone, points, Settings())
    hidden = truth.copy()
    if points is not None:
        hidden[points.rows] = -1
    spoken = (votes.values >= 0) & (hidden >= 0)[:, None]
    right = ((votes.values == hidden[:, None]) & spoken).sum(axis=0)
    shares = np.bincount(truth[truth >= 0], minlength=len(votes.classes)) / (truth >= 0).sum()
    worse = agreed._surely_worse(seen, flattered, source_accuracies(seen, LEVEL))
    return Case(name, seen, right, spoken.sum(axis=0), known, worse, (balance, low, high), shares)


def real_cases(folder: Path, draws: int, numbers: Sequence[int] = GOLD) -> Iterator[tuple[int, Case]]:
    """Every set of a folder with every number of gold labels that is at most half of its gold."""
    for file in files_of(folder):
        votes = set_aside(read_set(file)).votes
        truth = votes.own_gold.values.astype(np.int64)
        for n in numbers:
            for draw in range(draws if n else 1):
                if 2 * n <= (truth >= 0).sum():
                    yield n, case_of(file.stem, votes, truth, some_gold(votes, n, draw)[0] if n else None)


def simulated(kind: str, m: int, n: int, abstain: float, balance: float, seed: int) -> tuple[Votes, np.ndarray, Any]:
    """Votes, classes and accuracies: sources on their own, five copies, or all or half of them following a factor."""
    rng = np.random.default_rng([seed, m, n])
    truth = (rng.random(n) < balance).astype(np.int8)
    p = (
        np.full(m, 0.5)
        if kind == "coins"
        else rng.uniform(0.5, 0.6, m)
        if kind == "weak"
        else rng.uniform(0.6, 0.85, m)
    )
    followed = np.tile(truth[:, None], (1, m))
    accuracy = p.copy()
    if "factor" in kind:
        agrees = rng.uniform(0.7, 0.9)
        first = m if kind == "factor" else m // 2
        followed[:, :first] = np.where(rng.random(n) < agrees, truth, 1 - truth)[:, None]
        accuracy[:first] = agrees * p[:first] + (1 - agrees) * (1 - p[:first])
    values = np.where(rng.random((n, m)) < p, followed, 1 - followed)
    if kind == "copies":
        copies = slice(1, min(5, m - 1))
        values[:, copies] = np.where(rng.random(values[:, copies].shape) < 0.9, values[:, :1], values[:, copies])
        accuracy[copies] = 0.9 * p[0] + 0.1 * p[copies]
    values = np.where(rng.random((n, m)) < abstain, -1, values).astype(np.int8)
    return Votes.from_array(values, classes=[0, 1], abstain=-1), truth.astype(np.int64), accuracy


KINDS = ("independent", "copies", "factor", "half factor")
SHAPES = [(m, n) for m in (6, 10, 30) for n in (1_000, 10_000)]
HABITS = ((0.0, 0.5), (0.3, 0.5), (0.3, 0.1))  # abstains and class balance


def simulated_cases() -> Iterator[tuple[str, int, Case]]:
    """Kind, gold labels and case."""
    settings = [(kind, *shape, *habit, 0) for kind in KINDS for shape in SHAPES for habit in HABITS]
    settings += [("coins", 8, 1_000, 0.0, 0.5, seed) for seed in range(10)]
    settings += [("weak", 10, 1_000, 0.0, 0.5, seed) for seed in range(10)]
    for setting in settings:
        votes, truth, accuracy = simulated(*setting)
        for n in (0, 50, 200):
            values = np.where(np.random.default_rng(1).permutation(len(truth)) < n, truth, -1)
            gold = Gold(values.astype(np.int8), votes.classes) if n else None
            yield setting[0], n, case_of(setting[0], votes, truth, gold, accuracy)


def use(constants: Constants) -> None:
    """Put constants in their places."""
    for name, value in constants.items():
        setattr(source_accuracy, name, value)


def surprise(case: Case) -> float:
    """Minus the log likelihood of hidden gold, sources sharing the errors of their set.

    Over the root of their number: sources of a set tell much of the same.
    """
    judged = case.hidden >= 20
    if not judged.any():
        return 0.0
    expected = expected_of(case.seen)
    right, wrong = case.right[judged] + 0.5, (case.hidden - case.right)[judged] + 0.5
    off = np.log(right / wrong) - expected.mean[judged]
    own = expected.own[judged] + 1 / right + 1 / wrong
    shared = expected.shared[judged]
    inner = np.eye(shared.shape[1]) + (shared.T / own) @ shared
    pull = (shared.T / own) @ off
    distance = (off**2 / own).sum() - pull @ np.linalg.solve(inner, pull)
    return float((distance + np.log(own).sum() + np.linalg.slogdet(inner)[1]) / 2 / np.sqrt(judged.sum()))


def choose(cases: Sequence[Case], start: Constants) -> Constants:
    """The constants under which hidden gold is most likely, by going up and down with each in turn."""

    def judged(constants: Constants) -> float:
        use(constants)
        return sum(surprise(case) for case in cases)

    best, least = dict(start), judged(start)
    step = 1.2
    while step > 1.04:
        before = least
        for name in CHOSEN:
            for factor in (step, 1 / step):
                while (found := judged(changed := best | {name: best[name] * factor})) < least - 1e-6:
                    best, least = changed, found
        if least > before - 1e-3:
            step = step**0.5
    return best


def wider(constants: Constants) -> Constants:
    """With larger errors of single sources."""
    return constants | {name: WIDER * constants[name] for name in ("OWN_ERROR", "UNTOLD_ERROR")}


def judge(cases: Sequence[Case], constants_of: Callable[[str], Constants]) -> dict[str, float]:
    """How often intervals hold (mean over sets, and over all sources), their bias, width and score, and the rest."""
    rows, few, pairs = [], [], []
    for case in cases:
        use(constants_of(case.name))
        found = source_accuracies(case.seen, LEVEL)
        number = np.maximum(case.hidden, 1)
        truth = case.right / number if case.truth is None else case.truth
        told = case.hidden >= FEWEST if case.truth is None else np.ones(len(truth), dtype=bool)
        error = 1.645 * np.sqrt(np.maximum(truth * (1 - truth), 0.02) / number)
        low = found.accuracy - np.sqrt((found.accuracy - found.low) ** 2 + error**2)
        high = found.accuracy + np.sqrt((found.high - found.accuracy) ** 2 + error**2)
        some = (case.hidden >= 20) & ~told
        few += ((low <= truth) & (truth <= high))[some].tolist()
        if told.any():
            low, high, mean, t = found.low[told], found.high[told], found.accuracy[told], truth[told]
            outside = np.maximum(low - t, 0) + np.maximum(t - high, 0)
            held = (low <= t) & (t <= high)
            score = high - low + 2 / (1 - LEVEL) * outside
            plain = (10 * case.seen.seeming + case.seen.correct)[told] / (10 + case.seen.judged[told])
            pairs += list(zip(plain, t, np.full(len(t), 1 / len(t)), strict=True))
            rows.append((held.mean(), held.sum(), told.sum(), (mean - t).mean(), (high - low).mean(), score.mean()))
    table = np.array(rows)
    middle, t, weight = np.array(pairs).T
    return {
        "sets": len(rows),
        "covers": table[:, 0].mean(),
        "covers, of all sources": table[:, 1].sum() / table[:, 2].sum(),
        "bias": table[:, 3].mean(),
        "width": table[:, 4].mean(),
        "score": table[:, 5].mean(),
        "plain width": plain_width(middle, t, weight, table[:, 0].mean()),
        "covers, few votes": float(np.mean(few)) if few else float("nan"),
    }


def plain_width(middle: np.ndarray, truth: np.ndarray, weight: np.ndarray, share: float) -> float:
    """Mean width, inside 0 to 1, of intervals of one width for all that hold as often."""
    distance = np.abs(middle - truth)
    order = np.argsort(distance)
    enough = min(int(np.searchsorted(np.cumsum(weight[order]) / weight.sum(), share)), len(order) - 1)
    half = distance[order[enough]]
    return float(np.average(np.minimum(middle + half, 1) - np.maximum(middle - half, 0), weights=weight))


def balance_rows(cases: Sequence[Case]) -> dict[str, float]:
    """How often intervals of class shares hold the true ones, and their width."""
    held = [(low <= case.shares) & (case.shares <= high) for case in cases for _, low, high in [case.balance]]
    widths = [(high - low).mean() for case in cases for _, low, high in [case.balance]]
    return {"covers": float(np.mean([one.mean() for one in held])), "width": float(np.mean(widths))}


def called_worse(cases: Sequence[Case]) -> tuple[int, int]:
    """Sources called worse than chance, and how many of them are by hidden gold."""
    called = right = 0
    for case in cases:
        told = case.worse & (case.hidden >= 20)
        called += int(told.sum())
        right += int((case.right[told] / case.hidden[told] < case.seen.chance[told]).sum())
    return called, right


def main() -> None:
    """Choose and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=3, help="of gold labels, for each number")
    parser.add_argument("--simulations", action="store_true", help="judge on simulated votes too")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    now: Constants = {name: getattr(source_accuracy, name) for name in CHOSEN}
    real = list(real_cases(options.folder, options.draws))
    unseen = {case.name: case for n, case in real if n == 0}
    best = choose(list(unseen.values()), now)
    left_out = {name: wider(choose([case for other, case in unseen.items() if other != name], best)) for name in unseen}
    result: dict[str, Any] = {"now": now, "chosen": wider(best), "left out": {}, "as it is": {}, "balance": {}}
    for n in GOLD:
        cases = [case for number, case in real if number == n]
        result["left out"][n] = judge(cases, lambda name: left_out[name])
        result["as it is"][n] = judge(cases, lambda _: now)
        result["balance"][n] = balance_rows(cases)
        result["as it is"][n]["called worse"], result["as it is"][n]["that are"] = called_worse(cases)
    use(now)
    if options.simulations:
        simulations = list(simulated_cases())
        for kind in dict.fromkeys(kind for kind, _, _ in simulations):
            for n in (0, 50, 200):
                cases = [case for one, number, case in simulations if (one, number) == (kind, n)]
                result.setdefault("simulated", {})[f"{kind}, {n} gold"] = judge(cases, lambda _: now) | {
                    "balance": balance_rows(cases)["covers"]
                }
    if options.json:
        print(json.dumps(result))
        return
    for title, found in result.items():
        print(title)
        for key, row in found.items():
            numbers = row.items() if isinstance(row, dict) else [("", row)]
            print(f"  {key}: " + ", ".join(f"{what} {value:.3g}".strip() for what, value in numbers))


if __name__ == "__main__":
    main()
