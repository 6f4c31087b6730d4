from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from carob.commands.reproduce import ReproduceResult
from carob.paper import bounds
from carob.paper.experiments.parts import Options, Part
from carob.paper.experiments.run import Reproduction
from carob.paper.experiments.theory import EDGES, EXPERIMENT, SIZES, SOURCES, STATEMENTS, _holds, model
from carob.show.as_json import as_json
from carob.show.reproduce import reproduce_report

OPTIONS = Options(trials=200)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """All parts; those of many sources, which take longest, with fewer trials."""

    def run(part: Part) -> Any:
        return part.run(replace(OPTIONS, trials=20) if part.arguments["m"] == 14 else OPTIONS)

    return {part.name: run(part) for part in EXPERIMENT.parts(OPTIONS)}


def test_all_bounds_are_on_their_side_over_the_grid(results: dict[str, Any]) -> None:
    rows = EXPERIMENT.tables(results, OPTIONS)["theory"]
    assert {(row["m"], row["d"], row["n"]) for row in rows} == {
        (m, d, n) for m in SOURCES for d in EDGES for n in SIZES
    }
    assert {row["statement"] for row in rows} == set(STATEMENTS)
    assert {row["d"] for row in rows if row["statement"] == "Theorem 4"} == {d for d in EDGES if d}
    assert all(row["holds"] for row in rows)


def test_the_exact_value_is_what_monte_carlo_finds(results: dict[str, Any]) -> None:
    """To order 1/n: from 10,000 points on nothing else is seen."""
    for row in EXPERIMENT.tables(results, OPTIONS)["theory"]:
        if row["n"] >= 10_000 and row["m"] < 14 and row["statement"] != "Theorem 4":
            assert row["monte_carlo"] == pytest.approx(row["exact"], abs=4.5 * row["monte_carlo_se"], rel=0.02), row


def test_points_are_the_rows_of_the_table_and_json_has_them(results: dict[str, Any]) -> None:
    points, tables = EXPERIMENT.points(results, OPTIONS), EXPERIMENT.tables(results, OPTIONS)
    assert len(points) == 3 * len(tables["theory"])
    first, row = points[:3], tables["theory"][0]
    assert [point.value for point in first] == [row["bound"], row["exact"], row["monte_carlo"]]
    assert {point.panel for point in first} == {"m = 6, d = 0"}
    found = ReproduceResult(Reproduction(OPTIONS, points, [], tables), "out")
    content = json.loads(as_json(found, reproduce_report(found)))
    assert content["tables"]["theory"] == tables["theory"]
    assert content["verdict"] == "165 of 165 bounds are on their side of the exact value and of Monte Carlo."


def test_the_bounds_are_those_of_the_theorems(results: dict[str, Any]) -> None:
    found, truth = results["theory m=10 d=3"]["3000"], model(10, 3)
    assert found["Theorem 2"]["bound"] == pytest.approx(10 / 6_000 + truth.inference_bias)
    assert found["Theorem 3"]["bound"] == bounds.unlabeled_bound(truth, 3_000).total
    assert found["Theorem 4"]["bound"] == bounds.lower_bound(truth).total


def test_negative_control_a_bound_on_the_wrong_side_does_not_hold() -> None:
    found = {"bound": 1.0, "exact": 1.1, "monte_carlo": 1.1, "monte_carlo_se": 0.02}
    assert not _holds(found, above=True)
    assert _holds(found, above=False)
    assert not _holds(found | {"exact": 0.9}, above=True)  # Monte Carlo is five standard errors off
    assert _holds(found | {"exact": 0.9, "monte_carlo_se": 0.03}, above=True)
