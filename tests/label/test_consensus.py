from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from simulate import ballots_of, draw_votes, held_sparsely, make_votes, random_votes, sample, symmetric_conditionals

from carob._kernels import threads
from carob.count import sampling
from carob.label import consensus
from carob.label.consensus import Consensus, Evidence, learn, majority, matching_shift, vote_counts
from carob.posterior.naive_bayes import softmax
from carob.votes import Votes

FloatArray = npt.NDArray[np.float64]


# Slow and obvious: one point, one source, one class after another.


def slow_counts(values: Any, guess: FloatArray, K: int) -> FloatArray:
    found = np.zeros((values.shape[1], K, K))
    for t, row in enumerate(values):
        for i, vote in enumerate(row):
            for y in range(K):
                if vote >= 0:
                    found[i, vote, y] += guess[t, y]
    return found


def slow_precision(counts: FloatArray, balance: FloatArray) -> FloatArray:
    m, K, _ = counts.shape
    everyone = np.zeros((K, K))
    for v in range(K):
        for y in range(K):
            everyone[v, y] = counts[:, v, y].sum() + 0.3 * balance[y] + 0.7 * (v == y)
        everyone[v] /= everyone[v].sum()
    found = np.zeros((m, K, K))
    for i in range(m):
        total = counts[i].sum()
        expected = np.mean([everyone[v, v] for v in range(K)])
        if total:
            expected = sum(counts[i, v].sum() / total * everyone[v, v] for v in range(K))
        right = sum(counts[i, v, v] for v in range(K))
        accuracy = (right + consensus.SOURCE_WORTH * expected) / (total + consensus.SOURCE_WORTH)
        odds = accuracy / (1 - accuracy) / (expected / (1 - expected))
        for v in range(K):
            usual = everyone[v, v] / (1 - everyone[v, v]) * odds
            hit = usual / (1 + usual)
            for y in range(K):
                centre = hit if y == v else (1 - hit) * everyone[v, y] / (1 - everyone[v, v])
                votes = counts[i, v].sum() + consensus.VOTE_WORTH
                found[i, v, y] = (counts[i, v, y] + consensus.VOTE_WORTH * centre) / votes
    return found


def slow_scores(values: Any, log_odds: FloatArray) -> FloatArray:
    K = log_odds.shape[2]
    found = np.zeros((len(values), K))
    for t, row in enumerate(values):
        for i, vote in enumerate(row):
            for y in range(K):
                found[t, y] += log_odds[i, vote, y] if vote >= 0 else 0.0
    return found


def slow_learn(votes: Votes, gold: Any, balance: FloatArray | None, unlabeled: float = 1.0) -> Any:
    values, K = votes.values, len(votes.classes)
    tally = np.array([[sum(row == y) for y in range(K)] for row in values], dtype=float)
    covered = [t for t in range(len(values)) if tally[t].sum()]

    def counted(prior: FloatArray) -> FloatArray:
        rows = [tally[t] + consensus.PSEUDO_VOTES * prior for t in range(len(values))]
        return np.array([row / row.sum() for row in rows])

    shares = balance
    if shares is None:
        shares = counted(np.full(K, 1 / K))[covered].mean(axis=0)
        shares = (1 - 2 * consensus.EVEN) * shares + 2 * consensus.EVEN / K
    guess = counted(shares)
    for _ in range(consensus.STEPS if unlabeled else 1):
        for t, y in enumerate(gold):
            if y >= 0:
                guess[t] = np.eye(K)[y]
        weighted = np.array([guess[t] * (1.0 if gold[t] >= 0 else unlabeled) for t in range(len(values))])
        among = weighted[covered].sum(axis=0) + shares
        log_odds = np.log(slow_precision(slow_counts(values, weighted, K), shares)) - np.log(among / among.sum())
        scores = slow_scores(values, log_odds)
        if balance is None:
            said = softmax(np.log(shares) + scores[covered]).mean(axis=0)
            shares = shares + consensus.BALANCE_STEP * (said - shares)
            shares = (1 - consensus.EVEN) * shares + consensus.EVEN / K
        guess = softmax(scores + matching_shift(scores[covered], shares))
    return log_odds, shares, scores


