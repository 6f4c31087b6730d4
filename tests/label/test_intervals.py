from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, some_gold, symmetric_conditionals

from carob import LabelModel


@pytest.mark.slow
@pytest.mark.parametrize("n_gold", [0, 50])
def test_coverage_of_sources_and_class_balance(n_gold: int) -> None:
    sources, balance = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        votes = draw_votes(rng, 800, symmetric_conditionals(rng.uniform(0.6, 0.9, 7), abstain=0.2), [0.65, 0.35])
        truth, spoken = votes.own_gold.values, votes.values >= 0
        right = ((votes.values == truth[:, None]) & spoken).sum(axis=0) / spoken.sum(axis=0)
        fit = LabelModel().fit(votes, some_gold(votes, n_gold, seed) if n_gold else None).fit_
        sources += ((fit.sources.low <= right) & (right <= fit.sources.high)).tolist()
        share = (truth == 0).mean()
        balance.append(fit.balance_low[0] <= share <= fit.balance_high[0])
    assert np.mean(sources) > 0.83  # 84 of them, .90 due, not independent within a set
    assert np.mean(balance) > 0.7


def test_more_gold_narrower_and_a_balance_that_is_given_is_certain() -> None:
    votes = draw_votes(np.random.default_rng(0), 1_000, symmetric_conditionals(np.full(5, 0.7)), [0.5, 0.5])
    widths = []
    for n in (0, 300):
        fit = LabelModel().fit(votes, some_gold(votes, n) if n else None).fit_
        widths.append((fit.sources.high - fit.sources.low).mean())
    assert widths[1] < widths[0]
    given = LabelModel(class_balance=[0.4, 0.6]).fit(votes).fit_
    np.testing.assert_allclose([given.balance_low, given.balance_high], [[0.4, 0.6]] * 2)
