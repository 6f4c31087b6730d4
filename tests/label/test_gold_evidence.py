from __future__ import annotations

import numpy as np
import pytest
from simulate import ballots_of, held_sparsely, make_votes, random_votes, sample

from carob.label.gold_evidence import WORTH, gold_evidence


@pytest.mark.parametrize("K", [2, 3])
def test_oracle_shares_of_outputs_among_gold_of_each_class(K: int) -> None:
    votes = random_votes(4, n=120, K=K)
    gold = np.arange(40)
    truth = votes.own_gold.values[gold]
    found = gold_evidence(ballots_of(votes), votes.take(gold), truth)
    assert found.silence is not None
    for i in range(len(votes.sources)):
        for output in range(-1, K):
            share = np.mean(votes.values[:, i] == output)
            for y in range(K):
                of_class = votes.values[gold[truth == y], i] == output
                expected = np.log((of_class.sum() + WORTH * share) / (len(of_class) + WORTH) / share)
                told = found.silence[i, y] if output < 0 else found.log_odds[i, output, y]
                assert told == pytest.approx(expected)


def test_held_densely_or_sparsely_the_same_is_said() -> None:
    votes = random_votes(5, n=300, m=8, silence=0.7)
    truth = votes.own_gold.values[:60]
    one, two = (
        gold_evidence(ballots_of(held), held.take(np.arange(60)), truth).of(held)
        for held in (votes, held_sparsely(votes))
    )
    np.testing.assert_allclose(one, two, atol=1e-12)


def test_an_output_that_nobody_gives_says_nothing() -> None:
    votes = make_votes(np.array([[0, 1], [0, 1], [0, 0], [0, 0]]), 2)
    found = gold_evidence(ballots_of(votes), votes.take(np.arange(2)), np.array([0, 1], dtype=np.int8))
    assert found.silence is not None
    np.testing.assert_allclose(found.log_odds[0, 1], np.log(WORTH / (WORTH + 1)))
    np.testing.assert_allclose(np.diff(found.log_odds[0, 1]), 0)
    np.testing.assert_allclose(np.diff(found.silence[0]), 0)


def test_a_source_and_its_copy_in_one_group_are_the_source_alone() -> None:
    votes = sample(400, abstain=0.3)
    twice = make_votes(np.column_stack([votes.values, votes.values[:, 0]]))
    groups = ((0, 10), *((i,) for i in range(1, 10)))
    truth, gold = votes.own_gold.values[:50], np.arange(50)
    alone = gold_evidence(ballots_of(votes), votes.take(gold), truth).of(votes)
    copied = gold_evidence(ballots_of(twice, groups=groups), twice.take(gold), truth).of(twice)
    np.testing.assert_allclose(alone, copied, atol=1e-12)