def same_up_to_a_constant(found: FloatArray, expected: FloatArray, atol: float) -> None:
    """Only differences between classes say something."""
    np.testing.assert_allclose(found - found[..., :1], expected - expected[..., :1], atol=atol)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("unlabeled", [1.0, 0.1, 0.0])
def test_oracle_the_steps_are_those_of_a_slow_version(K: int, given: bool, unlabeled: float) -> None:
    balance = np.array([0.6, 0.4] if K == 2 else [0.5, 0.3, 0.2]) if given else None
    for seed in range(3):
        votes = random_votes(seed, K=K)
        gold = np.where(np.arange(40) % 4 == 0, votes.own_gold.values, -1)
        found = learn(ballots_of(votes, gold), balance, unlabeled)
        log_odds, shares, scores = slow_learn(votes, gold, balance, unlabeled)
        np.testing.assert_allclose(found.evidence.log_odds, log_odds, atol=1e-9)
        np.testing.assert_allclose(found.class_balance, shares, atol=1e-10)
        same_up_to_a_constant(found.scores, scores, 1e-9)


@pytest.mark.parametrize("K", [2, 3])
def test_oracle_counts_and_evidence(K: int) -> None:
    rng = np.random.default_rng(K)
    votes = random_votes(7, K=K)
    guess = rng.dirichlet(np.ones(K), len(votes))
    np.testing.assert_allclose(vote_counts(votes, guess), slow_counts(votes.values, guess, K), atol=1e-12)
    log_odds = rng.normal(size=(5, K, K))
    alone = Evidence(log_odds, (K + 1,) * 5, tuple((i,) for i in range(5)))
    same_up_to_a_constant(alone.of(votes), slow_scores(votes.values, log_odds), 1e-12)
    assert (alone.of(votes)[:2] == 0).all()


@pytest.mark.parametrize("K", [2, 3])
def test_oracle_of_a_group_the_mean_of_those_that_vote_counts(K: int) -> None:
    rng = np.random.default_rng(K)
    votes = random_votes(3, n=60, K=K)
    log_odds = rng.normal(size=(5, K, K))
    groups = ((0, 3, 4), (1,), (2,))
    expected = np.zeros((60, K))
    for t, row in enumerate(votes.values):
        for group in groups:
            said = [log_odds[i, row[i]] for i in group if row[i] >= 0]
            expected[t] += np.mean(said, axis=0) if said else 0.0
    for held in (votes, held_sparsely(votes)):
        same_up_to_a_constant(Evidence(log_odds, (K + 1,) * 5, groups).of(held), expected, 1e-12)


@pytest.mark.parametrize("K", [2, 3])
def test_dense_and_sparse_votes_give_the_same(K: int) -> None:
    votes = random_votes(5, n=300, m=8, K=K, silence=0.7)
    gold = np.where(np.arange(300) < 30, votes.own_gold.values, -1)
    for groups in (None, ((0, 1), *((i,) for i in range(2, 8)))):
        one, two = (learn(ballots_of(held, gold, groups), None) for held in (votes, held_sparsely(votes)))
        np.testing.assert_allclose(two.evidence.log_odds, one.evidence.log_odds, atol=1e-12)
        np.testing.assert_allclose(two.scores, one.scores, atol=1e-12)
        np.testing.assert_allclose(two.class_balance, one.class_balance, atol=1e-12)


def test_the_number_of_threads_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = sample(70_000, abstain=0.3)
    found = []
    for number in (1, 2, 5):
        monkeypatch.setattr(threads, "THREADS", number)
        found.append(learn(ballots_of(votes), None))
    for other in found[1:]:
        assert np.array_equal(other.evidence.log_odds, found[0].evidence.log_odds)
        assert np.array_equal(other.scores, found[0].scores)


