"""How well `carob value` and `carob plan` advise, on every set of votes in a folder, against gold that they do not see.

python bench/advice.py DIR [--gold 100 200] [--draws 2] [--only SET] [--json]
python bench/advice.py simulated                 the same on votes of independent sources, copies and hidden factors

bench/sets.py says what DIR holds. A user has some gold labels; what she is told is compared with the hidden gold:
- the 90 % intervals of the log loss of votes and gold, votes alone and gold alone, beside plain cross-validation; that
  hidden gold of a small set tells the loss with an error is counted;
- the gain of 50 more labels, whose truth is the mean over draws, with an error, and whether its interval holds it;
- f, against the learning curve of gold alone on all gold;
- the verdict, against what 50 labels and ten times the points really bring (on a tenth of the points, where there are
  enough), by regret, beside "always labels", "always points" and "always stop". What they bring is a mean over draws as
  well, and a verdict is right if none is better than its answer, up to the error of that;
- a plan that may spend the price of either, beside all labels, all points, and half and half, on the same draws;
- how often votes and gold are worse than the better of the two;
- the verdicts of six draws of 30 labels.
Intervals of sources are measured by bench/source_intervals.py, `carob pick` and `carob rate` by bench/pick.py and
bench/rate.py. With two draws a set takes half a minute to some minutes of one core, the more the more points, sources
and classes it has, and says so when it is done.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from carob.model.fit import fit_labeled
from gains import ERRORS, NEXT, hidden_scores, holds
from label_quality import VoteSet, read_folder
from sets import gold_balance, some_gold
from source_intervals import HABITS, KINDS, SHAPES, simulated

import carob
from carob.label.agreed import votes_alone, votes_and_gold
from carob.label.pool import Pool
from carob.paper.kinds import ClassConditional
from carob.paper.ratio import equivalent_labels
from carob.posterior.losses import log_losses
from carob.posterior.settings import Settings
from carob.value.advice import DataValue, conclude
from carob.value.data_value import weigh_with_risks
from carob.value.decision import WORTHWHILE
from carob.value.gold_alone import gold_alone
from carob.value.interval import Interval
from carob.value.plan import best_plan
from carob.value.risks import measure_risks
from carob.votes import Gold, GoldPoints, Votes

PLAIN = 1.73  # standard errors of plain cross-validation
TRUTH = 4  # draws, at least, that tell what more labels, or points, really bring
CLEAR = 0.002  # nats: a gain that is clear, if it is twice its error as well
TENTH_OF = 3_000  # points from which on a tenth of a set is a user's data
MOST_HIDDEN = 4_000  # points that what is bought for it is measured on


def simulated_sets() -> list[VoteSet]:
    """Sources on their own, copies, and sources that follow a hidden factor; few and many, of few and many points."""
    found = []
    for kind, (m, n), (abstain, balance) in product(KINDS[:3], SHAPES, HABITS[1:]):
        votes, truth, _ = simulated(kind, m, n, abstain, balance, 0)
        gold = Gold(truth.astype(np.int8), votes.classes)
        found.append(VoteSet(Path(f"{kind} {m} {n} {balance:.0%}"), replace(votes, gold=gold)))
    return found


def labeled_truth(votes: Votes, balance: Any) -> tuple[np.ndarray, np.ndarray]:
    """The learning curve of gold alone, on all gold."""
    points = GoldPoints.of(votes, votes.own_gold)
    groups = tuple((i,) for i in range(len(votes.sources)))
    given = None if balance is None else np.array(balance)
    curve = gold_alone(points, given, ClassConditional(), groups, np.random.default_rng(0))
    return curve.sizes, curve.losses.mean(axis=1)


def advised(data: VoteSet, gold: int, balance: Any, draws: int) -> Iterator[dict[str, Any]]:
    """What is told of one set, and the truth, for each draw."""
    votes = data.votes
    fits, gain, error = true_gain(votes, gold, balance, max(draws, TRUTH))
    sizes, curve = labeled_truth(votes, balance)
    for draw in range(draws):
        drawn, rest = some_gold(votes, gold, draw)
        points, settings = GoldPoints.of(votes, drawn), Settings(class_balance=balance)
        if np.count_nonzero(points.counts) < 2:
            continue
        risks = measure_risks(votes, points, settings)
        found = conclude(risks)
        rows = np.flatnonzero(rest.known)
        truth, hidden = rest.values[rows], votes.take(rows)
        losses = {
            "combined": losses_of(fits[draw].posterior(hidden), truth),
            "unlabeled": losses_of(votes_alone(votes, points, settings)[0].posterior(hidden), truth),
        }
        if (points.counts > 0).all():
            losses["labeled"] = losses_of(fit_labeled(points, settings).posterior(hidden), truth)
        means = {name: float(found.mean()) for name, found in losses.items()}
        measured = {"combined": risks.both, "unlabeled": risks.votes_alone, "labeled": risks.gold_alone}
        yield {
            "set": data.name,
            "gold": gold,
            "given": balance is not None,
            "risk": {
                name: {
                    "true": means[name],
                    "error": float(of_points.std(ddof=1) / np.sqrt(len(of_points))),
                    "plain": float(PLAIN * measured[name].losses.std(ddof=1) / np.sqrt(gold)),
                    "plain value": float(measured[name].losses.mean()),
                    **vars(found.risk[name]),
                }
                for name, of_points in losses.items()
            },
            "gain": {"true": gain, "error": error, **vars(found.gains["labels"])},
            "f": {"true": equivalent_labels(sizes, curve, means["unlabeled"]), **vars(found.equivalent_labels)},
            "largest": int(sizes[-1]),
            "kind": found.kind,
            "worse": means["combined"] - min(means.values()),
        }


def true_gain(votes: Votes, gold: int, balance: Any, draws: int) -> tuple[list[Pool], float, float]:
    """Fits with so many gold labels, a draw each; what 50 more of them bring on average, and its standard error."""
    fits, gains = [], []
    for draw in range(draws):
        rest = some_gold(votes, gold + NEXT, draw)[1]
        rows = np.flatnonzero(rest.known)
        hidden, truth = votes.take(rows), rest.values[rows]
        before, after = (
            votes_and_gold(votes, GoldPoints.of(votes, some_gold(votes, n, draw)[0]), Settings(class_balance=balance))
            for n in (gold, gold + NEXT)
        )
        fits.append(before)
        gains.append((losses_of(before.posterior(hidden), truth) - losses_of(after.posterior(hidden), truth)).mean())
    return fits, float(np.mean(gains)), float(np.std(gains, ddof=1) / np.sqrt(draws))


def losses_of(p: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Log losses of probabilities, shape (n, K), on points whose classes are known."""
    return log_losses(p[np.arange(len(truth)), truth])


