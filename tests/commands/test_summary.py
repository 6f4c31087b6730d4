from __future__ import annotations

import numpy as np
from simulate import make_votes

from karat import LabelModel
from karat.commands.summary import ClassShare, DataSummary, class_shares
from karat.source_table import SourceTable


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
