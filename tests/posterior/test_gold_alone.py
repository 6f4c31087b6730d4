from __future__ import annotations

import numpy as np
import pytest

from carob import Gold, LabelModel, Votes
from carob.posterior.gold_alone import gold_alone_probabilities
from carob.votes import GoldPoints

ALONE = ((0,), (1,), (2,))


def silent_votes() -> Votes:
    """Three sources of which nobody votes on some points."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    values = np.where(rng.random((400, 3)) < 0.75, truth[:, None], 1 - truth[:, None])
    values[rng.random((400, 3)) < 0.5] = -1
    return Votes.from_array(values, gold=truth, abstain=-1)


@pytest.mark.parametrize("given", [np.array([0.4, 0.6]), None])
@pytest.mark.parametrize("groups", [ALONE, ((0, 2), (1,))])
def test_oracle_the_models_are_those_of_label_model(
    groups: tuple[tuple[int, ...], ...], given: np.ndarray | None
) -> None:
    votes = silent_votes()
    points = GoldPoints.of(votes, votes.own_gold)
    samples = np.zeros((2, 400), dtype=bool)
    samples[0, :60] = samples[1, 100:130] = True
    asked = votes.take(slice(0, 300))
    found = gold_alone_probabilities(points, samples, given, groups, asked)
    pairs = [(group[0], group[1]) for group in groups if len(group) > 1]
    for row in range(2):
        gold = Gold(np.where(samples[row], points.truth, -1).astype(np.int8), votes.classes)
        balance = None if given is None else given.tolist()
        model = LabelModel(method="labeled", class_balance=balance, known_pairs=pairs)
        np.testing.assert_allclose(found[row], model.fit(votes, gold).predict_proba(asked), rtol=1e-9)


def test_votes_say_nothing_of_a_class_that_gold_does_not_show() -> None:
    votes = silent_votes()
    points = GoldPoints.of(votes, votes.own_gold)
    samples = np.zeros((1, 400), dtype=bool)
    samples[0, np.flatnonzero(points.truth == 1)[:9]] = True
    found = gold_alone_probabilities(points, samples, None, ALONE, votes)[0]
    np.testing.assert_allclose(found, np.tile([1 / 11, 10 / 11], (400, 1)), atol=1e-9)
