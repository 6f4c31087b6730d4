from __future__ import annotations

import math

import numpy as np
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, make_votes, symmetric_conditionals

from karat import LabelModel, Moments
from karat.estimate.balance import ThirdMoments
from karat.estimate.intervals import Estimator, Intervals, bootstrap, jackknife, triplet_intervals
from karat.estimate.wilson import wilson
from karat.votes import Votes


def estimator(votes: Votes, symmetric: bool, balance: float | None) -> Estimator:
    given = None if balance is None else np.array([1 - balance, balance])
    third = ThirdMoments.of(Moments.of(votes), []) if balance is None else None
    return Estimator("median", "drop", symmetric, [], given, np.ones(len(votes.sources), dtype=np.int64), third)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["bootstrap", "jackknife"])
@pytest.mark.parametrize(
    ("symmetric", "abstain", "balance", "given"),
    [(True, 0.0, 0.5, True), (False, 0.0, 0.5, True), (False, 0.3, 0.5, True), (False, 0.0, 0.4, False)],
)
def test_coverage(way: str, symmetric: bool, abstain: float, balance: float, given: bool) -> None:
    """Intervals at 90 % cover the truth in at least 85 % and at most 97 % of cases, beyond binomial noise.

    Sources of one data set share its noise; so the noise of the share is taken over data sets, not sources.
    """
    accuracies = PAPER_ACCURACIES + 0.08
    covered = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        votes = draw_votes(rng, 2_000, symmetric_conditionals(accuracies, 2, abstain), [1 - balance, balance])
        moments, how = Moments.of(votes), estimator(votes, symmetric, balance if given else None)
        if way == "bootstrap":
            found = bootstrap(votes, moments, how, 0.9, 100, rng)
        else:
            found = jackknife(votes, moments, how, 0.9, rng)
        covered.append(((found.low <= accuracies) & (accuracies <= found.high)).mean())
    error = 2 * np.std(covered) / math.sqrt(len(covered))
    assert 0.85 - error <= np.mean(covered) <= 0.97 + error


