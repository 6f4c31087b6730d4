from __future__ import annotations

from carob.show.glossary import WORDS, glossary_text


def test_words_of_tables_are_explained() -> None:
    for word in (
        "source",
        "gold label",
        "accuracy",
        "interval",
        "log loss",
        "class balance",
        "polarity",
        "coverage",
        "f",
    ):
        assert WORDS[word].endswith(".")


def test_every_word_with_its_meaning_in_80_columns() -> None:
    lines = glossary_text().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if not line.startswith(" ")] == list(WORDS)
