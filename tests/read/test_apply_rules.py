from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from carob import InputError, apply_sources, function, keyword, regex


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
