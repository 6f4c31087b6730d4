from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from carob.model.fit import fit

from carob.paper.datasets import paper_model
from carob.posterior.intervals import wilson
from carob.posterior.losses import log_losses
from carob.posterior.settings import Settings
from carob.value.interval import Interval
from carob.value.risks import Measured, Risks, alone_probabilities, blind, controlled, measure_risks, share_interval
from carob.votes import Gold, GoldPoints, Votes

SETTINGS = Settings(class_balance=0.5)


def mean_interval(values: np.ndarray, weights: np.ndarray, level: float) -> Interval:
    """Without a view."""
    return controlled(values, np.zeros(len(values)), 0.0, weights, level)


def test_invariant_the_same_seed_gives_the_same_bits(risks: Risks) -> None:
    again = measure_risks(risks.votes, risks.points, risks.settings)
    np.testing.assert_array_equal(again.both.losses, risks.both.losses)
    np.testing.assert_array_equal(again.gold_curve.losses, risks.gold_curve.losses)
    assert (again.by_labels, again.by_points) == (risks.by_labels, risks.by_points)


def test_progress_reaches_its_end() -> None:
    votes = paper_model(0).sample(300, 0)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 40))
    seen: list[tuple[int, int]] = []
    measure_risks(votes, gold, SETTINGS, lambda *at: seen.append(at))
    assert seen[-1][0] == seen[-1][1] == len(seen)


@pytest.mark.parametrize("settings", [SETTINGS, Settings("median", class_balance=0.5)])
def test_oracle_each_gold_point_is_judged_by_a_fit_without_its_part(settings: Settings) -> None:
    votes = paper_model(2).sample(400, 0)
    points = GoldPoints.of(votes, votes.own_gold).take(slice(0, 50))
    fold = np.arange(50) % 5
    found = blind(votes, points, fold, settings).probabilities
    for part in (0, 3):
        values = np.full(400, -1, dtype=np.int8)
        values[points.rows[fold != part]] = points.truth[fold != part]
        naive = fit(votes, Gold(values, votes.classes), settings).posterior(votes)
        np.testing.assert_allclose(found[points.rows[fold == part]], naive[points.rows[fold == part]], atol=1e-9)


def test_known_answer_a_mean_with_weights() -> None:
    values, weights = np.array([1.0, 2.0, 4.0]), np.array([2.0, 1.0, 1.0])
    assert mean_interval(values, weights, 0.9).value == pytest.approx(2.0)


def test_simulation_the_view_brings_the_estimate_closer_and_the_interval_covers() -> None:
    rng = np.random.default_rng(0)
    covered, plain, helped = [], [], []
    for _ in range(300):
        view = rng.gamma(2, 0.1, 2_000)
        values = view * rng.gamma(4, 0.25, 2_000)  # skewed, as losses are
        rows = rng.permutation(2_000)[:100]
        found = controlled(values[rows], view[rows], float(view.mean()), np.ones(100), 0.9)
        helped.append(found.value - values.mean())
        alone = mean_interval(values[rows], np.ones(100), 0.9)
        plain.append(alone.value - values.mean())
        covered.append(alone.low <= values.mean() <= alone.high)
    assert 0.86 <= np.mean(covered) <= 0.94
    assert np.std(helped) < 0.75 * np.std(plain)


def test_where_few_points_lose_all_the_interval_is_wider() -> None:
    even, uneven = np.tile([0.0, 1.0], 50), np.where(np.arange(100) < 2, 1.0, 0.0)
    widths = []
    for values in (even, uneven):
        found = mean_interval(values, np.ones(100), 0.9)
        widths.append((found.high - found.low) / values.std(ddof=1))
    assert widths[1] > 1.1 * widths[0]


def sure_labels(rng: np.random.Generator, n: int) -> Measured:
    """Labels whose probabilities are right, of which one in seventy or so is wrong, on gold."""
    doubt = np.exp(rng.uniform(np.log(1e-4), np.log(0.1), n))
    right = (rng.random(n) >= doubt).astype(np.float64)
    losses = -np.log(np.where(right > 0, 1 - doubt, doubt))
    return Measured(losses, right, np.zeros(n), 0.0, np.ones(n), 1 - doubt)


def test_coverage_where_hardly_a_label_is_wrong() -> None:
    rng = np.random.default_rng(0)
    truth = sure_labels(rng, 1_000_000).losses.mean()
    covered, plain = 0, 0
    for _ in range(400):
        labels = sure_labels(rng, 60)
        without = mean_interval(labels.losses, labels.weights, 0.9)
        found = labels.loss(0.9)
        assert found.value == without.value
        covered += found.low <= truth <= found.high
        plain += without.low <= truth <= without.high
    assert covered >= 400 * 0.9 - 3 * (400 * 0.9 * 0.1) ** 0.5
    assert plain < 400 * 0.75  # negative control: what gold does not show is not in its losses


