from __future__ import annotations

import numpy as np
from simulate import draw_votes, symmetric_conditionals

from carob import Moments, Votes
from carob.paper import triplets
from carob.paper.count import count
from carob.paper.fit import VotesFit, fit_votes
from carob.paper.settings import TripletSettings
from carob.votes import GoldPoints


def sample(n: int = 2_000) -> Votes:
    conditionals = symmetric_conditionals([0.7, 0.8, 0.6, 0.75, 0.65])
    return draw_votes(np.random.default_rng(0), n, conditionals, [0.4, 0.6])


def fitted(votes: Votes, gold: GoldPoints | None = None, **options: object) -> VotesFit:
    settings = TripletSettings(**options)  # type: ignore[arg-type]
    return fit_votes(count(votes, settings), gold, settings)


def test_the_model_is_that_of_triplets_with_the_balance_that_was_found() -> None:
    votes = sample()
    found = fitted(votes)
    balance = found.solution.class_balance
    expected = triplets(Moments.of(votes), class_balance=balance)
    np.testing.assert_allclose(found.model.conditionals, expected.conditionals)
    assert abs(balance[1] - 0.6) < 0.1


def test_gold_moves_the_class_balance() -> None:
    votes = sample()
    points = GoldPoints.of(votes, votes.own_gold).take(votes.own_gold.values == 1)
    alone, with_gold = fitted(votes), fitted(votes, points)
    assert with_gold.solution.class_balance[1] > alone.solution.class_balance[1] + 0.2


def test_known_groups_have_joint_tables() -> None:
    votes = sample()
    pairs = [(0, 1)]
    conditional = fitted(votes, known_pairs=pairs, symmetric=False)
    symmetric = fitted(votes, known_pairs=pairs, symmetric=True)
    for found in (conditional, symmetric):
        assert found.model.groups == ((0, 1), (2,), (3,), (4,))
