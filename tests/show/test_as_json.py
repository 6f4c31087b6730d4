from __future__ import annotations

import json
from typing import Any

import pytest
from results import checked, demonstrated, depending, fitted, labeled, planned, reproduced, summary, valued, votes_alone

from carob.posterior.losses import CrossScore
from carob.show.as_json import Result, as_json
from carob.show.report import Report

SIZE = [
    "n_points",
    "n_gold",
    "classes",
    "coding",
    "kinds",
    "n_uncovered",
    "sources",
    "messages",
]
ADVICE = ["n_unlabeled", "n_gold", "scores"]
CASES: dict[str, tuple[Result, list[str]]] = {
    "check": (
        checked(),
        [*SIZE, "problems", "class_balance", "dependent_pairs", "worse_than_chance", "findings", "scores"],
    ),
    "fit": (
        fitted(),
        [
            *SIZE,
            "class_balance",
            "labels",
            "n_labeled",
            "explanation",
            "worse_than_chance",
            "scores",
            "score",
            "out",
            "model",
        ],
    ),
    "label": (labeled(), ["n_points", "classes", "labels", "n_uncovered", "out"]),
    "demo": (demonstrated(), [*SIZE, "scores", "dependent_pairs", "value"]),
    "reproduce": (reproduced(), ["comparison", "tables", "options", "out"]),
    "value": (
        valued(),
        [
            *ADVICE,
            "shares",
            "equivalent_labels",
            "data_value_ratio",
            "gains",
            "accuracy_gains",
            "advice",
            "sure",
            "worth",
            "curve",
            "level",
            "messages",
        ],
    ),
    "votes alone": (
        votes_alone(),
        [*ADVICE, "equivalent_labels", "data_value_ratio", "advice", "curve", "votes_alone", "messages"],
    ),
    "plan": (
        planned(),
        [
            *("buy_labels", "buy_points", "cost", "risk_before", "risk_after"),
            *("interval_before", "interval_after", "gain", "frontier", "messages"),
        ],
    ),
}


def content(result: Result) -> dict[str, Any]:
    verdict = getattr(result, "verdict", "V.")
    found: dict[str, Any] = json.loads(as_json(result, Report(verdict, next_command="carob next")))
    assert found["verdict"] == verdict
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_then_all_numbers_then_the_next_command(name: str) -> None:
    result, names = CASES[name]
    assert list(content(result)) == ["verdict", *names, "next"]


def test_numbers_are_not_rounded() -> None:
    assert content(fitted())["labels"]["ham"] == {"points": 1_200, "mean_probability": 0.61}
    assert content(fitted())["score"] == {"points": 100, "accuracy": 0.93, "loss": 0.19, "f1": 0.88}
    assert content(fitted())["class_balance"]["spam"] == {"value": 0.3, "low": 0.2, "high": 0.4}
    assert content(checked(dependence=depending(1)))["dependent_pairs"] == [
        {"first": "a0", "second": "b0", "correlation": 0.3, "z": 9.0}
    ]


def test_what_is_not_known_is_null() -> None:
    silent = content(checked())["sources"][1]
    assert (silent["empirical_accuracy"], silent["accuracy"], silent["low"]) == (None, None, None)
    assert content(checked(problems=("One.",)))["class_balance"] is None
    assert content(votes_alone())["equivalent_labels"]["value"] is None
    assert (content(fitted())["out"], content(fitted())["model"]) == (None, None)


def test_without_gold() -> None:
    found = content(fitted(data=summary(None), score=None))
    assert found["n_gold"] == 0
    assert "score" not in found


def test_scores_of_the_default_fit() -> None:
    score = CrossScore("votes alone", 0.8, 0.7, 0.9, 0.5, 0.4, 0.6)
    found = content(fitted(score=None, scores=(score,), worse=("copy",)))
    assert found["scores"] == [
        {
            "name": "votes alone",
            "accuracy": 0.8,
            "accuracy_low": 0.7,
            "accuracy_high": 0.9,
            "loss": 0.5,
            "loss_low": 0.4,
            "loss_high": 0.6,
        }
    ]
    assert found["worse_than_chance"] == ["copy"]
    assert "score" not in found
    assert content(checked(worse=("copy",), findings=("One.",)))["findings"] == ["One."]


def test_letters_stay_as_they_are() -> None:
    assert "straße" in as_json(labeled(), Report("straße"))
