"""What value of a constant would be chosen with each set left out, and how good labels are with what is chosen so.

python bench/left_out.py DIR label.stack:DOUBT 1 1.3 2 [--gold 25 100 200] [--draws 2]

bench/sets.py says what DIR holds. The constant takes each of the values in turn; labels are scored by log loss on
hidden gold, with the class balance given and not. Each set is judged with the value that is best on average over the
others: were the constant fitted to the sets, the loss so would be above that of the best value.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from gains import hidden_scores
from sets import gold_balance, readable, some_gold

from carob.votes import Votes


@contextmanager
def constant(place: str, value: float) -> Iterator[None]:
    """Give a constant, named by module and attribute, another value for a while."""
    name, attribute = place.split(":")
    module = importlib.import_module(f"carob.{name}")
    kept = getattr(module, attribute)
    setattr(module, attribute, value)
    try:
        yield
    finally:
        setattr(module, attribute, kept)


def losses(votes: Votes, place: str, values: Sequence[float], gold: Sequence[int], draws: int) -> list[float]:
    """Mean log loss on hidden gold of one set, for each value; empty where gold is too little."""
    known = int(votes.own_gold.known.sum())
    found: list[list[float]] = []
    for n in (n for n in gold if 2 * n <= known):
        for draw in range(draws):
            drawn, rest = some_gold(votes, n, draw)
            rows = np.flatnonzero(rest.known)
            hidden, truth = votes.take(rows), rest.values[rows]
            for balance in (gold_balance(votes.own_gold), None):
                of_values = []
                for value in values:
                    with constant(place, value):
                        of_values.append(hidden_scores(votes, drawn, hidden, truth, balance)[0])
                found.append(of_values)
    return np.mean(found, axis=0).tolist() if found else []


def chosen(by_set: dict[str, list[float]]) -> dict[str, int]:
    """Which of the values has the least mean loss over all sets but this one."""
    return {
        name: int(np.mean([of_set for other, of_set in by_set.items() if other != name], axis=0).argmin())
        for name in by_set
    }


def main() -> None:
    """Measure, choose and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("constant")
    parser.add_argument("values", type=float, nargs="+")
    parser.add_argument("--gold", type=int, nargs="+", default=[25, 100, 200])
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--only", nargs="+")
    options = parser.parse_args()
    by_set = {}
    for name, votes in readable(options.folder, options.only):
        found = losses(votes, options.constant, options.values, options.gold, options.draws)
        if found:
            by_set[name] = found
        print(name, file=sys.stderr, flush=True)
    if len(by_set) < 2:
        parser.error("it takes two sets with enough gold to leave one out")
    for value, loss in zip(options.values, np.mean(list(by_set.values()), axis=0), strict=True):
        print(f"{options.constant} = {value:g}: {loss:.5f}")
    choice = chosen(by_set)
    times = Counter(options.values[place] for place in choice.values())
    print("chosen with each set left out: " + ", ".join(f"{value:g} ({n} sets)" for value, n in times.items()))
    print(f"loss so: {np.mean([by_set[name][place] for name, place in choice.items()]):.5f}")


if __name__ == "__main__":
    main()
