from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate import EDGES

from carob import InputError
from carob.paper import Ising


@pytest.mark.parametrize("edges", EDGES)
def test_round_trip_from_canonical_to_means_and_back(edges: dict[tuple[int, int], float]) -> None:
    model = Ising(0.2, np.array([0.4, 0.1, 0.3, 0.6, 0.25]), edges)
    for given_edges in ({"agreements": model.agreements}, {"epsilons": model.epsilons}):
        again = Ising.from_means(model.accuracies, class_balance=float(model.class_balance[1]), **given_edges)
        assert again.theta_y == pytest.approx(model.theta_y, abs=1e-10)
        np.testing.assert_allclose(again.theta, model.theta, atol=1e-10)
        assert again.theta_edges.keys() == model.theta_edges.keys()
        for edge, value in model.theta_edges.items():
            assert again.theta_edges[edge] == pytest.approx(value, abs=1e-10)


@given(
    st.lists(st.floats(0.05, 0.95), min_size=2, max_size=6),
    st.floats(0.01, 0.99),
    st.floats(0.02, 0.98),
)
@settings(max_examples=60, deadline=None)
def test_round_trip_from_means_to_canonical_and_back(p: list[float], place: float, balance: float) -> None:
    low, high = abs(p[0] + p[1] - 1), 1 - abs(p[0] - p[1])
    agreement = low + place * (high - low)
    model = Ising.from_means(p, {(0, 1): agreement}, class_balance=balance)
    np.testing.assert_allclose(model.accuracies, p, atol=1e-10)
    assert model.agreements[0, 1] == pytest.approx(agreement, abs=1e-10)
    assert model.class_balance[1] == pytest.approx(balance, abs=1e-10)


def test_long_chains_are_refused() -> None:
    chain = {(i, i + 1): 0.1 for i in range(22)}
    with pytest.raises(InputError, match="edges connect 23 sources"):
        _ = Ising(0.0, np.full(23, 0.2), chain).a
