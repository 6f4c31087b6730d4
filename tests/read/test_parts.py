"""Parts of a table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from carob import InputError
from carob.read.parts import BATCH, CELLS, batch_rows, readable


def test_known_answer_rows_of_a_part_follow_the_columns() -> None:
    assert batch_rows(0) == batch_rows(1) == batch_rows(CELLS // BATCH) == BATCH
    assert batch_rows(2 * CELLS // BATCH) == BATCH // 2
    assert batch_rows(10 * CELLS) == 1


@pytest.mark.parametrize(
    "error", [pa.ArrowInvalid("bad page"), OSError("gone"), EOFError(), ValueError("no"), OverflowError()]
)
def test_what_cannot_be_read_is_named_with_the_reason(error: Exception) -> None:
    with pytest.raises(InputError, match=r"^cannot read 'votes\.parquet': "), readable(Path("votes.parquet")):
        raise error


def test_refusals_and_faults_of_our_own_pass_as_they_are() -> None:
    with pytest.raises(InputError, match=r"^said already$"), readable(Path("votes.parquet")):
        raise InputError("said already")
    with pytest.raises(KeyError), readable(Path("votes.parquet")):
        raise KeyError("a fault")
