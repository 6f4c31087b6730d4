from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from pair_moments import pair_covariance

from carob import InputError
from carob.paper import Ising
from carob.paper.theory.triplet_limits import allowed_pairs, mean_limits, triplet_counts, triplet_limits

MODELS = [
    Ising(0.3, np.array([0.4, 0.6, 0.3, 0.5, 0.8, 0.2]), {(0, 1): 0.3, (2, 5): 0.2}),
    Ising(-0.2, np.array([0.4, 0.6, 0.3, 0.5, 0.8]), {(0, 1): 0.3, (1, 2): 0.2}),
]


def centre_of(truth: Ising) -> float:
    return float(truth.class_balance[1] - truth.class_balance[0])


@pytest.mark.parametrize("truth", MODELS)
@pytest.mark.parametrize("symmetric", [True, False])
def test_oracle_limits_and_noise_by_enumeration(truth: Ising, symmetric: bool) -> None:
    mu = 0.0 if symmetric else centre_of(truth)
    place = {pair: k for k, pair in enumerate(combinations(range(truth.m), 2))}
    covariance = pair_covariance(truth, mu)
    c = truth.pair_moments - mu**2 * np.outer(truth.a, truth.a)
    for i in range(truth.m):
        found = triplet_limits(truth, i, mu)
        others = [j for j in range(truth.m) if j != i]
        for t, (j, k) in enumerate(combinations(others, 2)):
            assert (found.first[t], found.second[t]) == (j, k)
            assert found.limit[t] == pytest.approx(np.sqrt(c[i, j] * c[i, k] / c[j, k] / (1 - mu**2)), rel=1e-13)
            pairs = [(min(i, j), max(i, j)), (min(i, k), max(i, k)), (j, k)]
            at = [place[pair] for pair in pairs]
            value = np.array([c[pair] for pair in pairs])
            np.testing.assert_allclose(
                found.noise[:, :, t], covariance[np.ix_(at, at)] / np.outer(value, value), rtol=1e-10
            )
            gradient = found.limit[t] / 2 * np.array([1, 1, -1]) / value
            assert found.variance[t] == pytest.approx(gradient @ covariance[np.ix_(at, at)] @ gradient, rel=1e-10)
        assert mean_limits(truth, mu)[i] == pytest.approx(found.limit.mean(), rel=1e-13)


def test_drift_is_the_second_order_of_the_estimate() -> None:
    """By the Hessian of the triplet in its three moments, from differences."""
    truth = MODELS[0]
    found = triplet_limits(truth, 0)
    b = truth.pair_moments
    for t in range(len(found.limit)):
        j, k = found.first[t], found.second[t]
        at = np.array([b[0, j], b[0, k], b[j, k]])
        h, hessian = 1e-4, np.empty((3, 3))
        for p in range(3):
            for q in range(3):
                u, v = h * at[p] * np.eye(3)[p], h * at[q] * np.eye(3)[q]
                corners = [
                    sign * np.sqrt(y[0] * y[1] / y[2])
                    for sign, y in ((1, at + u + v), (-1, at + u - v), (-1, at - u + v), (1, at - u - v))
                ]
                hessian[p, q] = sum(corners) / (4 * h * h)  # by relative changes
        assert found.drift[t] == pytest.approx(0.5 * (hessian * found.noise[:, :, t]).sum(), rel=1e-5, abs=1e-6)


def test_known_pairs_are_in_no_triplet() -> None:
    truth = MODELS[0]
    allowed = allowed_pairs(truth, ((0, 1), (5, 2)))
    for i in range(truth.m):
        found = triplet_limits(truth, i, 0.0, allowed)
        expected = [
            (j, k)
            for j, k in combinations([s for s in range(truth.m) if s != i], 2)
            if not {frozenset((0, 1)), frozenset((2, 5))} & {frozenset(p) for p in ((i, j), (i, k), (j, k))}
        ]
        assert list(zip(found.first, found.second, strict=True)) == expected
        assert triplet_counts(allowed)[i] == len(expected)
        # All dependent pairs are known, so that every triplet is right in the limit.
        np.testing.assert_allclose(found.limit, truth.a[i], rtol=1e-12)
        assert mean_limits(truth, 0.0, allowed)[i] == pytest.approx(truth.a[i], rel=1e-12)


def test_refusals() -> None:
    with pytest.raises(InputError, match="three sources"):
        allowed_pairs(Ising.from_means([0.7, 0.6]))
    with pytest.raises(InputError, match="source 0 has no triplet without a known pair"):
        allowed_pairs(Ising.from_means([0.7, 0.6, 0.8]), ((0, 1),))
    with pytest.raises(InputError, match="agree more often than not"):
        mean_limits(Ising.from_means([0.7, 0.6, 0.4]))
