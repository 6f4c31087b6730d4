"""How rows become votes, part by part; see also the tests of the engines."""

from __future__ import annotations

import pyarrow as pa
import pytest

from carob import InputError
from carob.engines.row_decoder import RowDecoder, gathered, together
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions

TABLE = pa.table({"a": [0, 1, 1, 0] * 30, "b": [0, 1, 0, 1] * 30, "c": [1, 1, 0, 0] * 30, "y": [None, 1, None, 0] * 30})


def test_a_plan_learns_from_a_pass_what_the_first_rows_do_not_tell() -> None:
    settings = Settings()
    head = TABLE.slice(1, 1)  # one class only
    plan = RowDecoder.of_head(head, ReadOptions(gold="y"), None, settings)
    assert plan is not None
    assert plan.columns == ["a", "b", "c", "y"]
    passes = []

    def run(plan: RowDecoder) -> object:
        passes.append(plan.coding)
        return together([plan.digest(TABLE.slice(0, 50), 0), plan.digest(TABLE.slice(50), 50)])

    plan, digest = gathered(plan, settings, run)  # type: ignore[arg-type]
    assert len(passes) > 1
    assert plan.coding is not None
    assert (plan.coding.classes, len(digest)) == ((0, 1), 120)
    assert digest.points is not None
    assert len(digest.points) == 60


def test_no_rows_are_refused() -> None:
    with pytest.raises(InputError, match="zero rows"):
        together([])


def test_scores_and_long_tables_have_no_plan() -> None:
    scores = pa.table({"a": [0.1, 0.2, 0.3, 0.4, 0.55], "b": [0.5, 0.6, 0.7, 0.1, 0.2]})
    assert RowDecoder.of_head(scores, ReadOptions(), [0, 1], Settings()) is None
    long = pa.table({"task": [1, 1, 2], "worker": ["a", "b", "a"], "label": [0, 1, 1]})
    assert RowDecoder.of_head(long, ReadOptions(), None, Settings()) is None
