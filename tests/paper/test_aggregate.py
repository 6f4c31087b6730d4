from __future__ import annotations

import itertools
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest

from carob._kernels import threads
from carob.paper.aggregate import aggregate_triplets, circular, over_subsets
from carob.paper.settings import Aggregate


def naive_triplets(
    b: npt.NDArray[np.float64], aggregate: str, negative: str, limit: float | None
) -> npt.NDArray[np.float64]:
    """Algorithm 1 of the paper, one triplet at a time."""
    result = []
    for i in range(len(b)):
        found = []
        for j, k in itertools.combinations([j for j in range(len(b)) if j != i], 2):
            ratio = b[i, j] * b[i, k] / b[j, k]
            if ratio > 0 or negative == "absolute":
                found.append(min(np.sqrt(abs(ratio)), limit or np.inf))
        result.append((np.median if aggregate == "median" else np.mean)(found))
    return np.array(result)


@pytest.mark.parametrize("m", [3, 4, 5, 6, 11, 12])
@pytest.mark.parametrize("aggregate", ["median", "mean"])
@pytest.mark.parametrize("negative", ["drop", "absolute"])
@pytest.mark.parametrize("limit", [None, 0.6])
def test_oracle_one_triplet_at_a_time(
    m: int, aggregate: Literal["median", "mean"], negative: Literal["drop", "absolute"], limit: float | None
) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        a = rng.uniform(0.2, 0.8, m)
        noise = rng.normal(0, 0.15 if m > 4 else 0.01, (m, m))
        b = np.outer(a, a) + noise + noise.T
        x, usable = aggregate_triplets(b, ~np.eye(m, dtype=bool), aggregate, negative, limit)
        assert (usable > 0).all()
        np.testing.assert_allclose(x, naive_triplets(b, aggregate, negative, limit), rtol=1e-13)


def test_circular_holds_every_pair_once() -> None:
    for F in (3, 4, 7, 8):
        matrix = np.arange(1, F * F + 1, dtype=float).reshape(F, F)
        matrix = matrix + matrix.T
        upper = matrix[np.triu_indices(F, 1)]
        found = circular(matrix).ravel()
        assert sorted(found[found > 0]) == sorted(upper)


@pytest.mark.parametrize("aggregate", ["median", "mean"])
def test_oracle_triplets_with_some_partners(aggregate: Literal["median", "mean"]) -> None:
    b, partners = noisy_products(9, 3), np.array([7, 2, 5, 0])
    found, usable = aggregate_triplets(b, ~np.eye(9, dtype=bool), aggregate, "absolute", partners=partners)
    for i in range(9):
        pairs = [(j, k) for j, k in itertools.combinations(partners, 2) if i not in (j, k)]
        triplets = [np.sqrt(abs(b[i, j] * b[i, k] / b[j, k])) for j, k in pairs]
        assert usable[i] == len(triplets)
        assert found[i] == pytest.approx(np.median(triplets) if aggregate == "median" else np.mean(triplets))


def noisy_products(m: int, seed: int) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.2, 0.8, m)
    noise = rng.normal(0, 0.05, (m, m))
    return np.outer(a, a) + noise + noise.T


def test_pairs_that_are_not_allowed_are_in_no_triplet() -> None:
    b = noisy_products(7, 0)
    allowed = ~np.eye(7, dtype=bool)
    allowed[0, 1] = allowed[1, 0] = allowed[2, 5] = allowed[5, 2] = False
    found, usable = aggregate_triplets(b, allowed, "mean", "absolute")
    for i in range(7):
        triplets = [
            np.sqrt(abs(b[i, j] * b[i, k] / b[j, k]))
            for j, k in itertools.combinations(range(7), 2)
            if allowed[i, j] and allowed[i, k] and allowed[j, k]
        ]
        assert usable[i] == len(triplets)
        assert found[i] == pytest.approx(np.mean(triplets))


@pytest.mark.parametrize("aggregate", ["median", "mean", "random"])
def test_invariant_number_of_threads(aggregate: Aggregate, monkeypatch: pytest.MonkeyPatch) -> None:
    b = noisy_products(60, 1)
    allowed = ~np.eye(60, dtype=bool)
    found = []
    for number in (1, 4):
        monkeypatch.setattr(threads, "THREADS", number)
        found.append(aggregate_triplets(b, allowed, aggregate, rng=np.random.default_rng(0))[0])
    assert np.array_equal(found[0], found[1])


def test_random_takes_every_triplet_about_as_often() -> None:
    b = noisy_products(4, 2)
    allowed = ~np.eye(4, dtype=bool)
    every = sorted(np.sqrt(b[0, j] * b[0, k] / b[j, k]) for j, k in itertools.combinations((1, 2, 3), 2) if b[j, k] > 0)
    drawn = np.array([aggregate_triplets(b, allowed, "random", rng=np.random.default_rng(s))[0][0] for s in range(600)])
    counts = [(np.abs(drawn - value) < 1e-12).sum() for value in every]
    assert sum(counts) == 600
    assert min(counts) > 600 / len(every) * 0.75


def test_fewer_than_three_features_have_no_triplet() -> None:
    found, usable = aggregate_triplets(np.full((2, 2), 0.5), ~np.eye(2, dtype=bool))
    assert np.isnan(found).all()
    assert usable.tolist() == [0, 0]


@pytest.mark.parametrize("S", [1, 2, 5, 8])
def test_any_estimates_on_subsets_are_aggregated_alike(S: int) -> None:
    rng = np.random.default_rng(S)
    found = rng.normal(size=(3, 4, S))
    np.testing.assert_allclose(over_subsets(found.copy(), "median"), np.median(found, axis=-1))
    np.testing.assert_allclose(over_subsets(found.copy(), "mean"), found.mean(axis=-1))
    drawn = over_subsets(found.copy(), "random", rng=np.random.default_rng(0))
    assert any(np.array_equal(drawn, found[..., s]) for s in range(S))  # one subset for all that is estimated
    exp = over_subsets(found.copy(), "median", finish=np.exp)
    np.testing.assert_allclose(exp, np.median(np.exp(found), axis=-1))
    few = np.concatenate([found, np.full((3, 4, 3), -np.inf)], axis=-1)
    np.testing.assert_allclose(over_subsets(few, "median", used=S), np.median(found, axis=-1))


def test_the_median_is_right_where_less_than_half_of_the_subsets_are_off() -> None:
    """The paper's abstraction: estimates of subsets that hold a dependency are off by anything."""
    found = np.full(11, 0.7)
    found[:5] += [0.2, 3.0, -9.0, 0.1, 1e6]
    assert over_subsets(found.copy(), "median") == 0.7
    assert over_subsets(found.copy(), "mean") > 1
    found[:6] = 0.9  # the negative control: now they are more than half
    assert over_subsets(found.copy(), "median") == 0.9