def test_known_answer_labels_that_are_all_right_may_be_wrong_elsewhere() -> None:
    n, doubt = 100, 0.01
    labels = Measured(np.full(n, -np.log(1 - doubt)), np.ones(n), np.zeros(n), 0.0, np.ones(n), np.full(n, 1 - doubt))
    most = 1 - wilson(np.array(n), np.array(n), 0.8)[0]  # in all but one case of ten
    assert labels.loss(0.9).high == pytest.approx(-np.log(1 - doubt) + most * -np.log(doubt))
    two = replace(
        labels, right=np.where(np.arange(n) < 2, 0.0, 1.0), losses=np.where(np.arange(n) < 2, 5, labels.losses)
    )
    least = wilson(np.array(2), np.array(n), 0.9)[0]
    by_right = mean_interval(two.losses * two.right, two.weights, 0.9)
    assert mean_interval(two.losses, two.weights, 0.9).low < 0  # by all losses, one could lose less than nothing
    assert two.loss(0.9).low == pytest.approx(by_right.low + least * np.log(2))
    wrong = np.arange(n) < 5  # enough for their losses to tell
    losses = np.where(wrong, np.float64(-np.log(doubt)), labels.losses)
    many = replace(labels, right=np.where(wrong, 0.0, 1.0), losses=losses)
    assert many.loss(0.9) == mean_interval(many.losses, many.weights, 0.9)


def test_a_view_that_says_nothing_does_no_harm() -> None:
    rng = np.random.default_rng(1)
    values, view = rng.random(50), np.full(50, 0.3)
    assert controlled(values, view, 0.9, np.ones(50), 0.9) == mean_interval(values, np.ones(50), 0.9)


def test_known_answer_losses_and_right_labels() -> None:
    p = np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]])
    votes = Votes.from_array([[0, 1], [0, 0], [1, 1]], gold=[0, 0, -1])
    found = Measured.of(p, GoldPoints.of(votes, votes.own_gold), p)
    np.testing.assert_allclose(found.losses, log_losses(np.array([0.9, 0.4])))
    np.testing.assert_array_equal(found.right, [1, 0])
    np.testing.assert_allclose(found.view, [-(p[k] * np.log(p[k])).sum() for k in range(2)])
    assert found.everywhere == pytest.approx(-(p * np.log(p)).sum() / 3)
    believed = p[::-1]
    other = Measured.of(p, GoldPoints.of(votes, votes.own_gold), believed)
    np.testing.assert_allclose(other.view, [-(believed[k] * np.log(p[k])).sum() for k in range(2)])


def test_gold_alone_is_told_by_models_that_have_not_seen_the_point(risks: Risks) -> None:
    # As many labels as there are less one part of twenty: better than the curve's largest part, up to noise.
    assert risks.gold_alone.losses.mean() == pytest.approx(risks.gold_curve.losses[-1].mean(), abs=0.03)
    assert not np.array_equal(risks.gold_alone.losses, risks.gold_curve.losses[-1])


def test_oracle_shares_are_wilsons_and_weights_count_by_what_they_tell() -> None:
    right = np.array([1.0] * 18 + [0.0] * 2)
    low, high = wilson(np.array(18), np.array(20), 0.9)
    assert share_interval(right, np.ones(20), 0.9) == Interval(0.9, float(low), float(high))
    uneven = share_interval(right, np.where(np.arange(20) < 10, 3.0, 1.0), 0.9)
    assert uneven.high - uneven.low > 0.8 * (float(high) - float(low))


def test_what_more_data_would_change_shows_in_how_fits_differ() -> None:
    votes = paper_model(0).sample(2_000, 0)
    points = GoldPoints.of(votes, votes.own_gold)
    few, many = (measure_risks(votes, points.take(slice(0, n)), SETTINGS) for n in (40, 640))
    assert few.by_labels > 2 * many.by_labels > 0
    fewer = votes.take(slice(0, 250))
    small = measure_risks(fewer, GoldPoints.of(fewer, fewer.own_gold).take(slice(0, 40)), SETTINGS)
    assert small.by_points > 2 * few.by_points > 0


def test_gold_tells_sources_on_their_own_from_sources_that_follow_one_hint() -> None:
    rng = np.random.default_rng(4)
    truth = (rng.random(3_000) < 0.5).astype(np.int8)
    hint = np.where(rng.random(3_000) < 0.75, truth, 1 - truth)
    gold = Gold(np.where(np.arange(3_000) < 150, truth, -1).astype(np.int8), (0, 1))
    found = []
    for followed in (truth, hint):
        right = rng.random((3_000, 8)) < rng.uniform(0.65, 0.85, 8)
        votes = Votes.from_array(np.where(right, followed[:, None], 1 - followed[:, None]))
        points, settings = GoldPoints.of(votes, gold), Settings(class_balance=[0.5, 0.5])
        assert alone_probabilities(votes, points, settings)[1]  # votes cannot tell the two apart
        found.append(measure_risks(votes, points, settings).borne_out)
    assert found == [True, False]
