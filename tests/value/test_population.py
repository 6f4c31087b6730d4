from __future__ import annotations

import numpy as np
import pytest

from karat import Votes
from karat.value import population as module
from karat.value.population import Population, typical_rows


def test_recovery_draws_follow_the_joint_distribution() -> None:
    votes = Votes.from_array([[0, 0, 1], [0, 1, 1], [1, 1, 1]])
    weight, given = np.array([0.2, 0.3, 0.5]), np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    population = Population(votes, weight, given)
    joint = weight[:, None] * given
    np.testing.assert_allclose(population.joint, joint)
    np.testing.assert_allclose(population.expected(np.arange(6.0).reshape(3, 2)), (joint.ravel() * np.arange(6)).sum())
    rng = np.random.default_rng(0)
    n, size = 50, 4_000
    counts = population.draw(n, size, rng)
    assert (counts.sum(axis=(1, 2)) == n).all()
    assert (np.abs(counts.mean(axis=0) - n * joint) < 4.5 * np.sqrt(n * joint * (1 - joint) / size)).all()
    drawn = population.points(20_000, rng)
    place = (drawn.votes.values[:, None] == votes.values).all(axis=2).argmax(axis=1)
    assert np.array_equal(place, drawn.rows)
    share = np.array([[((place == p) & (drawn.truth == y)).mean() for y in (0, 1)] for p in range(3)])
    assert (np.abs(share - joint) < 4.5 * np.sqrt(joint * (1 - joint) / 20_000)).all()


def test_rows_that_stand_for_all() -> None:
    votes = Votes.from_array(np.random.default_rng(0).integers(0, 2, (400, 4)))
    rows, weight = typical_rows(votes, np.random.default_rng(0))
    assert len(rows) == len(votes.patterns)
    np.testing.assert_allclose(weight @ rows.values, votes.values.mean(axis=0))


def test_of_many_rows_a_sample_stands_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS", 300)
    votes = Votes.from_array(np.random.default_rng(0).integers(0, 2, (2_000, 12)))
    assert len(votes.patterns) > 300
    rows, weight = typical_rows(votes, np.random.default_rng(0))
    assert weight.sum() == pytest.approx(1)
    assert 200 < len(rows) <= 300
    assert len(rows.patterns) == len(rows)
    np.testing.assert_allclose(weight @ rows.values, votes.values.mean(axis=0), atol=0.12)
