from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from carob import InputError, apply_sources, function, keyword, regex
from carob.paper.datasets import imdb_sources


def test_the_papers_words_give_the_papers_votes(shared_data: Callable[[str], Path]) -> None:
    reviews = pq.read_table(shared_data("imdb_reviews.parquet"))
    expected = pd.read_parquet(shared_data("imdb_votes.parquet"))
    votes = apply_sources(imdb_sources(), reviews["text"])
    assert list(votes.sources) == list(expected.columns[:-1])
    assert np.array_equal(votes.values, expected.drop(columns="y").to_numpy())


@given(st.text(alphabet="love_LOVE é2-.'\nß", max_size=30))
@settings(max_examples=300, deadline=None)
def test_oracle_whole_words_as_in_count_vectorizer(text: str) -> None:
    tokens = CountVectorizer().build_analyzer()(text)
    assert keyword("love", 1, 0).vote(text) == int("love" in tokens)


@given(st.text(alphabet="ab _.", max_size=20), st.text(alphabet="ab", min_size=1, max_size=3))
@settings(max_examples=300, deadline=None)
def test_oracle_whole_words_as_a_regular_expression(text: str, word: str) -> None:
    assert keyword(word, 1, 0).vote(text) == int(bool(re.search(rf"(?<!\w){word}(?!\w)", text)))


def test_default_names() -> None:
    def shouting(text: str) -> int:
        return int(text.isupper())

    assert keyword(["a", "b"], 1).name == "a"
    assert regex("x+", 1).name == "x+"
    assert function(shouting).name == "shouting"


def test_refusals() -> None:
    with pytest.raises(InputError, match="needs a word"):
        keyword("", 1)
    with pytest.raises(InputError, match="no regular expression"):
        regex("(", 1)
    with pytest.raises(InputError, match="no sources"):
        apply_sources([], ["text"])
    with pytest.raises(InputError, match="same name"):
        apply_sources([keyword("a", 1), keyword("a", 0)], ["a"])
    with pytest.raises(InputError, match="text 2 is a int"):
        apply_sources([keyword("a", 1, 0)], ["a", 3])
    with pytest.raises(InputError, match="'broken' failed on text 1: ZeroDivisionError"):
        apply_sources([function(lambda text: 1 // 0, name="broken")], ["a"])


def test_every_kind_of_source() -> None:
    sources = [
        keyword(["free", "prize"], "spam", name="offer"),
        regex(r"\bhttps?://", "spam", "ham", name="link"),
        function(lambda text: "ham" if "meeting" in text else None, name="meeting"),
    ]
    texts = ["A FREE prize http://x", "meeting at nine", None, "nothing"]
    for column in (texts, pl.Series(texts), pd.Series(texts, dtype=object), iter(texts)):
        votes = apply_sources(sources, column)
        assert votes.sources == ("offer", "link", "meeting")
        assert votes.classes == ("ham", "spam")
        assert votes.values.tolist() == [[1, 1, -1], [-1, 0, 0], [-1, -1, -1], [-1, 0, -1]]


def test_rows_of_any_frame() -> None:
    columns = {"text": ["FREE prize", "meeting", None], "links": [3, 0, 1], "by": ["x", "boss", "boss"]}
    sources = [
        keyword("free", "spam", "ham", name="free", column="text"),
        regex("meet", "ham", column="text"),
        function(lambda row: "spam" if row["links"] > 2 else None, name="links"),
        function(lambda who: "ham" if who == "boss" else None, name="boss", column="by"),
    ]
    table = pa.table(columns)
    for frame in (columns, pd.DataFrame(columns), pl.DataFrame(columns), table, table.to_batches()[0]):
        votes = apply_sources(sources, frame)
        assert votes.sources == ("free", "meet", "links", "boss")
        assert votes.values.tolist() == [[1, -1, 1, -1], [0, 0, -1, 0], [-1, -1, -1, 0]]
    for column in (table["text"], table["text"].combine_chunks()):
        assert apply_sources([keyword("free", 1, 0), keyword("meeting", 1, 0)], column).values.tolist()[2] == [-1, -1]


def test_rows_that_a_source_cannot_read() -> None:
    frame = {"text": ["a", "b"]}
    with pytest.raises(InputError, match=r"source 'free' failed on row 1.*reads text, not a dict.*column="):
        apply_sources([keyword("free", 1, 0)], frame)
    with pytest.raises(InputError, match="no column 'txt'; there are 'text'"):
        apply_sources([keyword("free", 1, 0, column="txt")], frame)
    with pytest.raises(InputError, match="source 'long' failed on row 1: KeyError"):
        apply_sources([function(lambda row: row["x"], name="long")], frame)
