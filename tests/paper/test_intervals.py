from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from simulate import PAPER_ACCURACIES, contradicting_votes, draw_votes, make_votes, symmetric_conditionals, triplet_fit

from carob import LabelModel, NotIdentifiedError
from carob.paper.intervals import distance_interval
from carob.posterior.intervals import Intervals, student
from carob.posterior.source_table import SourceTable
from carob.votes import Votes


def intervals(votes: Votes, level: float = 0.9, replicates: int = 100, **options: Any) -> SourceTable:
    return triplet_fit(votes, level=level, replicates=replicates, **options).sources


def covers(found: SourceTable, accuracies: npt.NDArray[np.float64]) -> float:
    return float(((found.low <= accuracies) & (accuracies <= found.high)).mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("symmetric", "abstain", "balance", "given"),
    [(True, 0.0, 0.5, True), (False, 0.0, 0.5, True), (False, 0.3, 0.5, True), (False, 0.0, 0.4, False)],
)
def test_coverage(symmetric: bool, abstain: float, balance: float, given: bool) -> None:
    """Intervals at 90 % cover the truth in at least 85 % and at most 97 % of cases, beyond binomial noise.

    Sources of one data set share its noise; so the noise of the share is taken over data sets, not sources.
    """
    accuracies = PAPER_ACCURACIES + 0.08
    covered = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        votes = draw_votes(rng, 2_000, symmetric_conditionals(accuracies, 2, abstain), [1 - balance, balance])
        found = intervals(votes, symmetric=symmetric, class_balance=balance if given else None)
        covered.append(covers(found, accuracies))
    error = 2 * np.std(covered) / math.sqrt(len(covered))
    assert 0.85 - error <= np.mean(covered) <= 0.97 + error


@pytest.mark.parametrize("level", [0.3, 0.5])
def test_negative_control_narrow_intervals_do_not_cover(level: float) -> None:
    covered = []
    for seed in range(15):
        votes = draw_votes(np.random.default_rng(seed), 2_000, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
        covered.append(covers(intervals(votes, level, class_balance=0.5), PAPER_ACCURACIES))
    assert level - 0.2 < np.mean(covered) < level + 0.25


@pytest.mark.slow
def test_coverage_of_the_class_balance() -> None:
    covered = []
    for seed in range(60):
        votes = draw_votes(
            np.random.default_rng(seed), 3_000, symmetric_conditionals(PAPER_ACCURACIES + 0.08), [0.7, 0.3]
        )
        found = triplet_fit(votes, symmetric=False, replicates=60)
        covered.append(found.balance_low[1] <= 0.3 <= found.balance_high[1])
    assert 0.8 - 2 * 0.04 <= np.mean(covered) < 1
    assert found.balance_low.sum() + found.balance_high.sum() == pytest.approx(2)


def test_the_order_of_the_file_does_not_make_intervals_narrow() -> None:
    votes = draw_votes(np.random.default_rng(0), 5_000, symmetric_conditionals(PAPER_ACCURACIES + 0.1), [0.5, 0.5])
    ordered = votes.take(np.lexsort((votes.values[:, 0], votes.own_gold.values)))
    one, two = (intervals(data, class_balance=0.5, replicates=200) for data in (votes, ordered))
    assert np.mean(two.high - two.low) == pytest.approx(np.mean(one.high - one.low), rel=0.3)


def test_more_points_make_intervals_narrower() -> None:
    def width(n: int) -> float:
        votes = draw_votes(np.random.default_rng(0), n, symmetric_conditionals(PAPER_ACCURACIES + 0.1), [0.5, 0.5])
        found = intervals(votes, class_balance=0.5, symmetric=True, replicates=200)
        return float(np.mean(found.high - found.low))

    assert width(16_000) == pytest.approx(width(4_000) / 2, rel=0.25)


def test_the_same_seed_gives_the_same_interval_and_progress_is_told() -> None:
    votes = draw_votes(np.random.default_rng(0), 1_000, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    one, two, other = (intervals(votes, class_balance=0.5, replicates=30, rng=seed) for seed in (0, 0, 1))
    assert np.array_equal(one.low, two.low)
    assert not np.array_equal(one.low, other.low)
    steps: list[tuple[int, int]] = []
    model = LabelModel(method="triplets", class_balance=0.5, replicates=30)
    model.fit(votes, progress=lambda *at: steps.append(at))
    assert steps == [(k, 30) for k in range(1, 31)]


def test_none_where_none_are_asked_for() -> None:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.7] * 4), [0.5, 0.5])
    found = triplet_fit(votes, replicates=0)
    assert np.isnan(found.sources.low).all()
    assert np.isnan(found.balance_high).all()


