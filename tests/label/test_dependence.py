from __future__ import annotations

import numpy as np
import pytest

from carob import LabelModel, Moments, Votes
from carob.paper.structure import dependent_pairs


def grouped(seed: int, n: int, sizes: list[int]) -> tuple[Votes, set[tuple[str, str]]]:
    """Sources in groups, eight of ten votes of a group following one hint; the pairs within groups."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    columns: list[np.ndarray] = []
    pairs: set[tuple[str, str]] = set()
    for size in sizes:
        first = len(columns)
        hint = np.where(rng.random(n) < 0.75, truth, 1 - truth)
        for _ in range(size):
            own = np.where(rng.random(n) < 0.75, truth, 1 - truth)
            columns.append(np.where(rng.random(n) < 0.8, hint, own) if size > 1 else own)
        pairs |= {(f"s{i}", f"s{j}") for i in range(first, first + size) for j in range(i + 1, first + size)}
    return Votes.from_array(np.stack(columns, axis=1), [f"s{i}" for i in range(len(columns))]), pairs


@pytest.mark.parametrize(
    ("sizes", "false"), [([1] * 6, 0), ([2, 1, 1, 1, 1], 0), ([2, 2, 2], 0), ([3, 1, 1, 1, 1, 1], 1)]
)
def test_recovery_pairs_that_repeat_each_other_and_hardly_others(sizes: list[int], false: int) -> None:
    found, wrong = 0, 0
    for seed in range(4):
        votes, pairs = grouped(seed, 2_000, sizes)
        model = LabelModel(replicates=0).fit(votes).fit_.class_model(votes)
        told = {(pair.first, pair.second) for pair in dependent_pairs(Moments.of(votes), model)}
        found += len(told & pairs)
        wrong += len(told - pairs)
        assert found == (seed + 1) * len(pairs)
    assert wrong <= 4 * false


def test_of_two_equal_groups_both_are_told() -> None:
    votes, pairs = grouped(0, 2_000, [3, 1, 1, 1])
    model = LabelModel(replicates=0).fit(votes).fit_.class_model(votes)
    assert pairs <= {(pair.first, pair.second) for pair in dependent_pairs(Moments.of(votes), model)}
