"""How well `karat value` and `karat plan` advise, on every set of votes in a folder, against gold that they do not see.

python bench/advice.py DIR [--gold 100 200] [--draws 3] [--only SET] [--json]
python bench/advice.py simulated                 the same on votes of independent sources, copies and hidden factors

bench/sets.py says what DIR holds. A user has some gold labels; what she is told is compared with the hidden gold:
- the 90 % intervals of the log loss of votes and gold, votes alone and gold alone, beside plain cross-validation; that
  hidden gold of a small set tells the loss with an error is counted;
- the gain of 50 more labels, whose truth is the mean over draws, with an error, and whether its interval holds it;
- f, against the learning curve of gold alone on all gold;
- the verdict, against what 50 labels and ten times the points really bring (on a tenth of the points, where there are
  enough), by regret, beside "always labels", "always points" and "always stop"; and a plan that may spend the price of
  either, beside all labels, all points, and half and half;
- how often votes and gold are worse than the better of the two;
- the verdicts of six draws of 30 labels.
Intervals of sources are measured by bench/source_intervals.py, `karat pick` and `karat rate` by bench/pick.py and
bench/rate.py.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from gains import NEXT, hidden_scores, holds
from label_quality import VoteSet, read_folder
from sets import gold_balance, some_gold
from source_intervals import HABITS, KINDS, SHAPES, simulated

import karat
from karat.calibrate.agreed import votes_alone, votes_and_gold
from karat.estimate.kinds import ClassConditional
from karat.estimate.settings import Settings
from karat.fit import fit_labeled
from karat.losses import log_losses
from karat.value.advice import DataValue, conclude
from karat.value.data_value import weigh_with_risks
from karat.value.decision import WORTHWHILE
from karat.value.gold_alone import gold_alone
from karat.value.interval import Interval
from karat.value.plan import best_plan
from karat.value.ratio import equivalent_labels
from karat.value.risks import measure_risks
from karat.votes import Gold, GoldPoints, Votes

PLAIN = 1.73  # standard errors of plain cross-validation
TRUTH = 8  # draws that tell what more labels really bring
CLEAR = 0.002  # nats: a gain that is clear, if it is twice its error as well
TENTH_OF = 3_000  # points from which on a tenth of a set is a user's data


def simulated_sets() -> list[VoteSet]:
    """Sources on their own, copies, and sources that follow a hidden factor; few and many, of few and many points."""
    found = []
    for kind, (m, n), (abstain, balance) in product(KINDS[:3], SHAPES, HABITS[1:]):
        votes, truth, _ = simulated(kind, m, n, abstain, balance, 0)
        gold = Gold(truth.astype(np.int8), votes.classes)
        found.append(VoteSet(Path(f"{kind} {m} {n} {balance}"), replace(votes, gold=gold)))
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
    gain, error = true_gain(votes, gold, balance)
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
            "combined": losses_of(votes_and_gold(votes, points, settings).posterior(hidden), truth),
            "unlabeled": losses_of(votes_alone(votes, points, settings).posterior(hidden), truth),
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


def true_gain(votes: Votes, gold: int, balance: Any) -> tuple[float, float]:
    """What 50 more gold labels bring on average over draws, and the standard error of that."""
    gains = []
    for draw in range(TRUTH):
        rest = some_gold(votes, gold + NEXT, draw)[1]
        rows = np.flatnonzero(rest.known)
        hidden, truth = votes.take(rows), rest.values[rows]
        before, after = (
            hidden_scores(votes, some_gold(votes, n, draw)[0], hidden, truth, balance)[0] for n in (gold, gold + NEXT)
        )
        gains.append(before - after)
    return float(np.mean(gains)), float(np.std(gains, ddof=1) / np.sqrt(TRUTH))


def losses_of(p: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Log losses of probabilities, shape (n, K), on points whose classes are known."""
    return log_losses(p[np.arange(len(truth)), truth])


