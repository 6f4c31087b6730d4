"""How good labels are, on every set of votes in a folder, against counting votes and against other libraries.

python bench/label_quality.py DIR                          accuracy and log loss, with 0, 25 and 100 gold labels
python bench/label_quality.py DIR --peers --gold 0         crowd-kit, Snorkel and others too, in .peers/
python bench/label_quality.py DIR --only SET --json        every number of one set
python bench/label_quality.py --speed                      how long labels take, against other libraries

bench/sets.py says what DIR holds. Every method gets all votes, and gold for the same random points; points with gold
that were not drawn are scored. A draw larger than half of the gold is left out. The class balance is that of all gold
("given"), or nobody is told ("estimated"): then counts of votes use the gold that was drawn. Peers get no gold.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from label_methods import WORDS, Answer, Draw, NoAnswerError, methods_for, own_answer, scores
from peer_environment import ABSENT, PACKAGES, PeerError, Peers
from sets import files_of, gold_balance, read_set, some_gold

import carob
from carob.votes import Votes


@dataclass(frozen=True)
class VoteSet:
    """A set that could be read."""

    file: Path
    votes: Votes

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.file.stem

    @property
    def size(self) -> dict[str, int]:
        """Points, points with gold, sources and classes."""
        votes = self.votes
        gold = int(votes.own_gold.known.sum())
        return {"points": len(votes), "gold": gold, "sources": len(votes.sources), "classes": len(votes.classes)}


@dataclass
class Table:
    """All methods on all sets, with one number of gold labels and one class balance."""

    gold: int
    balance: str
    left_out: dict[str, str] = field(default_factory=dict)
    results: dict[str, dict[str, Answer]] = field(default_factory=dict)


def peer_answer(peers: Peers, peer: str, data: VoteSet, draws: list[Draw]) -> Answer:
    """A peer is asked once: it gets no gold, so that only what is scored differs between draws."""
    try:
        found = peers.label(peer, data.file, len(data.votes.classes), draws[0].balance)
        accuracy, loss = np.mean([scores(found.probabilities, draw.scored) for draw in draws], axis=0)
    except (PeerError, NoAnswerError) as error:
        return Answer("failed", reason=str(error))
    return Answer("ok", float(accuracy), float(loss), found.seconds)


def read_folder(folder: str, only: list[str] | None) -> tuple[list[VoteSet], dict[str, str]]:
    """Sets, and why others are none."""
    found, skipped = [], {}
    for file in files_of(folder):
        if only and file.stem not in only:
            continue
        try:
            data = VoteSet(file, read_set(file))
            size = data.size
        except (ValueError, OSError, carob.InputError) as error:
            skipped[file.stem] = str(error).splitlines()[0]
            continue
        if size["gold"] < 1 or size["classes"] < 2:
            skipped[file.stem] = f"{size['gold']} gold labels, {size['classes']} classes"
            continue
        found.append(data)
    return found, skipped


def measure(sets: list[VoteSet], gold: int, balance: str, n_draws: int, peers: Peers | None) -> Table:
    """Every method on every set."""
    table = Table(gold, balance)
    for data in sets:
        if 2 * gold > data.size["gold"]:
            table.left_out[data.name] = f"{data.size['gold']} gold labels"
            continue
        given = gold_balance(data.votes.own_gold) if balance == "given" else None
        parts = [some_gold(data.votes, gold, seed) for seed in range(n_draws if gold else 1)]
        draws = [Draw(data.votes, drawn if gold else None, rest, given) for drawn, rest in parts]
        found = {name: own_answer(name, draws) for name in methods_for(gold)}
        if peers is not None:
            found |= {peer: peer_answer(peers, peer, data, draws) for peer in PACKAGES if peer not in peers.absent}
        table.results[data.name] = found
        if sys.stderr.isatty():
            print(f"{gold} gold, balance {balance}: {data.name}", file=sys.stderr)
    return table


def mean_of(answers: list[Answer], number: str) -> float | None:
    """Mean of a number over answers, None without any."""
    return float(np.mean([getattr(answer, number) for answer in answers])) if answers else None


def summary(table: Table, sizes: dict[str, dict[str, int]]) -> dict[str, Any]:
    """Means per method over binary sets and over those of more classes, who refused, and where carob is worst."""
    means: dict[str, Any] = {}
    for words, names in groups(table, sizes):
        rows = [table.results[name] for name in names]
        methods = list(rows[0]) if rows else []
        means[words] = {}
        for method in methods:
            own = [row[method] for row in rows if row[method].status == "ok"]
            both = [row for row in rows if row[method].status == row["carob"].status == "ok"]
            means[words][method] = {"sets": len(own), "sets_with_carob": len(both)}
            for number in ("accuracy", "log_loss"):
                ours, theirs = (mean_of([row[name] for row in both], number) for name in ("carob", method))
                gain = None if ours is None or theirs is None else ours - theirs
                means[words][method] |= {number: mean_of(own, number), f"carob_less_it_{number}": gain}
    silent = {
        status: {
            method: [name for name, row in table.results.items() if row[method].status == status]
            for method in next(iter(table.results.values()), {})
        }
        for status in ("refused", "failed")
    }
    excess = {
        name: row["carob"].log_loss - row["smoothed"].log_loss
        for name, row in table.results.items()
        if row["carob"].log_loss is not None and row["smoothed"].log_loss is not None
    }
    worst = max(excess, key=lambda name: excess[name], default=None)
    told = None if worst is None else {"set": worst, "log_loss_excess": excess[worst]}
    return {"means": means, **silent, "worst_against_smoothed": told}


def groups(table: Table, sizes: dict[str, dict[str, int]]) -> Iterator[tuple[str, list[str]]]:
    """Names of the sets with two classes, and of those with more."""
    for words, binary in (("K = 2", True), ("K > 2", False)):
        yield words, [name for name in table.results if (sizes[name]["classes"] == 2) == binary]


def shown(table: Table, told: dict[str, Any]) -> str:
    """Two tables, of accuracy and of log loss, with their means and what was left out."""
    lines = []
    methods = list(next(iter(table.results.values()), {}))
    first = max([len(name) for name in table.results] + [len("carob less it, K = 2")])
    widths = [max(len(method), 7) for method in methods]

    def row(name: str, cells: list[str]) -> str:
        return f"{name:{first}}  " + "  ".join(f"{cell:>{w}}" for cell, w in zip(cells, widths, strict=True))

    def cell(value: float | None, sign: str = "") -> str:
        return "-" if value is None else f"{value:{sign}.3f}"

    for number in ("accuracy", "log_loss"):
        lines += [f"{number.replace('_', ' ')}, {table.gold} gold labels, class balance {table.balance}", ""]
        lines.append(row("", methods))
        for name, found in table.results.items():
            answers = [found[method] for method in methods]
            lines.append(row(name, [cell(getattr(a, number)) if a.status == "ok" else a.status for a in answers]))
        for words, means in told["means"].items():
            if means:
                lines += ["", row(f"mean, {words}", [cell(means[method][number]) for method in methods])]
                lines.append(row("    of so many sets", [str(means[method]["sets"]) for method in methods]))
                gains = [cell(means[method][f"carob_less_it_{number}"], "+") for method in methods]
                lines.append(row(f"carob less it, {words}", gains))
        lines.append("")
    for status in ("refused", "failed"):
        lines.append(row(f"sets {status}", [str(len(told[status][method])) for method in methods]))
    lines += ["    carob less it: on the sets that both labeled", ""]
    worst = told["worst_against_smoothed"]
    if worst:
        lines.append(
            f"worst against smoothed majority vote: log loss {worst['log_loss_excess']:+.3f}, on {worst['set']}"
        )
    for name, reason in table.left_out.items():
        lines.append(f"left out: {name}, {reason}")
    for name, found in table.results.items():
        reasons: dict[tuple[str, str], list[str]] = {}
        for method, answer in found.items():
            if answer.status != "ok":
                reasons.setdefault((answer.status, answer.reason), []).append(method)
        for (status, reason), who in reasons.items():
            lines.append(f"{name}: {', '.join(who)} {status}: {reason[:160]}")
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure, then print tables or JSON."""
    description = __doc__ or ""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="DIR")
    parser.add_argument("--gold", nargs="+", type=int, default=[0, 25, 100])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--balance", nargs="+", choices=["given", "estimated"], default=["given", "estimated"])
    parser.add_argument("--only", nargs="+", metavar="SET")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.folder is None and not options.speed:
        parser.error("give a folder of votes, or --speed.")
    if options.draws < 1 or min(options.gold) < 0:
        parser.error("--draws is at least 1, and --gold at least 0.")
    report: dict[str, Any] = {}
    peers = Peers.make() if options.peers or options.speed else None
    if peers is not None:
        report["peers"] = {peer: peers.absent.get(peer, "installed") for peer in [*PACKAGES, *ABSENT]}
    if options.speed and peers is not None:
        from label_speed import speed

        report["speed"] = speed(peers)
    if options.folder is not None:
        sets, skipped = read_folder(options.folder, options.only)
        sizes = {data.name: data.size for data in sets}
        report |= {"folder": options.folder, "draws": options.draws, "sets": sizes, "skipped": skipped, "tables": []}
        if not options.json:
            print("\n".join(f"{name}: {words}" for name, words in WORDS.items()), end="\n\n")
        for balance in options.balance:
            for gold in options.gold:
                table = measure(sets, gold, balance, options.draws, peers if options.peers else None)
                told = summary(table, sizes)
                report["tables"].append(asdict(table) | told)
                if not options.json:
                    print(shown(table, told), flush=True)
        if not options.json:
            for name, reason in skipped.items():
                print(f"cannot be read: {name}: {reason}")
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        for peer, state in report.get("peers", {}).items():
            print(f"peer {peer}: {state}")
        for line in report.get("speed", []):
            print(line["words"])
    return 0 if options.folder is None or report["sets"] else 1


if __name__ == "__main__":
    sys.exit(main())
