from __future__ import annotations

import numpy as np
from simulate import draw_votes, make_votes, sample, symmetric_conditionals

from carob import LabelModel
from carob.label.fit import _cut


def test_oracle_the_best_cut_by_trying_all() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        counts = rng.integers(0, 20, (int(rng.integers(1, 8)), 2)).astype(float)
        n, found = len(counts), _cut(counts)
        tried = [counts[:cut, below].sum() + counts[cut:, 1 - below].sum() for cut in range(n + 1) for below in (0, 1)]
        assert counts[np.arange(n), found].sum() == max(tried)
        assert np.count_nonzero(np.diff(found)) <= 1


def test_a_worker_that_always_says_the_same_is_as_good_as_chance() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 1_000, symmetric_conditionals(rng.uniform(0.7, 0.9, 6)), [0.6, 0.4])
    values = np.column_stack([votes.values, np.zeros(1_000, dtype=np.int8)])
    values[:2, 6] = 1  # not quite the same, or it would be set aside
    fit = LabelModel().fit(make_votes(values, 2)).fit_
    assert abs(fit.sources.accuracy[6] - (votes.own_gold.values == 0).mean()) < 0.05
    assert fit.worse == ()


def test_a_source_that_is_mostly_wrong_is_told_with_gold() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 1_000, symmetric_conditionals(np.array([0.85, 0.8, 0.8, 0.8, 0.2])), [0.5, 0.5])
    fit = LabelModel().fit(votes, np.where(np.arange(1_000) < 100, votes.own_gold.values, -1)).fit_
    assert fit.worse == (votes.sources[4],)
    assert fit.sources.high[4] < 0.5


def test_a_balance_that_nobody_tells_is_said_to_be_unknown() -> None:
    votes = sample(300)
    assert "20 gold labels" in LabelModel().fit(votes).explain()
    assert "20 gold labels" not in LabelModel(class_balance=0.5).fit(votes).explain()
