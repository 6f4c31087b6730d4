"""What every cluster does, with a table whose partitions are in this process; see the tests of Spark and Dask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pytest

from carob import InputError, LabelModel, Votes
from carob.engines.cluster import FAN, Frames, chunk_bytes, digest_table, labeler, merged_bytes
from carob.engines.row_decoder import ChunkDigest, RowDecoder
from carob.posterior.settings import Settings
from carob.read.table import ReadOptions


@dataclass(frozen=True)
class Here:
    """Partitions in this process: each a table, the first of them without any row."""

    parts: list[Any]

    @property
    def names(self) -> list[str]:
        return list(self.parts[0].column_names)

    def head(self, rows: int) -> Any:
        return pa.concat_tables(self.parts).slice(0, rows)

    def sizes(self, columns: Sequence[str]) -> list[int]:
        return [part.num_rows for part in self.parts]

    def digests(self, plan: RowDecoder, first_rows: Sequence[int], pairs: bool) -> list[bytes]:
        made = [
            chunk_bytes(part.select(plan.columns).to_batches(300), plan, first, pairs)
            for part, first in zip(self.parts, first_rows, strict=True)
        ]
        return [merged_bytes(made[low : low + FAN], plan.coding) for low in range(0, len(made), FAN)]


def cut(table: Any, size: int) -> Here:
    return Here([table.slice(0, 0), *(table.slice(low, size) for low in range(0, len(table), size))])


def test_invariant_partitions_change_no_bit(votes_table: Any) -> None:
    votes = Votes.from_frame(votes_table, key="id", gold="y")
    expected = LabelModel(rng=1).fit(votes, votes.gold)
    for size in (70, 1_700):
        found = Frames(partial(cut, size=size)).fit(votes_table, LabelModel(rng=1), key="id", gold="y")
        assert found.to_bytes() == expected.to_bytes()
    columns, labels = labeler(expected, votes_table.column_names, "id", ["s1"], False)
    made = pa.Table.from_batches([*labels(votes_table.select(columns).to_batches(700), 0)])
    known = votes.select(expected.source_model_.sources)
    assert made["p_spam"].to_pylist() == expected.predict_proba(known)[:, 1].tolist()
    assert made["s1"].to_pylist() == votes_table["s1"].to_pylist()


def test_parts_are_sent_as_json(votes_table: Any) -> None:
    plan = RowDecoder.of_head(votes_table, ReadOptions(key="id", gold="y"), None, Settings())
    assert plan is not None
    part = plan.digest(votes_table, 5)
    again = ChunkDigest.of_bytes(part.to_bytes(plan.coding), plan.coding)
    assert (again.rows, again.levels, again.gold_levels) == (part.rows, part.levels, part.gold_levels)
    assert again.digest == part.digest


def test_refusals(votes_table: Any) -> None:
    with pytest.raises(InputError, match="clusters learn by the default"):
        digest_table(cut(votes_table, 900), ReadOptions(), None, Settings(method="labeled"))
    long = pa.table({"task": [1, 1, 2], "worker": ["a", "b", "a"], "label": [0, 1, 1]})
    with pytest.raises(InputError, match="read on one machine"):
        digest_table(cut(long, 2), ReadOptions(), None, Settings())
    with pytest.raises(InputError, match="there is no column 'id'"):
        labeler(LabelModel().fit(Votes.from_array([[0, 1, 1], [1, 1, 0]] * 9)), ["s0", "s1", "s2"], "id", (), False)