def verdicts(data: VoteSet, gold: int, balance: Any, draws: int) -> Iterator[dict[str, Any]]:
    """Verdicts and plans on a tenth of the points, where the others show what more of them bring.

    A plan may spend what 50 labels cost, or nine times the points.
    """
    votes = data.votes
    truth, n = votes.own_gold.values, len(votes) // 10
    known = np.flatnonzero(truth >= 0)
    if len(votes) < TENTH_OF or len(known) < 3 * (gold + NEXT) or n < 2 * (gold + NEXT):
        return
    for draw in range(draws):
        order = np.random.default_rng([9, draw]).permutation(known)
        hidden = order[gold + NEXT :][:4_000]
        others = np.random.default_rng([8, draw]).permutation(np.setdiff1d(np.arange(len(votes)), order[: gold + NEXT]))
        rows, test = np.concatenate([order[: gold + NEXT], others]), votes.take(hidden)

        def gold_of(labels: int, points: int, rows: np.ndarray = rows) -> Gold:
            values = np.where(np.arange(points) < labels, truth[rows[:points]], -1)
            return Gold(values.astype(np.int8), votes.classes)

        def loss(
            bought: tuple[int, int], rows: np.ndarray = rows, test: Votes = test, of: Any = truth[hidden]
        ) -> float:
            labels, points = gold + bought[0], n + bought[1]
            return hidden_scores(votes.take(rows[:points]), gold_of(labels, points), test, of, balance)[0]

        found, risks = weigh_with_risks(votes.take(rows[:n]), gold_of(gold, n), Settings(class_balance=balance))
        if not isinstance(found, DataValue) or risks is None:
            continue
        plan = best_plan(risks, 1.0, NEXT / (9 * n), NEXT)
        purchases = {"labels": (NEXT, 0), "points": (0, 9 * n), "half and half": (NEXT // 2, 9 * n // 2)}
        losses = {name: loss(bought) for name, bought in purchases.items()}
        now, planned = loss((0, 0)), loss((plan.buy_labels, plan.buy_points))
        gains = {"buy labels": now - losses["labels"], "buy points": now - losses["points"], "stop": WORTHWHILE}
        best = max(gains.values())
        answer = found.kind if found.kind in gains else found.decision.leaning
        least = min(planned, *losses.values())
        yield {
            "set": data.name,
            "gold": gold,
            "given": balance is not None,
            "told": found.kind,
            "sure": found.decision.sure,
            "said": {"buy labels": found.decision.labels.median, "buy points": found.decision.points.median},
            "gains": gains,
            "regret": best - gains[answer],
            "always": {name: best - gain for name, gain in gains.items()},
            "right": gains[answer] == best,
            "bought": (plan.buy_labels, plan.buy_points),
            "plan": planned - least,
            "always spent on": {name: lost - least for name, lost in losses.items()},
        }


def flips(data: VoteSet, balance: Any) -> list[str]:
    """Verdicts of six draws of 30 labels."""
    found: list[str] = []
    for draw in range(6):
        told = karat.data_value(data.votes, some_gold(data.votes, 30, draw)[0], class_balance=balance)
        found.append(told.kind)
    return found


def held(told: dict[str, float]) -> bool:
    """Whether an interval holds the truth, up to the error of that where it is a mean over draws or points."""
    return holds(Interval(told["value"], told["low"], told["high"]), told["true"], told.get("error", 0.0))


def summary(rows: list[dict[str, Any]], answers: list[dict[str, Any]], drawn: dict[str, list[str]]) -> dict[str, Any]:
    """The table of what is told, and of what is so."""
    risks = {
        name: [(row["set"], row["risk"][name]) for row in rows if name in row["risk"]]
        for name in ("combined", "unlabeled", "labeled")
    }
    told: dict[str, Any] = {}
    for name, found in risks.items():
        by_set: dict[str, list[bool]] = {}
        for where, risk in found:
            by_set.setdefault(where, []).append(held(risk))
        told[f"risk, {name}"] = {
            "covered": float(np.mean([held(risk) for _, risk in found])) if found else None,
            "worst set": min((float(np.mean(of_set)) for of_set in by_set.values()), default=None),
            "half-width": float(np.mean([(risk["high"] - risk["low"]) / 2 for _, risk in found])) if found else None,
            "that of plain cross-validation": float(np.mean([risk["plain"] for _, risk in found])) if found else None,
        }
    clear = [row["gain"] for row in rows if row["gain"]["true"] >= max(CLEAR, 2 * row["gain"]["error"])]
    told["gain of labels"] = {
        "covered": float(np.mean([held(row["gain"]) for row in rows])),
        "clear cases": len(clear),
        "within a factor of two": float(np.mean([0.5 <= g["value"] / g["true"] <= 2 for g in clear]))
        if clear
        else None,
        "said": float(np.mean([row["gain"]["value"] for row in rows])),
        "true": float(np.mean([row["gain"]["true"] for row in rows])),
    }
    told["f"] = _f_summary(rows)
    told["verdict"] = _verdict_summary(answers)
    told["worse than the better part"] = {
        "by more than .005": float(np.mean([row["worse"] > 0.005 for row in rows])),
        "by more than .002": float(np.mean([row["worse"] > 0.002 for row in rows])),
    }
    told["verdicts of six draws of 30 labels"] = drawn
    return told


def _f_summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """How well f is told: as an interval, or one-sided."""
    known = [row["f"] | {"top": row["largest"]} for row in rows]
    known = [f | {"true": min(f["true"], f["top"])} for f in known]
    two_sided = [f for f in known if f["low"] > 5 and np.isfinite(f["high"])]
    one_sided = [f for f in known if f not in two_sided]
    close = [1 / 1.5 <= f["value"] / f["true"] <= 1.5 for f in two_sided if f["true"] > 7.5]
    return {
        "two-sided": len(two_sided),
        "two-sided, covered": float(np.mean([held(f) for f in two_sided])) if two_sided else None,
        "two-sided, within 1.5": float(np.mean(close)) if close else None,
        "one-sided": len(one_sided),
        "one-sided, right": float(np.mean([held(f | {"high": max(f["high"], 5)}) for f in one_sided]))
        if one_sided
        else None,
    }


def _means(answers: list[dict[str, Any]], of: str) -> dict[str, float]:
    return {name: float(np.mean([answer[of][name] for answer in answers])) for name in answers[0][of]}


def _verdict_summary(answers: list[dict[str, Any]]) -> dict[str, Any]:
    if not answers:
        return {}
    kinds = sorted({answer["told"] for answer in answers})
    return {
        "calls": len(answers),
        "regret": float(np.mean([answer["regret"] for answer in answers])),
        "always": _means(answers, "always"),
        "regret of plans": float(np.mean([answer["plan"] for answer in answers])),
        "always spent on": _means(answers, "always spent on"),
        "right": {
            kind: [
                float(np.mean([answer["right"] for answer in answers if answer["told"] == kind])),
                sum(answer["told"] == kind for answer in answers),
            ]
            for kind in kinds
        },
    }


def main() -> int:
    """Measure, then print the table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--gold", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sets, skipped = (
        (simulated_sets(), {}) if options.folder == "simulated" else read_folder(options.folder, options.only)
    )
    rows: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    drawn: dict[str, list[str]] = {}
    for data in sets:
        for balance in (gold_balance(data.votes.own_gold), None):
            for gold in options.gold:
                if 2 * (gold + NEXT) <= data.size["gold"]:
                    rows += advised(data, gold, balance, options.draws)
                    answers += verdicts(data, gold, balance, options.draws)
        if data.size["gold"] >= 60:
            drawn[data.name] = flips(data, None)
        print(data.name, file=sys.stderr, flush=True)
    told = summary(rows, answers, drawn)
    if options.json:
        print(json.dumps({"summary": told, "rows": rows, "verdicts": answers, "skipped": skipped}))
    else:
        for name, found in told.items():
            print(f"{name}: {json.dumps(found, indent=None)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
