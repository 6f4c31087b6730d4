from __future__ import annotations

import pandas as pd
import polars as pl

from karat import apply_sources, function, keyword, regex


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