@dataclass(frozen=True, eq=False)
class Tenth:
    """A tenth of a set as the data of a user, who may buy the others, or gold labels.

    Parameters
    ----------
    votes : Votes
        Of all points.
    gold, n : int
        Gold labels and points that the user has.
    rows : array of int
        All points in the order in which they are had or bought, those that may have gold first.
    hidden : array of int
        Points that losses are measured on.
    """

    votes: Votes
    gold: int
    n: int
    rows: np.ndarray
    hidden: np.ndarray

    @classmethod
    def drawn(cls, votes: Votes, gold: int, draw: int) -> Tenth | None:
        """A random tenth, None where the set is too small."""
        known, n = np.flatnonzero(votes.own_gold.known), len(votes) // 10
        if len(votes) < TENTH_OF or len(known) < 3 * (gold + NEXT) or n < 2 * (gold + NEXT):
            return None
        order = np.random.default_rng([9, draw]).permutation(known)
        first = order[: gold + NEXT]
        others = np.random.default_rng([8, draw]).permutation(np.setdiff1d(np.arange(len(votes)), first))
        return cls(votes, gold, n, np.concatenate([first, others]), order[gold + NEXT :][:MOST_HIDDEN])

    def having(self, bought: tuple[int, int]) -> tuple[Votes, Gold]:
        """The user's votes and gold with so many more labels and points."""
        labels, points = self.gold + bought[0], self.n + bought[1]
        rows = self.rows[:points]
        values = np.where(np.arange(points) < labels, self.votes.own_gold.values[rows], -1)
        return self.votes.take(rows), Gold(values.astype(np.int8), self.votes.classes)

    def loss(self, bought: tuple[int, int], balance: Any) -> float:
        """Log loss on hidden points of a fit with so many more labels and points."""
        truth = self.votes.own_gold.values[self.hidden]
        return hidden_scores(*self.having(bought), self.votes.take(self.hidden), truth, balance)[0]