def test_points_with_gold_keep_their_class() -> None:
    # All five sources say the contrary of gold: with gold in its place their votes speak against what they say.
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2_000)
    votes = make_votes(np.where(rng.random((2_000, 5)) < 0.8, 1 - truth[:, None], truth[:, None]))
    own = np.arange(2)
    blind = learn(ballots_of(votes), None).evidence.log_odds
    seen = learn(ballots_of(votes, truth), None).evidence.log_odds
    assert (blind[:, own, own] > 0).all()
    assert (seen[:, own, own] < 0).all()
    alone = learn(ballots_of(votes, np.where(np.arange(2_000) < 200, truth, -1)), None, unlabeled=0.0)
    assert (alone.evidence.log_odds[:, own, own] < 0).all()
    assert (ballots_of(votes, truth).without(np.arange(2_000)).truth == -1).all()


def test_from_gold_alone_what_has_no_gold_changes_nothing() -> None:
    votes = random_votes(1, n=200)
    gold = np.where(np.arange(200) < 50, votes.own_gold.values, -1)
    other = votes.values.copy()
    other[50:] = random_votes(2, n=150).values
    balance = np.array([0.5, 0.5])
    one = learn(ballots_of(votes, gold), balance, 0.0).evidence.log_odds
    two = learn(ballots_of(make_votes(other), gold), balance, 0.0).evidence.log_odds
    np.testing.assert_allclose(one, two, atol=1e-12)


@pytest.mark.parametrize("K", [2, 3, 5])
def test_shares_are_matched(K: int) -> None:
    rng = np.random.default_rng(K)
    for scale in (0.5, 3.0, 10.0):
        scores = scale * rng.normal(size=(3_000, K))
        balance = rng.dirichlet(np.full(K, 5.0))
        shift = matching_shift(scores, balance)
        np.testing.assert_allclose(softmax(scores + shift).mean(axis=0), balance, atol=2e-4)
        assert (shift - np.log(balance)).mean() == pytest.approx(0, abs=1e-9)


def test_majority_counts_pseudo_votes_by_the_class_balance() -> None:
    found = majority(np.array([[3, 0], [0, 0]]), np.array([0.75, 0.25]))
    np.testing.assert_allclose(found, [[4.5 / 5, 0.5 / 5], [0.75, 0.25]])


def test_a_source_and_its_copy_in_one_group_are_the_source_alone() -> None:
    votes = sample(1_000, abstain=0.3)
    twice = make_votes(np.column_stack([votes.values, votes.values[:, 0]]))
    groups = ((0, 10), *((i,) for i in range(1, 10)))
    balance = np.array([0.5, 0.5])
    evidence = learn(ballots_of(votes), balance).evidence
    copied = Evidence(np.concatenate([evidence.log_odds, evidence.log_odds[:1]]), (3,) * 11, groups)
    np.testing.assert_allclose(copied.of(twice), evidence.of(votes), atol=1e-12)
    assert np.array_equal(ballots_of(twice, groups=groups).tally, ballots_of(votes).tally)
    # What all sources do is learned from the copy too, which moves the others a little, and as one vote never twice.
    grouped, counted_twice = learn(ballots_of(twice, groups=groups), balance), learn(ballots_of(twice), balance)
    alone = learn(ballots_of(votes), balance)
    np.testing.assert_array_equal(grouped.evidence.log_odds[0], grouped.evidence.log_odds[10])
    off = np.abs(grouped.evidence.log_odds[:10] - alone.evidence.log_odds).max()
    assert off < 0.03
    assert off < np.abs(counted_twice.evidence.log_odds[:10] - alone.evidence.log_odds).max() / 5


def test_simulation_accuracies_of_independent_sources_are_found() -> None:
    rng = np.random.default_rng(0)
    accuracies = rng.uniform(0.65, 0.9, 10)
    for balance in (np.array([0.5, 0.5]), np.array([0.7, 0.3])):
        votes = draw_votes(rng, 20_000, symmetric_conditionals(accuracies, abstain=0.2), balance)
        found = learned_accuracies(votes, balance)
        error = np.sqrt(accuracies * (1 - accuracies) / 16_000)
        assert (np.abs(found - accuracies) < 5 * error).all(), (found - accuracies) / error


