from __future__ import annotations

import numpy as np
import pytest
from simulate import draw_votes, sample, some_gold, symmetric_conditionals

from carob import Gold, LabelModel
from carob.label.cross_validation import FEWEST_GOLD, cross_validate, folds
from carob.label.model import learn_votes
from carob.posterior.settings import Settings
from carob.votes import GoldPoints

NAMES = ["majority vote", "votes alone", "gold alone", "votes and gold"]


def test_known_answer_classes_are_spread_over_the_folds() -> None:
    truth = np.array([0] * 10 + [1] * 5)
    fold = folds(truth, np.random.default_rng(0))
    assert np.bincount(fold[:10]).tolist() == [2] * 5
    assert np.bincount(fold[10:]).tolist() == [1] * 5


def test_fewer_labels_than_that_have_no_score() -> None:
    votes = sample(300)
    assert LabelModel().fit(votes, some_gold(votes, FEWEST_GOLD - 1)).fit_.scores == ()
    assert [score.name for score in LabelModel().fit(votes, some_gold(votes, FEWEST_GOLD)).fit_.scores] == NAMES
    assert LabelModel().fit(votes).fit_.scores == ()


@pytest.mark.parametrize("balance", [None, [0.4, 0.6]])
def test_oracle_every_point_is_labeled_by_fits_that_have_not_seen_its_part(balance: list[float] | None) -> None:
    votes = sample(400, abstain=0.5)
    gold = some_gold(votes, 40)
    points = GoldPoints.of(votes, gold)
    settings = Settings(class_balance=balance)
    found = cross_validate(learn_votes(votes, settings), points, settings)
    for part in (0, 3):
        own = points.rows[found.fold == part]
        rest = gold.values.copy()
        rest[own] = -1
        naive = LabelModel(class_balance=balance).fit(votes, Gold(rest, votes.classes))
        np.testing.assert_allclose(found.both[found.fold == part], naive.predict_proba(votes.take(own)), atol=1e-9)
        counted = LabelModel("labeled", class_balance=balance).fit(votes, Gold(rest, votes.classes))
        np.testing.assert_allclose(found.gold_alone[found.fold == part], counted.predict_proba(votes.take(own)))
    alone = LabelModel(class_balance=balance).fit(votes, np.full(400, None))
    np.testing.assert_allclose(found.votes_alone, alone.predict_proba(votes)[points.rows], atol=1e-9)
    np.testing.assert_array_equal(found.everyone[points.rows], found.both)
    tally = points.votes.tally()
    np.testing.assert_allclose(found.majority, (tally + 1) / (tally.sum(axis=1, keepdims=True) + 2))


def test_fit_and_value_tell_the_same_numbers() -> None:
    from carob import data_value

    votes = sample(500, abstain=0.3)
    gold = some_gold(votes, 60)
    found = data_value(votes, gold).to_dict()
    assert found["scores"] == [vars(score) for score in LabelModel().fit(votes, gold).fit_.scores]


def test_simulation_scores_are_those_on_points_that_are_hidden() -> None:
    told, real, held = [], [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        conditionals = symmetric_conditionals(rng.uniform(0.55, 0.85, 8), abstain=0.3)
        votes = draw_votes(rng, 3_000, conditionals, [0.6, 0.4])
        gold = some_gold(votes, 150, seed)
        model = LabelModel().fit(votes, gold)
        score = model.fit_.scores[-1]
        hidden = ~gold.known
        p = model.predict_proba(votes)[hidden, votes.own_gold.values[hidden]]
        real.append(-np.log(p).mean())
        told.append(score.loss)
        held.append(score.loss_low <= real[-1] <= score.loss_high)
    # A standard error of a score of 150 points is .04 or so, and of eight of them .013.
    assert np.mean(told) == pytest.approx(np.mean(real), abs=0.04)
    assert np.mean(held) >= 0.6


def test_labels_of_pure_noise_are_not_flattered() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 400, symmetric_conditionals([0.5] * 30), [0.5, 0.5])
    scores = {score.name: score for score in LabelModel().fit(votes, some_gold(votes, 100)).fit_.scores}
    for name in NAMES:
        assert scores[name].accuracy_low < 0.5
        assert scores[name].accuracy < 0.65
    assert scores["votes and gold"].loss < 0.85


def test_labels_vary_over_draws_of_gold_where_gold_has_something_to_tell() -> None:
    votes = sample(600)
    points = GoldPoints.of(votes, some_gold(votes, 60))
    calm = cross_validate(learn_votes(votes, Settings()), points, Settings()).variation
    turned = GoldPoints.of(votes, Gold(np.where(some_gold(votes, 60).values < 0, -1, 0).astype(np.int8), votes.classes))
    assert 0 <= calm < cross_validate(learn_votes(votes, Settings()), turned, Settings()).variation
