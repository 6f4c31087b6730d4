"""What half and double of every constant of the model of labels would give, on real sets and on simulated ones.

python bench/constants.py DIR [--out docs/constants.md] [--jobs 2]

bench/sets.py says what DIR holds; simulated votes are those of bench/simulated_votes.py, of many kinds. Numbers are the
mean share of right labels and the mean log loss, class balance unknown, on points with a vote. A constant is patched
where it stands and where it is imported from there, and nowhere else. The whole table is one run of one commit.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from label_quality import VoteSet, carob_labels, scores
from sets import readable
from simulated_votes import simulated_votes

CONSTANTS = {
    "label.readings": (
        "ANCHORED", "SOURCE_VOTES", "TABLE_VOTES", "SILENT_POINTS", "NOISE", "SLIP", "PRIOR_SAYS", "ODDS", "D0",
        "USUAL_D2",
    ),
    "label.model": ("COUNT", "MISLED", "COUNTED", "EVIDENCE", "GOLD_VOTES", "SLOPE", "SHIFT", "MATRIX", "OWN",
                    "SCALES"),
}  # fmt: skip
VARIANTS = {"ANCHORED": (0.7, 0.95), "SCALES": ((0.25, 1.0), (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0))}
GOLD = (0, 25, 100)
DRAWS = 1
MOST_POINTS = 2_000
SIMULATED = 30
HEAD = """# Constants

Every constant of the model of labels ([](model.md)), with what half and double of it would give. They were chosen on
simulations of many kinds; the numbers of real sets judge them. `bench/constants.py DIR` writes this page in one run:
mean right / log loss with 0, 25 and 100 gold labels, on {sets} real sets and on {simulated} simulated ones, class
balance unknown. In the place of half and double, `ANCHORED` has .7 and .95, `SCALES` fewer and more. Sizes of blocks
and caches, which change no result, stand where they are used.

| constant | what it is | value | | real: 0 gold | 25 | 100 | simulated: 0 | 25 | 100 |
|---|---|---|---|---|---|---|---|---|---|
"""


def value(module: str, name: str) -> Any:
    """A constant as it stands."""
    return getattr(importlib.import_module(f"carob.{module}"), name)


def words(module: str, name: str) -> str:
    """What its line in the source says."""
    found = re.search(rf"^{name} = .*?#\s*(.*)$", inspect.getsource(importlib.import_module(f"carob.{module}")), re.M)
    return found.group(1).strip() if found else ""


def put(module: str, name: str, new: Any) -> None:
    """Put another value in the place of a constant, and wherever it is imported from there."""
    home = importlib.import_module(f"carob.{module}")
    setattr(home, name, new)
    imported = re.compile(rf"^from carob\.{re.escape(module)} import [^\n]*\b{name}\b", re.MULTILINE)
    for key, other in list(sys.modules.items()):
        written = (
            key.startswith("carob.") and other is not home and (getattr(other, "__file__", None) or "").endswith(".py")
        )
        if written and imported.search(inspect.getsource(other)):
            setattr(other, name, new)


@cache
def sets(folder: str) -> list[VoteSet]:
    """Real sets, cut to so many points, and simulated ones."""
    found = []
    for name, votes in readable(folder):
        rows = np.sort(np.random.default_rng(0).permutation(len(votes))[:MOST_POINTS])
        some = votes.take(rows)
        if some.own_gold.known.sum() >= 2:
            found.append(VoteSet(name, some, some.own_gold.values))
    for seed in range(SIMULATED):
        votes, truth = simulated_votes(seed)
        found.append(VoteSet("simulated", votes, truth.astype(np.int8)))
    return found


def measure(folder: str, module: str, name: str, new: Any) -> list[tuple[float, float]]:
    """Right and log loss of each column with this value."""
    before = value(module, name)
    put(module, name, new)
    rows: dict[tuple[bool, int], list[tuple[float, float]]] = {
        (real, gold): [] for real in (True, False) for gold in GOLD
    }
    for data in sets(folder):
        known, ours = np.flatnonzero(data.truth >= 0), carob_labels(data.votes, None)
        for gold in (gold for gold in GOLD if 2 * gold <= len(known)):
            for seed in range(DRAWS if gold else 1):
                drawn = np.full(len(data.truth), -1, dtype=np.int8)
                chosen = np.random.default_rng(seed).permutation(known)[:gold]
                drawn[chosen] = data.truth[chosen]
                left = (data.truth >= 0) & (drawn < 0) & (data.votes.number > 0)
                rows[data.name != "simulated", gold].append(scores(ours(drawn), data.truth, left))
    put(module, name, before)
    return [tuple(np.mean(found, axis=0).tolist()) for found in rows.values()]


def main() -> None:
    """Measure, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tasks = []
    for module, names in CONSTANTS.items():
        for name in names:
            now = value(module, name)
            less, more = VARIANTS.get(name) or (now / 2, now * 2)
            tasks += [(module, name, label, new) for label, new in (("half", less), ("double", more))]
    first = (*next((module, names[0]) for module, names in CONSTANTS.items()), "as it is", None)
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as workers:
        as_it_is = workers.submit(measure, options.folder, first[0], first[1], value(first[0], first[1]))
        jobs = [(task, workers.submit(measure, options.folder, task[0], task[1], task[3])) for task in tasks]
        number = len(sets(options.folder)) - SIMULATED
        lines = [_line("**as it is**", "", "", "", as_it_is.result())]
        for (module, name, label, _), job in jobs:
            now = value(module, name)
            shown = " ".join(f"{one:g}" for one in now) if isinstance(now, tuple) else f"{now:g}"
            cells = (f"`{module}.{name}`", words(module, name), shown) if label == "half" else ("", "", "")
            lines.append(_line(*cells, label, job.result()))
            print(lines[-1], file=sys.stderr, flush=True)
    page = HEAD.format(sets=number, simulated=SIMULATED) + "\n".join(lines) + "\n"
    if options.out:
        options.out.write_text(page, encoding="utf-8")
    else:
        print(page)


def _line(name: str, what: str, now: str, label: str, found: list[tuple[float, float]]) -> str:
    numbers = " | ".join(f"{right:.4f} / {loss:.4f}" for right, loss in found)
    return f"| {name} | {what} | {now} | {label} | {numbers} |"


if __name__ == "__main__":
    main()
