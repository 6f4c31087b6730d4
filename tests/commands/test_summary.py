from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulate import draw_votes, make_votes, symmetric_conditionals

from carob import LabelModel, Moments
from carob.commands.inputs import VotesFile
from carob.commands.pick import pick_votes
from carob.commands.summary import ClassShare, DataSummary, Dependence, class_shares
from carob.commands.value import rate_file, value_votes
from carob.paper import triplets
from carob.posterior.settings import Settings
from carob.posterior.source_table import SourceTable
from carob.read.table import ReadOptions


def table(right: int, wrong: int, low: float, high: float) -> SourceTable:
    """One source with a known record on gold and a given interval."""
    one = np.ones(1)
    return SourceTable(
        source=["a"],
        polarity=[[0, 1]],
        coverage=one,
        overlaps=one,
        conflicts=one,
        correct=np.array([right]),
        incorrect=np.array([wrong]),
        empirical_accuracy=one * right / max(right + wrong, 1),
        accuracy=one * (low + high) / 2,
        low=one * low,
        high=one * high,
    )


VOTES = make_votes([[0], [1], [1]], gold=[0, 1, -1])


def test_size() -> None:
    found = DataSummary.of(VOTES, table(0, 0, 0.5, 0.9), 0.9)
    assert (found.n_points, found.n_gold, found.classes) == (3, 2, (0, 1))
    nothing = DataSummary.of(make_votes([[0], [1]]), table(0, 0, 0.5, 0.9), 0.9)
    assert nothing.n_gold is None
    unlabeled = DataSummary.of(make_votes([[0], [1]], gold=[-1, -1]), table(0, 0, 0.5, 0.9), 0.9)
    assert unlabeled.n_gold == 0


def test_gold_contradicts_an_interval_that_its_own_does_not_meet() -> None:
    # 8 of 10 right: Wilson's interval at 95 % is .490 to .943.
    for low, high, contradicted in ((0.2, 0.489, 1), (0.2, 0.491, 0), (0.942, 1, 0), (0.944, 1, 1)):
        assert DataSummary.of(VOTES, table(8, 2, low, high), 0.95).contradicted == contradicted
    assert DataSummary.of(VOTES, table(0, 0, 0.1, 0.2), 0.95).contradicted == 0
    assert DataSummary.of(VOTES, table(8, 2, np.nan, np.nan), 0.95).contradicted == 0


def test_class_shares_are_those_of_the_model() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.3
    values = np.where(rng.random((5, 300)) < 0.8, truth, ~truth).T.astype(int)
    given = LabelModel(class_balance=0.3, replicates=20).fit(values)
    assert class_shares(given) == (ClassShare(0, 0.7, 0.7, 0.7), ClassShare(1, 0.3, 0.3, 0.3))
    found = LabelModel(replicates=20).fit(values)
    for share, value in zip(class_shares(found), found.class_balance_, strict=True):
        assert share.low < share.value == value < share.high


def test_what_to_look_at_is_told_by_every_command(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    said = np.where(rng.random((200, 4)) < 0.8, truth[:, None], 1 - truth[:, None])
    words = np.where(rng.random((200, 4)) < 0.3, np.array(["NO", "YES"])[said], np.array(["no", "yes"])[said])
    gold = np.where(np.arange(200) < 40, np.array(["no", "yes"])[truth], "")
    lines = [",".join([*row, y]) for row, y in zip(words, gold, strict=True)]
    (tmp_path / "votes.csv").write_text("\n".join(["a,b,c,d,y", *lines]))
    data, settings = VotesFile(str(tmp_path / "votes.csv"), ReadOptions(gold="y")), Settings()
    for found in (
        value_votes(data, settings),
        rate_file(data, settings),
        pick_votes(data, settings, 5, "labels").picked,
    ):
        assert sum(message.kind == "warning" for message in found.messages) == 2
    table = LabelModel().fit(data.read(), data.read().gold).source_table_
    assert DataSummary.of(data.read(), table, 0.9).mending == ["--ignore-case"]


def test_agreement_is_counted_where_both_vote() -> None:
    votes = draw_votes(
        np.random.default_rng(0), 900, symmetric_conditionals([0.8, 0.7, 0.75, 0.65], abstain=0.3), [0.5, 0.5]
    )
    found = Dependence.of(Moments.of(votes), triplets(Moments.of(votes)))
    a, b = votes.values[:, 0], votes.values[:, 2]
    both = (a >= 0) & (b >= 0)
    assert found.agreement[0, 2] == pytest.approx((a == b)[both].mean())
    assert found.sources == votes.sources
    assert found.n_sources == 4


def test_of_many_sources_those_in_flagged_pairs_are_told() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 2_000, symmetric_conditionals([0.7] * 30), [0.5, 0.5])
    values = votes.values.copy()
    copied = rng.random(2_000) < 0.9
    values[copied, 29] = values[copied, 28]
    moments = Moments.of(type(votes)(values, votes.sources, votes.coding))
    found = Dependence.of(moments, triplets(moments, class_balance=0.5))
    assert len(found.sources) == 24
    assert {found.pairs[0].first, found.pairs[0].second} == {"s28", "s29"}
    assert {"s28", "s29"} <= set(found.sources)
    i, j = found.sources.index("s28"), found.sources.index("s29")
    assert found.correlation[i, j] == pytest.approx(found.pairs[0].correlation)
