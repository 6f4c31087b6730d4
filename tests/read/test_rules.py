from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
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