def verdicts(data: VoteSet, gold: int, balance: Any, draws: int) -> list[dict[str, Any]]:
    """Verdicts and plans on a tenth of the points, where the others show what more of them bring.

    A plan may spend what 50 labels cost, or nine times the points.
    """
    told: list[dict[str, Any]] = []
    lost: list[dict[str, float]] = []
    for draw in range(max(draws, TRUTH)):
        user = Tenth.drawn(data.votes, gold, draw)
        if user is None:
            return []
        n = user.n
        spent = {"nothing": (0, 0), "labels": (NEXT, 0), "points": (0, 9 * n), "half and half": (NEXT // 2, 9 * n // 2)}
        lost.append({name: user.loss(bought, balance) for name, bought in spent.items()})
        if draw >= draws:
            continue
        found, risks = weigh_with_risks(*user.having((0, 0)), Settings(class_balance=balance))
        if isinstance(found, DataValue) and risks is not None:
            plan = best_plan(risks, 1.0, NEXT / (9 * n), NEXT)
            told.append(
                {
                    "set": data.name,
                    "gold": gold,
                    "given": balance is not None,
                    "told": found.kind,
                    "leaning": found.kind if found.kind != "cannot tell" else found.decision.leaning,
                    "sure": found.decision.sure,
                    "said": {"buy labels": found.decision.labels.median, "buy points": found.decision.points.median},
                    "bought": (plan.buy_labels, plan.buy_points),
                    "plan": user.loss((plan.buy_labels, plan.buy_points), balance),
                    "spent on": {name: lost[draw][name] for name in ("labels", "points", "half and half")},
                }
            )
    now, labels, points = (np.array([losses[name] for losses in lost]) for name in ("nothing", "labels", "points"))
    gains = {"buy labels": now - labels, "buy points": now - points, "stop": np.full(len(now), WORTHWHILE)}
    best = max(gains, key=lambda kind: float(gains[kind].mean()))
    regret = {kind: float((gains[best] - gain).mean()) for kind, gain in gains.items()}
    error = {kind: float((gains[best] - gain).std(ddof=1) / np.sqrt(len(now))) for kind, gain in gains.items()}
    return [
        row
        | {"true": {kind: float(gain.mean()) for kind, gain in gains.items()}, "always": regret, "best": best}
        | {
            "regret": regret.get(row["leaning"], regret[best]),
            "right": regret.get(row["leaning"], regret[best]) <= ERRORS * error.get(row["leaning"], 0.0),
        }
        for row in told
    ]


def flips(data: VoteSet, balance: Any) -> list[str]:
    """Verdicts of six draws of 30 labels."""
    found: list[str] = []
    for draw in range(6):
        told = carob.data_value(data.votes, some_gold(data.votes, 30, draw)[0], class_balance=balance)
        found.append(told.kind)
    return found


def held(told: dict[str, float]) -> bool:
    """Whether an interval holds the truth, up to the error of that where it is a mean over draws or points."""
    return holds(Interval(told["value"], told["low"], told["high"]), told["true"], told.get("error", 0.0))


def _plain(risk: dict[str, float]) -> dict[str, float]:
    """A risk as plain cross-validation tells it."""
    return risk | vars(Interval.around(risk["plain value"], risk["plain"]))


def mean(values: list[Any]) -> float | None:
    """The mean, None of nothing."""
    return float(np.mean(values)) if values else None


def summary(rows: list[dict[str, Any]], answers: list[dict[str, Any]], drawn: dict[str, list[str]]) -> dict[str, Any]:
    """The table of what is told, and of what is so."""
    risks = {
        name: [(row["set"], row["risk"][name]) for row in rows if name in row["risk"]]
        for name in ("combined", "unlabeled", "labeled")
    }
    told: dict[str, Any] = {"calls": len(rows), "sets": len({row["set"] for row in rows})}
    for name, found in risks.items():
        by_set: dict[str, list[bool]] = {}
        for where, risk in found:
            by_set.setdefault(where, []).append(held(risk))
        shares = {where: (float(np.mean(of_set)), len(of_set)) for where, of_set in by_set.items()}
        worst = min(shares, key=lambda where: shares[where][0], default=None)
        told[f"risk, {name}"] = {
            "covered": mean([held(risk) for _, risk in found]),
            "worst set": None if worst is None else [worst, *shares[worst]],
            "half-width": mean([(risk["high"] - risk["low"]) / 2 for _, risk in found]),
            "that of plain cross-validation": mean([risk["plain"] for _, risk in found]),
            "plain cross-validation covered": mean([held(_plain(risk)) for _, risk in found]),
        }
    clear = [row["gain"] for row in rows if row["gain"]["true"] >= max(CLEAR, 2 * row["gain"]["error"])]
    told["gain of labels"] = {
        "covered": mean([held(row["gain"]) for row in rows]),
        "clear cases": len(clear),
        "within a factor of two": mean([0.5 <= gain["value"] / gain["true"] <= 2 for gain in clear]),
        "the same, up to the error of the truth": mean([_close(gain) for gain in clear]),
        "said": mean([row["gain"]["value"] for row in rows]),
        "true": mean([row["gain"]["true"] for row in rows]),
    }
    told["f"] = _f_summary(rows)
    told["verdict"] = _verdict_summary(answers)
    told["worse than the better part"] = {
        "by more than .005": mean([row["worse"] > 0.005 for row in rows]),
        "by more than .002": mean([row["worse"] > 0.002 for row in rows]),
        "by more than .005, by means over draws": mean([worse > 0.005 for worse in _worse_on_average(rows)]),
    }
    told["verdicts of six draws of 30 labels"] = drawn
    return told


def _close(gain: dict[str, float]) -> bool:
    """Whether what is said is within a factor of two of what the truth may be."""
    error = ERRORS * gain["error"]
    return (gain["true"] - error) / 2 <= gain["value"] <= 2 * (gain["true"] + error)


def _worse_on_average(rows: list[dict[str, Any]]) -> list[float]:
    """By how much votes and gold lose more than the better part, on each set with as much gold, by means over draws."""
    cells: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["set"], row["gold"], row["given"]), []).append(row["risk"])
    found = []
    for drawn in cells.values():
        parts = set.intersection(*({*risk} for risk in drawn))
        means = {name: float(np.mean([risk[name]["true"] for risk in drawn])) for name in parts}
        found.append(means["combined"] - min(means.values()))
    return found


