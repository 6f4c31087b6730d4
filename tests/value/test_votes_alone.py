from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from carob import Gold, LabelModel, Moments, Votes
from carob.label.fit import digest_of
from carob.paper import dependent_pairs
from carob.paper.datasets import paper_model
from carob.paper.structure import unexplained
from carob.posterior.settings import Settings
from carob.value.dependence import explaining_model
from carob.value.votes_alone import VotesAlone, votes_alone


def told(votes: Votes, n_gold: int = 0, **options: object) -> VotesAlone:
    settings = Settings(class_balance=0.5, **options)  # type: ignore[arg-type]
    gold = np.where(np.arange(len(votes)) < n_gold, votes.own_gold.values, -1).astype(np.int8)
    return votes_alone(digest_of(votes, votes.code_gold(Gold(gold, votes.classes)), settings), settings)


def test_oracle_every_number_by_its_definition() -> None:
    votes = paper_model(3).sample(20_000, 0)
    found = told(votes)
    moments = Moments.of(votes)
    fit = LabelModel(class_balance=0.5).fit(votes, np.full(len(votes), None)).fit_
    model = explaining_model(moments, fit, votes, ())
    _, z = unexplained(moments, model)
    largest = np.abs(z[np.triu_indices(10, 1)]).max()
    assert found.p_value == pytest.approx(min(1, 45 * 2 * NormalDist().cdf(-largest)))
    pairs = dependent_pairs(moments, model)
    assert list(found.pairs) == pairs
    assert found.standing_bias == pytest.approx(sum(-0.5 * np.log(1 - pair.correlation**2) for pair in pairs))
    assert (found.n_unlabeled, told(votes, 7).n_gold, found.kind) == (20_000, 7, "cannot tell")


def test_a_copy_costs_a_finite_loss_and_a_known_pair_is_not_blamed() -> None:
    votes = paper_model(0).sample(5_000, 0)
    values = votes.values.copy()
    values[:, 1] = values[:, 0]
    values[:30, 1] = 1 - values[:30, 1]
    copied = Votes(values, votes.sources, votes.coding, gold=votes.gold)
    blamed = told(copied)
    assert (blamed.pairs[0].first, blamed.pairs[0].second) == ("s0", "s1")
    assert blamed.standing_bias == pytest.approx(-0.5 * np.log(1 - 0.84**2), rel=0.1)
    assert told(copied, known_pairs=[("s0", "s1")]).pairs == ()


def test_calm_votes_cost_nothing() -> None:
    calm = told(paper_model(0).sample(5_000, 1))
    assert calm.standing_bias == 0
    assert calm.p_value <= 1
    content = calm.to_dict()
    assert content["scores"] == []
    assert content["votes_alone"]["dependent_pairs"] == []
