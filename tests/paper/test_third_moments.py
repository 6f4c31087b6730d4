from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes

from carob import NotIdentifiedError
from carob.paper.count import count
from carob.paper.settings import TripletSettings
from carob.paper.third_moments import balance_from_triples, signed_covariances, strongest_triples

SOURCES = np.array(
    [
        [[0.1, 0.7, 0.2], [0.2, 0.2, 0.6]],
        [[0.0, 0.8, 0.2], [0.0, 0.4, 0.6]],
        [[0.3, 0.5, 0.2], [0.3, 0.1, 0.6]],
    ]
)


def test_oracle_third_moments_by_their_definition() -> None:
    votes = draw_votes(np.random.default_rng(3), 5_000, SOURCES, [0.6, 0.4])
    statistics = count(votes, TripletSettings(symmetric=False)).statistics
    triples = statistics.triples
    assert triples is not None
    outputs = votes.outputs
    given = votes.values[:, outputs.source[triples.feature]] == outputs.spoken[triples.feature] - 1
    centred = given * triples.sign - (given * triples.sign).mean(axis=0)
    found = []
    for f, g, h in triples.triples:
        product = np.prod([(centred[:, a] * centred[:, b]).mean() for a, b in ((f, g), (f, h), (g, h))])
        if product > 0:
            found.append((centred[:, f] * centred[:, g] * centred[:, h]).mean() / np.sqrt(product))
    s = np.median(found)
    balance = balance_from_triples(statistics.moments, triples, triples.sums.sum(axis=0))
    assert balance[1] == pytest.approx((1 - s / np.sqrt(s**2 + 4)) / 2, abs=1e-12)
    covariances = signed_covariances(statistics.moments, triples.feature, triples.sign)
    np.testing.assert_allclose(covariances, centred.T @ centred / len(votes), atol=1e-12)


def test_oracle_the_strongest_triples() -> None:
    rng = np.random.default_rng(0)
    strength = rng.random((7, 7))
    strength = strength + strength.T
    strength[0, 1] = strength[1, 0] = 0  # may not be used together
    found = strongest_triples(strength)
    sizes = {
        (f, g, h): strength[f, g] * strength[f, h] * strength[g, h]
        for f in range(7)
        for g in range(f + 1, 7)
        for h in range(g + 1, 7)
    }
    expected = sorted((t for t in sizes if sizes[t] > 0), key=lambda t: -sizes[t])
    assert [tuple(row) for row in found.tolist()] == expected
    assert len(found) == 35 - 5


def test_of_many_features_the_strongest_are_taken() -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate([np.full(20, 0.9), np.full(60, 0.1)])[rng.permutation(80)]
    found = strongest_triples(np.outer(x, x))
    assert found.shape == (400, 3)
    assert (x[found] == 0.9).all()


def test_a_balance_that_nothing_fits_is_refused_and_a_rare_class_is_cut() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 4_000, SOURCES, [0.9999, 0.0001])
    counted = count(votes, TripletSettings(symmetric=False))
    triples = counted.statistics.triples
    assert triples is not None
    moments = counted.statistics.moments
    try:
        balance = balance_from_triples(moments, triples, triples.sums.sum(axis=0))
    except NotIdentifiedError:
        balance = np.array([0.5, 0.5])
    assert balance.min() >= 0.01
    assert balance.sum() == pytest.approx(1)