def _f_summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """How well f is told: as an interval, or one-sided."""
    known = [row["f"] | {"top": row["largest"]} for row in rows]
    known = [f | {"true": min(f["true"], f["top"])} for f in known]
    two_sided = [f for f in known if f["low"] > 5 and np.isfinite(f["high"])]
    one_sided = [f for f in known if f not in two_sided]
    return {
        "two-sided": len(two_sided),
        "two-sided, covered": mean([held(f) for f in two_sided]),
        "two-sided, within 1.5": mean([1 / 1.5 <= f["value"] / f["true"] <= 1.5 for f in two_sided if f["true"] > 7.5]),
        "one-sided": len(one_sided),
        "one-sided, right": mean([held(f | {"high": max(f["high"], 5)}) for f in one_sided]),
    }


def _means(answers: list[dict[str, Any]], of: str) -> dict[str, float]:
    return {name: float(np.mean([answer[of][name] for answer in answers])) for name in answers[0][of]}


def _verdict_summary(answers: list[dict[str, Any]]) -> dict[str, Any]:
    if not answers:
        return {}
    kinds = sorted({answer["told"] for answer in answers})
    beside = {
        name: np.array([answer["plan"] - answer["spent on"][name] for answer in answers])
        for name in answers[0]["spent on"]
    }
    return {
        "calls": len(answers),
        "regret": mean([answer["regret"] for answer in answers]),
        "always": _means(answers, "always"),
        "right, up to the error of the truth": {
            kind: [
                mean([answer["right"] for answer in answers if answer["told"] == kind]),
                sum(answer["told"] == kind for answer in answers),
            ]
            for kind in kinds
        },
        "best by the mean over draws": {
            kind: mean([answer["leaning"] == answer["best"] for answer in answers if answer["told"] == kind])
            for kind in kinds
        },
        "loss of plans less that of": {
            name: [float(less.mean()), float(less.std(ddof=1) / np.sqrt(len(less)))] for name, less in beside.items()
        }
        if len(answers) > 1
        else {},
    }


def main() -> int:
    """Measure, then print the table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--gold", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    skipped: dict[str, str] = {}
    if options.folder == "simulated":
        sets = [data for data in simulated_sets() if not options.only or data.name in options.only]
    else:
        sets, skipped = read_folder(options.folder, options.only)
    rows: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    drawn: dict[str, list[str]] = {}
    for number, data in enumerate(sets, start=1):
        started = time.process_time()
        for balance in (gold_balance(data.votes.own_gold), None):
            for gold in options.gold:
                if 2 * (gold + NEXT) <= data.size["gold"]:
                    rows += advised(data, gold, balance, options.draws)
                    answers += verdicts(data, gold, balance, options.draws)
        if data.size["gold"] >= 60:
            drawn[data.name] = flips(data, None)
        seconds = time.process_time() - started
        print(f"{number} of {len(sets)}: {data.name}, {seconds:.0f} s", file=sys.stderr, flush=True)
    told = summary(rows, answers, drawn)
    if options.json:
        print(json.dumps({"summary": told, "rows": rows, "verdicts": answers, "skipped": skipped}))
    else:
        for name, found in told.items():
            print(f"{name}: {json.dumps(found, indent=None)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