def test_simulation_three_classes() -> None:
    accuracies = np.linspace(0.6, 0.85, 8)
    balance = np.array([0.5, 0.3, 0.2])
    votes = draw_votes(np.random.default_rng(1), 20_000, symmetric_conditionals(accuracies, 3), balance)
    found = learned_accuracies(votes, balance)
    assert np.abs(found - accuracies).max() < 0.02
    estimated = learn(ballots_of(votes), None).class_balance
    # Where it is not given it stays between evenly spread and what it is, on purpose: votes alone tell little of it.
    assert ((estimated - 1 / 3) * (estimated - balance) < 0).all()
    assert estimated.argsort().tolist() == [2, 1, 0]


def learned_accuracies(votes: Votes, balance: FloatArray) -> FloatArray:
    found: Consensus = learn(ballots_of(votes), balance)
    guess = softmax(found.scores + matching_shift(found.scores, balance))
    counts = vote_counts(votes, guess)
    return np.asarray(np.trace(counts, axis1=1, axis2=2) / counts.sum(axis=(1, 2)))


def test_a_source_worse_than_chance_speaks_against_what_it_says() -> None:
    accuracies = [0.8, 0.75, 0.7, 0.8, 0.3]
    votes = draw_votes(np.random.default_rng(0), 5_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    log_odds = learn(ballots_of(votes), None).evidence.log_odds
    for v in (0, 1):
        assert (log_odds[:4, v, v] > log_odds[:4, v, 1 - v]).all()
        assert log_odds[4, v, v] < log_odds[4, v, 1 - v]


@pytest.mark.parametrize("m", [1, 2])
def test_one_and_two_sources(m: int) -> None:
    votes = random_votes(0, n=100, m=m)
    found = learn(ballots_of(votes), None)
    own = np.arange(2)
    assert np.isfinite(found.scores).all()
    assert (found.evidence.log_odds[:, own, own] > found.evidence.log_odds[:, own, 1 - own]).all()
    assert (found.scores[:2] == 0).all()


def test_nobody_votes_at_all() -> None:
    found = learn(ballots_of(make_votes(np.full((20, 3), -1), 3)), None)
    assert (found.scores == 0).all()
    np.testing.assert_allclose(found.class_balance, np.full(3, 1 / 3))
    assert np.isfinite(found.evidence.log_odds).all()


def test_of_very_many_votes_some_points_are_enough_and_gold_always_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = sample(4_000)  # of ten sources
    gold = np.where(np.arange(4_000) % 40 == 0, votes.own_gold.values, -1)
    whole = ballots_of(votes, gold)
    assert len(whole.truth) == 4_000
    monkeypatch.setattr(sampling, "MOST_VOTES", 10_000)
    monkeypatch.setattr(sampling, "MOST_EACH", 0)
    part = ballots_of(votes, gold)
    assert 900 < len(part.truth) < 1_300
    assert part.truth[part.truth >= 0].tolist() == gold[gold >= 0].tolist()
    far = np.abs(learn(whole, None).evidence.log_odds - learn(part, None).evidence.log_odds)
    assert far.max() < 0.3
    held = held_sparsely(sample(2_000, abstain=0.8))  # votes count, not cells
    assert len(ballots_of(held).truth) == 2_000
    monkeypatch.setattr(sampling, "MOST_VOTES", 2_000)
    assert len(ballots_of(held).truth) < 1_200
    monkeypatch.setattr(sampling, "MOST_EACH", 1_000)  # ten sources need ten thousand votes
    assert len(ballots_of(held).truth) == 2_000


def test_of_thinned_ballots_one_point_stands_for_several() -> None:
    votes = sample(4_000)  # of ten sources
    gold = np.where(np.arange(4_000) % 40 == 0, votes.own_gold.values, -1)
    whole = ballots_of(votes, gold)
    assert whole.thinned(40_000) == (whole, 1)
    some, k = whole.thinned(15_000)
    assert k == 3
    assert len(some.truth) == 100 + 1_300
    assert some.truth[some.truth >= 0].tolist() == gold[gold >= 0].tolist()
    for worth in (1.0, 0.1):
        far = np.abs(learn(whole, None, worth).evidence.log_odds - learn(some, None, k * worth).evidence.log_odds)
        assert far.max() < 0.3
