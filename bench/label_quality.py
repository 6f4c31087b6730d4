"""How good labels are, beside a count of votes, plain Dawid-Skene and gold alone: on real sets, and on simulated kinds.

python bench/label_quality.py DIR                          every set of a folder, with 0, 10, 25 and 100 gold labels
python bench/label_quality.py --kinds FILE --draws 30      simulated kinds, and how often intervals hold there
python bench/label_quality.py DIR --peers --gold 0         crowd-kit, Snorkel and others too, in .peers/
python bench/label_quality.py --speed                      how long labels take, against other libraries

bench/sets.py says what DIR holds. FILE is Python with `KINDS`, a dict of functions that take a generator and give
votes, shape (n, m), -1 abstains, true classes, and the probabilities of one who knows all. Every method gets all votes,
and gold for the same random points; points with a vote and with gold that was not drawn are scored, ties of the most
probable classes are split. A draw larger than half of the gold is left out. `--balance given` tells carob the class
balance.
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from peer_environment import ABSENT, PACKAGES, PeerError, Peers
from sets import files_of, gold_balance, read_set

import carob
from carob._types import AnyArray, Bools, Codes, Floats
from carob.label.model import learn_votes
from carob.posterior.settings import Settings
from carob.votes import Gold, Votes

FEW_DRAWS_OF = 10  # gold labels, of which eight draws are taken at least
STEPS = 100  # of Dawid and Skene's method
Labels = Callable[[Codes], Floats]


@dataclass(frozen=True)
class VoteSet:
    """Votes with their truth, -1 where it is not known."""

    name: str
    votes: Votes
    truth: Codes
    file: Path | None = None
    oracle: Floats | None = None

    @property
    def K(self) -> int:  # noqa: N802
        """Number of classes."""
        return len(self.votes.classes)


def read_folder(folder: str, only: list[str] | None) -> Iterator[VoteSet]:
    """Sets of a folder; why others are none goes to stderr."""
    for file in files_of(folder):
        if only and file.stem not in only:
            continue
        try:
            votes = read_set(file)
            if len(votes.classes) < 2 or not votes.own_gold.known.any():
                raise carob.InputError("it has one class, or no gold")
            yield VoteSet(file.stem, votes, votes.own_gold.values, file)
        except (ValueError, OSError, carob.InputError) as error:
            print(f"cannot be read: {file.stem}: {str(error).splitlines()[0]}", file=sys.stderr)


def draw_kinds(file: str, only: list[str] | None, draws: int) -> Iterator[VoteSet]:
    """Sets of the kinds that a file has, so many draws of each."""
    for name, make in runpy.run_path(file)["KINDS"].items():
        for seed in range(draws if not only or name in only else 0):
            values, truth, oracle = make(np.random.default_rng(seed))
            votes = Votes.from_array(values.astype(np.int8), classes=list(range(oracle.shape[1])), abstain=-1)
            yield VoteSet(name, votes, truth.astype(np.int8), oracle=oracle)


def count(votes: Votes) -> Floats:
    """Shares of the votes on each point and of two more, spread evenly."""
    K = len(votes.classes)
    tally = np.stack([(votes.values == k).sum(axis=1) for k in range(K)], axis=1) + 2 / K
    return np.asarray(tally / tally.sum(axis=1, keepdims=True))


def dawid_skene(votes: Votes, gold: Codes) -> Floats:
    """Plain EM: one more of every output and class, gold as it is; silence is an output where sources are one-sided."""
    K, values = len(votes.classes), votes.values
    silent = all(len(np.unique(column[column >= 0])) < 2 for column in values.T)
    outputs = (
        np.stack([values == k for k in range(-1 if silent else 0, K)], axis=2).astype(float).reshape(len(values), -1)
    )
    known, p = gold >= 0, count(votes)
    for _ in range(STEPS):
        p[known] = np.eye(K)[gold[known]]
        shares = (p.sum(axis=0) + 1) / (len(p) + K)
        table = (p.T @ outputs).reshape(K, values.shape[1], -1) + 1
        table /= table.sum(axis=2, keepdims=True)
        score = np.log(shares) + outputs @ np.log(table).reshape(K, -1).T
        before, p = p, np.exp(score - score.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        if np.abs(p - before)[~known].max(initial=0) < 1e-5:
            break
    return p


def carob_labels(votes: Votes, balance: Any) -> Labels:
    """The default fit: its probabilities with any gold; what needs none is learned once."""
    learned = learn_votes(votes, Settings(class_balance=balance))
    return lambda gold: learned.probabilities(learned.with_gold(gold))


def gold_alone(votes: Votes, gold: Codes, balance: Any) -> Floats:
    """Sources counted on gold."""
    model = carob.LabelModel("labeled", class_balance=balance, replicates=0)
    return model.fit(votes, Gold(gold, votes.classes)).predict_proba(votes)


def scores(p: Floats, truth: Codes, rows: Bools) -> tuple[float, float]:
    """Share of right labels, ties split, and mean log loss."""
    p, truth = p[rows], truth[rows]
    top = p >= p.max(axis=1, keepdims=True) - 1e-9
    at = np.arange(len(p)), truth
    return float((top[at] / top.sum(axis=1)).mean()), float(-np.log(np.clip(p[at], 1e-6, 1)).mean())


def measure(data: VoteSet, gold: int, balance: str, draws: int, peers: Peers | None) -> dict[str, Any] | None:
    """Mean right and log loss of every method, on points with a vote and on all; None where gold is too little."""
    votes, known = data.votes, np.flatnonzero(data.truth >= 0)
    if 2 * gold > len(known):
        return None
    given = gold_balance(Gold(data.truth, votes.classes)) if balance == "given" else None
    plain, ours = count(votes), carob_labels(votes, given)
    voted, found = votes.number > 0, []
    for seed in range(max(draws, 8) if 0 < gold <= FEW_DRAWS_OF and draws > 1 else draws if gold else 1):
        drawn = np.full(len(votes), -1, dtype=np.int8)
        rows = np.random.default_rng(seed).permutation(known)[:gold]
        drawn[rows] = data.truth[rows]
        ways: dict[str, Floats] = {"carob": ours(drawn), "count": plain, "Dawid-Skene": dawid_skene(votes, drawn)}
        if len(np.unique(data.truth[rows])) == data.K:
            ways["gold alone"] = gold_alone(votes, drawn, given)
        if gold:
            ways["carob, no gold"] = ours(np.full_like(drawn, -1))
        if data.oracle is not None:
            ways["oracle"] = data.oracle
        if peers is not None and data.file is not None:
            for peer in (peer for peer in PACKAGES if peer not in peers.absent):
                try:
                    ways[peer] = peers.label(peer, data.file, data.K, given).probabilities
                except PeerError as error:
                    print(f"{data.name}: {peer}: {error}", file=sys.stderr)
        left = (data.truth >= 0) & (drawn < 0)
        found.append(
            {way: [*scores(p, data.truth, left & voted), *scores(p, data.truth, left)] for way, p in ways.items()}
        )
    common = [way for way in found[0] if all(way in one for one in found)]
    means = {way: np.mean([one[way] for one in found], axis=0).tolist() for way in common}
    return {"set": data.name, "classes": data.K, "scores": means}


def coverage(data: VoteSet, gold: int, seed: int) -> dict[str, float]:
    """How often 90 % intervals hold, of one fit to votes whose truth is known everywhere."""
    values, truth = data.votes.values, data.truth
    drawn = np.full(len(truth), -1, dtype=np.int8)
    rows = np.random.default_rng(seed).choice(len(truth), gold, replace=False)
    drawn[rows] = truth[rows]
    fit = carob.LabelModel().fit(data.votes, Gold(drawn, data.votes.classes) if gold else None).fit_
    places = [data.votes.sources.index(name) for name in fit.sources.source]
    spoken = values[:, places] >= 0
    right = ((values[:, places] == truth[:, None]) & spoken).sum(axis=0) / np.maximum(spoken.sum(axis=0), 1)
    shares = np.bincount(truth, minlength=data.K) / len(truth)
    found = {
        "sources": _held(fit.sources.low, right, fit.sources.high),
        "class balance": _held(fit.balance_low, shares, fit.balance_high),
    }
    if fit.scores:
        told, left = fit.scores[-1], drawn < 0
        accuracy, loss = scores(fit.posterior(data.votes), truth, left)
        found["right"] = _held(told.accuracy_low, accuracy, told.accuracy_high)
        found["log loss"] = _held(told.loss_low, loss, told.loss_high)
    return found


def _held(low: Any, value: Any, high: Any) -> float:
    return float(np.mean((low <= np.asarray(value) + 1e-12) & (np.asarray(value) - 1e-12 <= high)))


def shown(rows: list[dict[str, Any]], title: str) -> str:
    """A line for every set, the means, and where carob is behind the count."""
    ways = list(dict.fromkeys(way for row in rows for way in row["scores"]))
    lines = [title, "", f"{'right / log loss':24}" + "".join(f"{way:>16}" for way in ways)]

    def line(name: str, found: list[dict[str, Any]], at: int) -> str:
        cells = []
        for way in ways:
            values: AnyArray = np.array([row["scores"][way][at : at + 2] for row in found if way in row["scores"]])
            cells.append(f"{'-' if not len(values) else '{:.4f}/{:.4f}'.format(*values.mean(axis=0)):>16}")
        return f"{name:24}" + "".join(cells)

    names = list(dict.fromkeys(row["set"] for row in rows))
    lines += [line(name, [row for row in rows if row["set"] == name], 0) for name in names]
    for words, binary in (("K = 2", True), ("K > 2", False)):
        part = [row for row in rows if (row["classes"] == 2) == binary]
        if part:
            lines += ["", line(f"mean of {len(part)}, {words}", part, 0), line("    on all points", part, 2)]
    behind = {row["set"]: row["scores"]["carob"][0] - row["scores"]["count"][0] for row in rows}
    lines += ["", "below the count by more than .02: " + _told({k: v for k, v in behind.items() if v < -0.02})]
    worse = {row["set"]: row["scores"]["carob"][3] - row["scores"]["count"][3] for row in rows}
    lines.append("log loss on all points above the count: " + _told({k: v for k, v in worse.items() if v > 5e-4}))
    if any("carob, no gold" in row["scores"] for row in rows):
        more = [row["scores"]["carob"][1] - row["scores"]["carob, no gold"][1] for row in rows]
        lines.append(f"log loss with gold less without: mean {np.mean(more):+.4f}, at most {max(more):+.4f}")
    return "\n".join([*lines, ""])


def _told(found: dict[str, float]) -> str:
    return f"{len(found)} {', '.join(f'{name} {value:+.3f}' for name, value in found.items())}".strip()


def main() -> int:
    """Measure, then print tables or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="DIR")
    parser.add_argument("--kinds", metavar="FILE")
    parser.add_argument("--gold", nargs="+", type=int, default=[0, 10, 25, 100])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--balance", nargs="+", choices=["unknown", "given"], default=["unknown"])
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.folder or options.kinds or options.speed):
        parser.error("give a folder of votes, --kinds FILE, or --speed.")
    if options.draws < 1 or min(options.gold) < 0:
        parser.error("--draws is at least 1, and --gold at least 0.")
    peers = Peers.make() if options.peers or options.speed else None
    report: list[dict[str, Any]] = []
    if options.speed and peers is not None:
        from label_speed import speed

        print("\n".join(line["words"] for line in speed(peers)))
    sets = list(read_folder(options.folder, options.only)) if options.folder else []
    if options.kinds:
        sets += draw_kinds(options.kinds, options.only, options.draws)
    for balance in options.balance if sets else ():
        for gold in options.gold:
            draws = [1 if data.oracle is not None else options.draws for data in sets]
            measured = (
                measure(data, gold, balance, n, peers if options.peers else None)
                for data, n in zip(sets, draws, strict=True)
            )
            rows = [row for row in measured if row is not None]
            table: dict[str, Any] = {"gold": gold, "balance": balance, "rows": rows}
            if options.kinds and balance == "unknown":
                held: dict[str, list[dict[str, float]]] = {}
                for seed, data in enumerate(data for data in sets if data.oracle is not None):
                    held.setdefault(data.name, []).append(coverage(data, gold, seed))
                table["intervals"] = {
                    name: {what: float(np.mean([one[what] for one in found])) for what in found[0]}
                    for name, found in held.items()
                }
            report.append(table)
            if rows and not options.json:
                print(shown(rows, f"{gold} gold labels, class balance {balance}"), flush=True)
                for name, found in table.get("intervals", {}).items():
                    print(f"90 % intervals hold, {name}: " + ", ".join(f"{k} {v:.0%}" for k, v in found.items()))
    if options.json:
        print(json.dumps(report, indent=1))
    elif peers is not None:
        print("\n".join(f"peer {peer}: {peers.absent.get(peer, 'installed')}" for peer in [*PACKAGES, *ABSENT]))
    return 0 if sets or options.speed else 1


if __name__ == "__main__":
    sys.exit(main())
