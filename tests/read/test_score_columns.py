from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carob import InputError, LabelModel, Votes, read_votes

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 60)


def graded(low: int, high: int) -> list[int]:
    return np.clip(
        np.round((low + high) / 2 + (high - low) / 4 * (TRUTH - 0.5) + RNG.normal(size=60)), low, high
    ).tolist()


def votes(right: float = 0.8) -> list[int]:
    return np.where(RNG.random(60) < right, TRUTH, 1 - TRUTH).tolist()


GRADES = [int(value) for value in graded(0, 9)]
SHARES = RNG.random(60).round(3).tolist()
MEASURES = (100 * RNG.random(60)).round(2).tolist()
VOTERS: dict[str, Any] = {"a": votes(), "b": votes(), "c": votes()}


def kinds(found: Votes) -> dict[str, str]:
    return {name: scale.kind for name, scale in found.coding.scales}


def test_beside_votes_plain_scores_and_probabilities_are_found() -> None:
    table = VOTERS | {"judge": GRADES, "p": SHARES, "length": MEASURES, "y": TRUTH.tolist()}
    found = read_votes(table, gold="y")
    assert kinds(found) == {"judge": "score", "p": "probability"}
    assert found.sources == ("a", "b", "c", "judge", "p")
    assert found.classes == (0, 1)
    assert "length (fractions)" in found.aside[0]


def test_without_gold_whole_numbers_are_classes_as_ever() -> None:
    found = read_votes({"a": GRADES, "b": GRADES[::-1], "c": GRADES})
    assert kinds(found) == {}
    assert len(found.classes) > 5


def test_without_gold_other_columns_tell_that_there_are_two_classes() -> None:
    found = read_votes(VOTERS | {"judge": GRADES, "length": MEASURES})
    assert kinds(found) == {"judge": "score"}
    assert found.classes == (0, 1)
    assert "--kind length=score" in found.aside[0]
    three = VOTERS | {"d": [2 * vote for vote in votes()]}
    assert kinds(read_votes(three | {"judge": GRADES})) == {}  # one of many classes
    assert kinds(read_votes({"a": votes(), "judge": GRADES})) == {}  # one other column is too few


def test_where_hardly_anything_votes_numbers_are_scores() -> None:
    found = read_votes({"j": MEASURES, "k": [10 * grade for grade in GRADES], "y": TRUTH.tolist()}, gold="y")
    assert kinds(found) == {"j": "score", "k": "score"}
    alone = read_votes({"j": MEASURES, "k": MEASURES[::-1]})
    assert kinds(alone) == {"j": "score", "k": "score"}
    assert alone.classes == (0, 1)


def test_what_a_user_states_wins() -> None:
    table = VOTERS | {"judge": GRADES, "length": MEASURES, "y": TRUTH.tolist()}
    assert kinds(read_votes(table, gold="y", kinds={"length": "score"})) == {"length": "score", "judge": "score"}
    with pytest.raises(InputError, match="a vote is a class, not a measurement"):
        read_votes({"p": SHARES, "q": SHARES[::-1]}, kinds="vote")
    stated = read_votes(table, gold="y", kinds={"*": "score"})
    assert set(kinds(stated)) == {"a", "b", "c", "judge", "length"}


def test_words_of_classes_may_stand_beside_scores() -> None:
    words = ["good" if y else "bad" for y in TRUTH]
    found = read_votes({"a": words, "b": words[::-1], "p": SHARES, "y": words}, gold="y")
    assert found.classes == ("bad", "good")
    assert kinds(found) == {"p": "probability"}


def test_minus_one_is_no_score() -> None:
    judge = [-1 if t % 7 == 0 else grade for t, grade in enumerate(GRADES)]
    found = read_votes(VOTERS | {"judge": judge, "y": TRUTH.tolist()}, gold="y")
    assert kinds(found) == {"judge": "score"}
    assert ((found.values[:, 3] < 0) == (np.arange(60) % 7 == 0)).all()


@pytest.mark.parametrize(
    ("column", "options", "text"),
    [
        ([1.5, float("nan"), 2.0], {"kinds": {"j": "score"}}, "column 'j' holds NaN in row 2, which is no score"),
        ([1.5, float("inf"), 2.0], {"kinds": {"j": "score"}}, "column 'j' holds infinity in row 2"),
        (
            [1.5, 11.0, 2.0],
            {"kinds": {"j": "0..10"}},
            "column 'j' holds 11.0 .first in row 2.: its scores are from 0 to",
        ),
        ([0.5, 1.2, 0.1], {"kinds": {"j": "probability"}}, "a probability is from 0 to 1"),
        (["x", "y", "z"], {"kinds": {"j": "score"}}, "column 'j' holds 'x', 'y', 'z': a score is a number"),
        ([0.5, 0.2, 0.1], {"kinds": {"k": "score"}}, "there is no source 'k' whose kind to state"),
    ],
)
def test_refusals(column: list[Any], options: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        read_votes({"a": [0, 1, 1], "j": column, "b": [1, 1, 0]}, **options)


def test_a_score_with_one_value_is_set_aside() -> None:
    table = VOTERS | {"judge": GRADES, "same": [4.5] * 60, "y": TRUTH.tolist()}
    found = LabelModel().fit(read_votes(table, gold="y", kinds={"same": "score"}), TRUTH)
    assert found.aside_ == ("Set aside, they vote the same on every point: same.",)


def test_long_tables_of_scores(tmp_path: Path) -> None:
    rows = [(t, worker, GRADES[t] + 0.5 * worker) for t in range(60) for worker in range(3)]
    table = dict(zip(("task", "worker", "label"), map(list, zip(*rows, strict=True)), strict=True))
    found = read_votes(table)
    assert set(kinds(found).values()) == {"score"}
    assert len({scale for _, scale in found.coding.scales}) == 1
    assert len(found) == 60
    model = LabelModel().fit(found)
    model.save(tmp_path / "model.json")
    again = np.array(read_and_label(tmp_path / "model.json", table))
    assert np.array_equal(again, model.predict_proba(found))


def read_and_label(path: Path, table: dict[str, list[Any]]) -> Any:
    from carob import load

    return load(path).predict_proba(table)


def test_an_empty_column_of_scores_is_set_aside() -> None:
    table = VOTERS | {"judge": [None] * 60, "y": TRUTH.tolist()}
    model = LabelModel().fit(read_votes(table, gold="y", kinds={"judge": "score"}), TRUTH)
    assert model.aside_ == ("Set aside, they never vote: judge.",)