def test_negative_control_narrow_intervals_do_not_cover() -> None:
    covered = []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        votes = draw_votes(rng, 2_000, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
        found = jackknife(votes, Moments.of(votes), estimator(votes, True, 0.5), 0.5, rng)
        covered.append(((found.low <= PAPER_ACCURACIES) & (found.high >= PAPER_ACCURACIES)).mean())
    assert np.mean(covered) < 0.75


def test_bootstrap_and_jackknife_agree() -> None:
    votes = draw_votes(np.random.default_rng(0), 5_000, symmetric_conditionals(PAPER_ACCURACIES + 0.1), [0.5, 0.5])
    moments, how = Moments.of(votes), estimator(votes, False, 0.5)
    one = bootstrap(votes, moments, how, 0.9, 300, np.random.default_rng(1))
    two = jackknife(votes, moments, how, 0.9, np.random.default_rng(1))
    assert np.mean(two.high - two.low) == pytest.approx(np.mean(one.high - one.low), rel=0.25)


def test_jackknife_does_not_depend_on_the_order_of_the_file() -> None:
    votes = draw_votes(np.random.default_rng(0), 5_000, symmetric_conditionals(PAPER_ACCURACIES + 0.1), [0.5, 0.5])
    assert votes.gold is not None
    ordered = votes.take(np.lexsort((votes.values[:, 0], votes.gold.values)))
    one, two = (
        jackknife(data, Moments.of(data), estimator(data, False, 0.5), 0.9, np.random.default_rng(1))
        for data in (votes, ordered)
    )
    assert np.mean(two.high - two.low) == pytest.approx(np.mean(one.high - one.low), rel=0.3)


def test_more_points_make_intervals_narrower() -> None:
    def width(n: int) -> float:
        votes = draw_votes(np.random.default_rng(0), n, symmetric_conditionals(PAPER_ACCURACIES + 0.1), [0.5, 0.5])
        found = triplet_intervals(votes, Moments.of(votes), estimator(votes, True, 0.5), rng=0)
        return float(np.mean(found.high - found.low))

    assert width(16_000) == pytest.approx(width(4_000) / 2, rel=0.2)


def test_the_same_seed_gives_the_same_interval_and_progress_is_told() -> None:
    votes = draw_votes(np.random.default_rng(0), 1_000, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    steps: list[tuple[int, int]] = []

    def run(seed: int) -> Intervals:
        how = estimator(votes, False, 0.5)
        return triplet_intervals(
            votes, Moments.of(votes), how, replicates=30, rng=seed, progress=lambda *at: steps.append(at)
        )

    one, two, other = run(0), run(0), run(1)
    assert np.array_equal(one.low, two.low)
    assert not np.array_equal(one.low, other.low)
    assert steps[29] == (30, 30)
    assert one.method == "bootstrap"


def test_many_sources_take_the_jackknife() -> None:
    accuracies = np.random.default_rng(0).uniform(0.55, 0.8, 150)
    votes = draw_votes(np.random.default_rng(1), 3_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    found = triplet_intervals(votes, Moments.of(votes), estimator(votes, True, 0.5), rng=0)
    assert found.method == "jackknife"
    assert 0.8 < ((found.low <= accuracies) & (accuracies <= found.high)).mean() <= 1


@pytest.mark.slow
def test_sparse_crowd_votes_have_useful_intervals() -> None:
    """150 workers, ten on each task: most pairs share few tasks, and some none."""
    rng = np.random.default_rng(0)
    accuracies = rng.uniform(0.65, 0.9, 150)
    dense = draw_votes(rng, 6_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    asked = np.argsort(rng.random(dense.values.shape), axis=1) < 10
    votes = make_votes(np.where(asked, dense.values, -1))
    found = triplet_intervals(votes, Moments.of(votes), estimator(votes, True, 0.5), rng=0)
    assert found.method == "jackknife"
    assert np.mean(found.high - found.low) < 0.15
    assert 0.8 <= ((found.low <= accuracies) & (accuracies <= found.high)).mean() <= 0.98


@pytest.mark.slow
def test_coverage_with_a_few_gold_labels() -> None:
    """The class balance rests on gold; intervals that took it as known would be too narrow."""
    accuracies = np.linspace(0.65, 0.85, 8)
    covered = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        votes = draw_votes(rng, 2_000, symmetric_conditionals(accuracies), [0.8, 0.2])
        assert votes.gold is not None
        few = votes.code_gold(np.where(np.arange(2_000) < 20, votes.gold.values, -1))
        table = LabelModel(method="triplets", replicates=100).fit(votes, few).source_table_
        covered.append(((table.low <= accuracies) & (accuracies <= table.high)).mean())
    assert np.mean(covered) >= 0.85 - 2 * np.std(covered) / math.sqrt(len(covered))


@pytest.mark.slow
@pytest.mark.parametrize("n_gold", [20, 200])
def test_coverage_of_the_blend(n_gold: int) -> None:
    accuracies = PAPER_ACCURACIES + 0.05
    covered = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        votes = draw_votes(rng, 2_000, symmetric_conditionals(accuracies), [0.5, 0.5])
        assert votes.gold is not None
        few = votes.code_gold(np.where(np.arange(2_000) < n_gold, votes.gold.values, -1))
        table = LabelModel(class_balance=0.5, method="combined", replicates=50).fit(votes, few).source_table_
        covered.append(((table.low <= accuracies) & (accuracies <= table.high)).mean())
    error = 2 * np.std(covered) / math.sqrt(len(covered))
    assert 0.85 - error <= np.mean(covered) <= 1


def test_wilson_against_the_definition() -> None:
    # The ends are where the score test of a share just rejects.
    low, high = wilson(np.array([7, 0, 0]), np.array([20, 5, 0]), 0.9)
    for end in (low[0], high[0]):
        assert abs((7 / 20 - end) / math.sqrt(end * (1 - end) / 20)) == pytest.approx(1.6448536, rel=1e-6)
    assert low[1] == pytest.approx(0, abs=1e-12)
    assert (low[2], high[2]) == (0, 1)
