from __future__ import annotations

import numpy as np
import pytest
from simulate import held_sparsely, make_votes

from carob.label.training import TrainingVotes, known_classes
from carob.votes.storage import Sparse


def some(K: int = 3, m: int = 5, n: int = 60) -> TrainingVotes:
    rng = np.random.default_rng(0)
    values = rng.integers(-1, K, (n, m))
    return TrainingVotes(make_votes(values, K), ((0, 2), (1,), (3,), (4,)))


@pytest.mark.parametrize("few_each", [False, True])
def test_oracle_counts_and_sums_by_loops(few_each: bool) -> None:
    training = some()
    if few_each:
        training = TrainingVotes(held_sparsely(training.votes), training.groups)
        assert isinstance(training.votes.storage, Sparse)
    rng = np.random.default_rng(1)
    guess, tables = rng.dirichlet(np.ones(3), training.n), rng.normal(size=(5, 3, 3))
    silence, values = rng.normal(size=(5, 3)), training.votes.values
    counts, sums, heard = np.zeros((5, 3, 3)), np.zeros((60, 3)), np.zeros((60, 3))
    for i in range(60):
        for group in training.groups:
            said = [tables[j, values[i, j]] for j in group if values[i, j] >= 0]
            heard[i] += np.mean(said, axis=0) if said else 0
            sums[i] += np.mean([tables[j, values[i, j]] if values[i, j] >= 0 else silence[j] for j in group], axis=0)
        for j in range(5):
            if values[i, j] >= 0:
                counts[j, values[i, j]] += guess[i]
    np.testing.assert_allclose(training.counts(guess), counts)
    np.testing.assert_allclose(training.sums(tables), heard, atol=1e-12)
    np.testing.assert_allclose(training.sums(tables, silence), sums, atol=1e-12)
    np.testing.assert_allclose(training.cast.sum(), (values >= 0).sum())


def test_known_answer_gold_is_certain() -> None:
    p = np.full((2, 2), 0.5)
    assert known_classes(np.array([1, -1], dtype=np.int8), p).tolist() == [[0, 1], [0.5, 0.5]]
    assert p.tolist() == [[0.5, 0.5], [0.5, 0.5]]
