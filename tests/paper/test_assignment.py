from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from carob.paper.assignment import assignment


@pytest.mark.parametrize("K", [1, 2, 3, 5, 6])
def test_oracle_all_assignments(K: int) -> None:
    rng = np.random.default_rng(K)
    for _ in range(30):
        for score in (rng.normal(size=(K, K)), rng.integers(0, 3, (K, K)).astype(float)):
            found = assignment(score)
            assert sorted(found.tolist()) == list(range(K))
            best = max(sum(score[i, j] for i, j in enumerate(order)) for order in permutations(range(K)))
            assert score[np.arange(K), found].sum() == pytest.approx(best)


def test_large_scores_with_many_equals() -> None:
    assert sorted(assignment(np.zeros((40, 40))).tolist()) == list(range(40))
    shifted = np.roll(np.eye(40), 7, axis=1) + 5
    assert assignment(shifted).tolist() == [(i + 7) % 40 for i in range(40)]
