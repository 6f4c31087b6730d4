from __future__ import annotations

from dataclasses import replace

import pytest
from results import BALANCE, pairs, summary

from carob.commands.summary import ClassShare
from carob.show.data import (
    balance_section,
    message_sections,
    pair_section,
    size_words,
    source_section,
    uncovered_lines,
)
from carob.votes.messages import Message, warning


@pytest.mark.parametrize(("n_gold", "end"), [(None, ""), (0, ", 0 gold labels"), (1, ", 1 gold label")])
def test_size(n_gold: int | None, end: str) -> None:
    assert size_words(summary(n_gold)) == f"2,000 points, 2 sources, 2 classes{end}"


def test_sources_with_gold() -> None:
    section = source_section(summary())
    assert section.title == "Sources (accuracy with its 90% interval)"
    assert section.headers[:6] == ["source", "votes", "accuracy", "interval", "gold right", "gold wrong"]
    assert section.headers[6:] == ["polarity", "coverage", "overlaps", "conflicts", "gold accuracy"]
    assert list(section.details) == [6, 7, 8, 9, 10]
    first, second = ([str(cell) for cell in row] for row in section.rows)
    assert first[:6] == ["llm", "1,800", ".905", ".818 to .992", "1,081", "10"]
    assert first[6:] == ["ham, spam", ".900", ".250", ".125", ".991"]
    assert second == ["silent on gold", "500", "-", "-", "0", "0", "spam", ".250", ".250", ".125", "-"]
    assert section.lines == []


def test_points_without_a_vote_warnings_and_what_was_set_aside() -> None:
    assert (message_sections(()), message_sections(summary().messages), uncovered_lines(0, 9)) == ([], [], [])
    data = replace(
        summary(),
        n_uncovered=228,
        messages=(Message("dropped", "Set aside, no votes: x (dates)."), warning("One."), warning("Two.")),
    )
    (line,) = source_section(data).lines
    assert line.startswith("228 of 2,000 points have no vote: labels there rest on the class balance")
    assert [(s.title, s.lines) for s in message_sections(data.messages, "dropped")] == [
        ("Set aside", ["Set aside, no votes: x (dates)."])
    ]
    assert [(s.title, s.lines) for s in message_sections(data.messages, "warning")] == [
        ("To look at first", ["- One.", "- Two."])
    ]


def test_sources_without_gold() -> None:
    section = source_section(summary(None))
    assert section.headers[:5] == ["source", "votes", "accuracy", "interval", "polarity"]
    assert {len(row) for row in section.rows} == {8}


def test_gold_that_contradicts() -> None:
    (line,) = source_section(summary(contradicted=1)).lines
    assert line.startswith("Gold contradicts the accuracy of 1 of 2 sources.")


def test_class_balance() -> None:
    assert balance_section(BALANCE).title == "Class balance: ham .700 (.600 to .800), spam .300 (.200 to .400)"
    assert balance_section([ClassShare(1, 0.5, 0.5, 0.5)]).title == "Class balance: 1 .500"


def test_pairs() -> None:
    assert pair_section([]).title == "No two sources agree or disagree more than the class explains."
    assert pair_section(pairs(1)).title == "1 pair of sources depends on each other beyond the class"
    assert len(pair_section(pairs(5)).rows) == 5
    assert "strongest" not in pair_section(pairs(5)).title
    many = pair_section(pairs(6))
    assert many.title == "6 pairs of sources depend on each other beyond the class, the strongest 5"
    assert [str(cell) for cell in many.rows[0]] == ["a0 - b0", "+0.30"]
    assert len(many.rows) == 5
