"""Results of commands, made by hand: what is shown is tested without computing anything."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob import Coding
from carob.commands.check import CheckResult
from carob.commands.demo import DemoResult
from carob.commands.fit import FitResult
from carob.commands.label import LabelResult
from carob.commands.outputs import LabelShare
from carob.commands.reproduce import ReproduceResult
from carob.commands.summary import ClassShare, DataSummary, Dependence
from carob.paper.experiments.parts import Options, Point
from carob.paper.experiments.run import Comparison, Reproduction
from carob.paper.structure import DependentPair
from carob.posterior.losses import CrossScore, Score
from carob.posterior.source_table import SourceTable
from carob.value.advice import DataValue, Shares
from carob.value.decision import decide
from carob.value.gains import Gain, Lacking, Prospects
from carob.value.interval import Interval
from carob.value.plan import Plan, Purchase
from carob.value.votes_alone import VotesAlone

BALANCE = (ClassShare("ham", 0.7, 0.6, 0.8), ClassShare("spam", 0.3, 0.2, 0.4))
LABELS = (LabelShare("ham", 1_200, 0.61), LabelShare("spam", 800, 0.39))
SCORE = Score(100, 0.93, 0.19, 0.88)
EQUIVALENT = Interval(42.3, 30.0, 61.0)


def pairs(number: int) -> tuple[DependentPair, ...]:
    return tuple(DependentPair(f"a{i}", f"b{i}", 0.3 - 0.1 * i, 9.0 - i) for i in range(number))


def summary(n_gold: int | None = 100, contradicted: int = 0) -> DataSummary:
    """Two sources; of the second nothing is known but how often it votes."""
    sources = SourceTable(
        source=["llm", "silent on gold"],
        polarity=[["ham", "spam"], ["spam"]],
        coverage=np.array([0.9, 0.25]),
        overlaps=np.array([0.25, 0.25]),
        conflicts=np.array([0.125, 0.125]),
        correct=np.array([1_081, 0]),
        incorrect=np.array([10, 0]),
        empirical_accuracy=np.array([1_081 / 1_091, np.nan]),
        accuracy=np.array([0.905, np.nan]),
        low=np.array([0.818, np.nan]),
        high=np.array([0.992, np.nan]),
    )
    return DataSummary(2_000, n_gold, ("ham", "spam"), Coding(("ham", "spam"), ()), sources, 0.9, contradicted)


def depending(number: int) -> Dependence:
    """Two sources that agree on half of the points, and pairs of others that are flagged."""
    agreement, correlation = np.array([[1, 0.5], [0.5, 1]]), np.array([[0, 0.2], [0.2, 0]])
    return Dependence(("a0", "b0"), agreement, correlation, pairs(number), 2)


def checked(**more: Any) -> CheckResult:
    return CheckResult(summary(), **more)


def fitted(**more: Any) -> FitResult:
    fields: dict[str, Any] = {
        "data": summary(),
        "class_balance": BALANCE,
        "labels": LABELS,
        "explanation": "Votes: so.\nGold: so.",
        "worse": (),
        "scores": (),
        "score": SCORE,
        "learned_from_gold": True,
        "out": None,
        "model_file": None,
    }
    return FitResult(**(fields | more))


def labeled() -> LabelResult:
    return LabelResult(2_000, ("ham", "spam"), LABELS, "labels.csv")


def valued(f: Interval = EQUIVALENT, labels: float = 0.003, deviation: float = 0.2) -> DataValue:
    """A value; the gain of more labels is given."""
    lacking = Lacking(
        Gain(labels * 1_000, deviation, deviation), Gain(0.0012 * 40_000 / 0.9, deviation, deviation), 200, 40_000
    )
    gains = {"labels": lacking.by_labels(50).interval(0.9), "points": lacking.by_points(360_000).interval(0.9)}
    return DataValue(
        n_unlabeled=40_000,
        n_gold=200,
        scores=tuple(
            CrossScore(name, 0.7 + k / 10, 0.65, 0.95, 0.6 + k / 10, 0.5, 1.25)
            for k, name in enumerate(("gold alone", "votes alone", "votes and gold"))
        ),
        shares=Shares(0.015, 0.0012, 0.7838),
        equivalent_labels=f,
        data_value_ratio=Interval(*(40_000 / n for n in (f.value, f.high, f.low))),
        gains=gains,
        accuracy_gains=gains,
        decision=decide(Prospects(lacking, lacking)),
        curve=(
            {"n": 10, "labeled": 0.9, "unlabeled": 0.66, "combined": 0.63},
            {"n": 2_000, "labeled": None, "unlabeled": 0.66, "combined": 0.56},
        ),
        level=0.9,
    )


def votes_alone(n_gold: int = 0) -> VotesAlone:
    return VotesAlone(1_000, n_gold, 0.00042, pairs(2), 0.0159)


def planned() -> Plan:
    frontier = (Purchase(0.0, 0, 0, 0.0, 0.228), Purchase(4_000.0, 1_040, 1_570, 3_570.0, 0.2264))
    before, after = Interval(0.228, 0.2, 0.25), Interval(0.2264, 0.2, 0.25)
    return Plan(
        1_040, 1_570, 3570.0, before.value, after.value, before, after, Interval(0.0016, 0.001, 0.003), frontier
    )


def demonstrated() -> DemoResult:
    scores = {"corrected": SCORE, "unlabeled": SCORE, "votes": SCORE, "combined": SCORE, "labeled": SCORE}
    return DemoResult(summary(), scores, 200, valued(), depending(1))


def bounded(out: str = "theory") -> ReproduceResult:
    """Two bounds of one theorem, of which one is on its side."""
    rows: list[dict[str, Any]] = [
        {
            "statement": "Theorem 3", "m": 6, "d": 1, "n": n, "bound": bound, "exact": 0.03, "monte_carlo": 0.04,
            "monte_carlo_se": 0.001, "inference_bias": 0.02, "holds": holds,
        }
        for n, bound, holds in ((1_000, 2.02, True), (5_000, 0.025, False))
    ]  # fmt: skip
    points = [
        Point("theory_theorem_3", "m = 6, d = 1", curve, row["n"], row[name], 0.0, 0.0)
        for row in rows
        for curve, name in (("bound", "bound"), ("exact asymptotic value", "exact"), ("Monte Carlo", "monte_carlo"))
    ]
    return ReproduceResult(Reproduction(Options(trials=20), points, [], {"theory": rows}), out)


def reproduced(out: str = "paper", variant: Any = "figures") -> ReproduceResult:
    """Two values of one figure, of which one agrees, and one table."""
    place = ("excess_error", "unlabeled", "mean <d=5>")
    comparison = [
        Comparison(*place, 1_000, 0.02613, 0.0262, 0.0001),
        Comparison(*place, 5_000, 0.02, 0.03, 0.001),
    ]
    points = [
        Point(*place, 1_000, 0.0262, 0.0001, 0.0001),
        Point(*place, 5_000, 0.03, 0.02, 0.001),
        Point(*place, 9_000, float("nan"), 0.0, 0.0),
    ]
    tables = {"imdb": [{"model": "labeled", "n": 4_000, "loss": 0.56481, "loss_se": 0.001, "loss_sd": 0.01}]}
    return ReproduceResult(Reproduction(Options(trials=20, variant=variant), points, comparison, tables), out)
