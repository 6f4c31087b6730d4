from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulate import draw_votes, symmetric_conditionals

from carob import Votes
from carob.commands.summary import to_look_at


def warned(column: list[Any], **options: Any) -> list[str]:
    """Warnings on two sources that both vote this."""
    return [found.words for found in to_look_at(Votes.from_array([[value, value] for value in column], **options))]


@pytest.mark.parametrize(
    ("column", "parts"),
    [
        (
            ["Yes"] * 30 + ["yes", "YES"] * 10 + ["no"] * 50,
            ["'YES', 'Yes', 'yes' differ only in case", "--ignore-case"],
        ),
        (["no"] * 30 + ["No."] * 10 + ["yes"] * 50, ["'No.', 'no' differ only", "{'No.': 'no'}", "--map No.=no"]),
        (["not spam"] * 30 + ["not_spam"] * 10 + ["spam"] * 50, ["punctuation", '--map "not_spam=not spam"']),
        (["yes", "no", "N/A", "?"] * 20, ["'?', 'N/A' read like", '--abstain "?" --abstain N/A']),
        (["yes"] * 200 + ["no"] * 200 + ["yess"], ["'yess' (2 votes) may be 'yes' misspelt", "--map yess=yes"]),
        (
            ["ham"] * 2_000 + ["egg"] * 2_000 + ["soup"],
            ["'soup' has 2 of 8,002 votes and no gold", "--map", "--abstain"],
        ),
        (["a", "b"] * 9, ["There are only 18 points"]),
    ],
)
def test_what_is_found_and_what_mends_it(column: list[Any], parts: list[str]) -> None:
    (line,) = warned(column)
    for part in parts:
        assert part in line


@pytest.mark.parametrize(
    "column",
    [
        ["ham", "spam"] * 50,
        ["-1", "1"] * 50,
        ["+", "-1"] * 50,
        ["class1"] * 200 + ["class2"],
        [0, 1, 2] * 50,
        [True, False] * 50,
        ["b", "d"] * 50,
    ],
)
def test_ordinary_classes(column: list[Any]) -> None:
    assert warned(column, abstain="none") == []


def test_gold_settles_what_is_a_class() -> None:
    column = ["yes", "no", "none"] * 50
    assert len(warned(column)) == 1
    assert warned(column, gold=column) == []
    (missed,) = warned(["a", "b", "c"] * 50, gold=["a", "b", ""] * 50)
    assert missed.startswith("Gold never shows 'c', though sources vote for it")
    assert warned(["a", "b", "c"] * 50, gold=["a", "b"] * 2 + [""] * 146) == []


def test_a_class_that_no_source_votes_for() -> None:
    (line,) = warned(["a", "b"] * 50, classes=["a", "b", "c"])
    assert line.startswith("No source votes for 'c': leave it out of the classes (classes=; --classes)")
    one_sided = Votes.from_array([[1, None], [None, 1]] * 20, gold=[0, 1] * 20)
    assert to_look_at(one_sided) == ()


def test_a_class_with_one_gold_point() -> None:
    gold = ["a", "b", ""] * 13 + ["c"] + [""] * 110
    (line,) = warned(["a", "b", "c"] * 50, gold=gold)
    assert line == "Gold has one label only of 'c': label a few more such points."


def test_scores() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 10, 600).tolist()
    (line,) = warned(scores, gold=[int(score > 4) for score in scores])
    assert "scores from 0 to 9, and gold has 2 classes" in line
    assert "(kinds='score'; --kind '*=score')" in line
    assert warned(scores, gold=scores) == []


def test_nothing_to_say_of_good_votes() -> None:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals(np.full(4, 0.8), 3, 0.2), [0.3, 0.3, 0.4])
    assert to_look_at(votes) == ()


def test_sources_that_look_like_gold_and_sources_alone() -> None:
    votes = Votes.from_array([[0, 1, 0], [1, 0, 1]] * 20, ["a", "b", "truth"])
    assert [line for line in to_look_at(votes) if "'truth' is read as a source" in line.words]
    alone = Votes.from_array([[0], [1]] * 20)
    assert [line for line in to_look_at(alone) if "nothing tells how good it is" in line.words]