def test_many_sources_have_fewer_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carob.paper.intervals.SECONDS", 0.5)
    accuracies = np.random.default_rng(0).uniform(0.55, 0.8, 150)
    votes = draw_votes(np.random.default_rng(1), 3_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    steps: list[int] = []
    found = triplet_fit(
        votes, None, lambda done, total: steps.append(total), class_balance=0.5, symmetric=True, replicates=10_000
    ).sources
    assert steps[0] == 148  # half a second of 150^3 triplets, at a billion in a second
    assert 0.8 < covers(found, accuracies) <= 1


@pytest.mark.slow
def test_sparse_crowd_votes_have_useful_intervals() -> None:
    """150 workers, ten on each task: most pairs share few tasks, and some none."""
    rng = np.random.default_rng(0)
    accuracies = rng.uniform(0.65, 0.9, 150)
    dense = draw_votes(rng, 6_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    asked = np.argsort(rng.random(dense.values.shape), axis=1) < 10
    votes = make_votes(np.where(asked, dense.values, -1))
    found = intervals(votes, symmetric=True, class_balance=0.5)
    assert np.mean(found.high - found.low) < 0.15
    assert 0.8 <= covers(found, accuracies) <= 0.98


@pytest.mark.slow
def test_coverage_with_a_few_gold_labels() -> None:
    """The class balance rests on gold; intervals that took it as known would be too narrow."""
    accuracies = np.linspace(0.65, 0.85, 8)
    covered = []
    for seed in range(30):
        votes = draw_votes(np.random.default_rng(seed), 2_000, symmetric_conditionals(accuracies), [0.8, 0.2])
        few = votes.code_gold(np.where(np.arange(2_000) < 20, votes.own_gold.values, -1))
        found = LabelModel(method="triplets", replicates=100).fit(votes, few).source_table_
        covered.append(covers(found, accuracies))
    assert 0.85 - 2 * np.std(covered) / math.sqrt(len(covered)) <= np.mean(covered) < 1


def test_replicates_that_fail_leave_no_interval() -> None:
    centre = np.array([0.6, 0.7])
    found = np.tile([0.62, 0.69], (101, 1))
    found[:11, 0] = np.nan
    found[:10, 1] = np.nan
    low, high = distance_interval(centre, found, 0.9, 1.0)
    assert (low[0], high[0]) == (0, 1)  # an interval of nine in ten cannot do without eleven of a hundred
    assert (low[1], high[1]) == pytest.approx((0.69, 0.71))


def test_known_answer_distances_of_replicates() -> None:
    centre = np.array([0.5, 0.95])
    found = centre + np.linspace(-0.1, 0.1, 201)[:, None]
    low, high = distance_interval(centre, found, 0.9, 2.0)
    assert (low[0], high[0]) == pytest.approx((0.5 - 2 * 0.09, 0.5 + 2 * 0.09))
    assert (low[1], high[1]) == pytest.approx((0.95 - 2 * 0.09, 1))


def test_an_interval_holds_what_it_is_told_to() -> None:
    found = Intervals(np.array([0.5]), np.array([0.6]), np.array([0.2, 0.7]), np.array([0.3, 0.8]), "bootstrap")
    wider = found.holding(np.array([0.65]), np.array([0.1, 0.75]))
    assert (wider.low[0], wider.high[0]) == (0.5, 0.65)
    assert wider.balance_low.tolist() == [0.1, 0.7]
    assert wider.balance_high.tolist() == [0.3, 0.8]


def test_students_interval_is_near_scipys() -> None:
    from scipy.stats import t

    for level, freedom in ((0.9, 31), (0.9, 19), (0.95, 19), (0.5, 9)):
        assert student(level, freedom) == pytest.approx(t.ppf((1 + level) / 2, freedom), rel=0.01)


def test_votes_of_which_no_triplet_tells_are_refused_with_gold_too() -> None:
    votes = contradicting_votes()
    few = votes.code_gold(np.where(np.arange(len(votes)) < 40, np.arange(len(votes)) % 2, -1))
    with pytest.raises(NotIdentifiedError, match="no triplet can be used"):
        triplet_fit(votes, few, symmetric=True, replicates=30)


def test_replicates_are_at_least_sixteen_however_long_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    import carob.paper.intervals as module

    monkeypatch.setattr(module, "SECONDS", 0.0)
    votes = draw_votes(np.random.default_rng(0), 300, symmetric_conditionals([0.7] * 4), [0.5, 0.5])
    steps: list[int] = []
    LabelModel(method="triplets", class_balance=0.5).fit(votes, progress=lambda done, total: steps.append(total))
    assert steps == [16] * 16


def test_of_fewer_points_than_blocks_some_replicates_have_none() -> None:
    votes = Votes.from_array([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    found = intervals(votes, replicates=200, symmetric=True, negative="absolute")
    assert (found.low <= found.high).all()


@pytest.mark.slow
def test_coverage_with_some_partners_only(monkeypatch: pytest.MonkeyPatch) -> None:
    accuracies = PAPER_ACCURACIES + 0.08
    m = len(accuracies)
    monkeypatch.setattr("carob.paper.intervals.SECONDS", 1e-9 * 16 * m * (m // 2) ** 2)  # time for half of them
    covered = []
    for seed in range(30):
        votes = draw_votes(np.random.default_rng(seed), 2_000, symmetric_conditionals(accuracies), [0.5, 0.5])
        covered.append(covers(intervals(votes, symmetric=True, class_balance=0.5), accuracies))
    assert np.mean(covered) > 0.85 - 2 * np.std(covered) / math.sqrt(len(covered))
