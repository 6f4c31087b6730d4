from __future__ import annotations

import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carob import InputError
from carob.serve.uploads import Limits, read_upload

WIDE = b"id,a,b,c,text,y\np1,0,1,1,some words to be read by a person,1\np2,1,1,0,other words to be read by a person,\n"
LIMITS = Limits(megabytes=1, rows=50, columns=8)


def parquet(rows: int, columns: int = 2) -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.table({f"c{k}": [0] * rows for k in range(columns)}), content)
    return content.getvalue()


def test_columns_are_found_by_their_names() -> None:
    found = read_upload("votes.csv", WIDE, LIMITS)
    assert (found.gold, found.key, found.text, found.long) == ("y", "id", "text", False)
    assert found.table.num_rows == 2
    plain = read_upload("votes.csv", b"a,b,c\n0,1,1\n", LIMITS)
    assert (plain.gold, plain.key, plain.text) == (None, None, None)


def test_the_longest_texts_are_those_to_read() -> None:
    content = b"a,b,words\nyes,no,these are words that somebody would want to read\n"
    assert read_upload("v.csv", content, LIMITS).text == "words"


def test_a_row_per_vote() -> None:
    content = b"task,worker,label,gold\nt1,w1,a,a\nt1,w2,b,a\nt2,w1,b,\n"
    found = read_upload("v.csv", content, LIMITS)
    assert (found.long, found.key, found.gold) == (True, None, "gold")
    named = b"question,annotator,answer\n" + b"q1,w1,a\nq1,w2,b\nq2,w1,b\n"
    found = read_upload("v.csv", named, LIMITS)
    assert (found.long, found.text) == (True, None)  # the question is the point


def test_a_name_is_no_path() -> None:
    for name in ("../../etc/votes.csv", "C:\\Users\\me\\votes.csv", "/votes.csv"):
        assert read_upload(name, WIDE, LIMITS).file.name == "votes.csv"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("v.csv", b"", "is empty"),
        ("v.xlsx", b"PK", "files end in"),
        ("v.parquet", b"PAR1 not really", "cannot read"),
        ("v.csv.gz", b"not gzip", "cannot read"),
        ("v.csv.gz", gzip.compress(WIDE, mtime=0)[:40], "ends too early"),
        ("v.csv", b"x" * (1 << 20) + b"y", "more than 1 MB"),
        ("v.csv.gz", gzip.compress(b"0" * (3 << 20), mtime=0), "more than 1 MB"),
        ("v.csv", b"a,b\n" + b"0,1\n" * 60, "has 60 rows and 2 columns; this page takes 50 and 8"),
        ("v.parquet", parquet(60), "has 60 rows"),
        ("v.parquet", parquet(2, 9), "9 columns"),
    ],
)
def test_what_is_refused(name: str, content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_upload(name, content, LIMITS)


def test_compressed_text_and_parquet_are_read() -> None:
    assert read_upload("v.csv.gz", gzip.compress(WIDE), LIMITS).file.name == "v.csv"
    assert read_upload("v.parquet", parquet(3), LIMITS).columns == ("c0", "c1")
