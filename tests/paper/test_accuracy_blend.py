from __future__ import annotations

import numpy as np
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, symmetric_conditionals

from carob import Votes
from carob.paper.accuracy_blend import MULTIPLE, SMALLEST, WORTH, _fit, blend
from carob.paper.count import count
from carob.paper.triplet_fit import Solution
from carob.paper.votes_fit import fit_votes
from carob.posterior.settings import Settings
from carob.votes import GoldPoints


def solved(votes: Votes, symmetric: bool = True) -> Solution:
    settings = Settings(class_balance=0.5, symmetric=symmetric)
    return fit_votes(count(votes, settings), None, settings).solution


def sample(n: int = 3_000, seed: int = 0) -> Votes:
    return draw_votes(np.random.default_rng(seed), n, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])


def points(votes: Votes, n: int) -> GoldPoints:
    return GoldPoints.of(votes, votes.own_gold).take(slice(0, n))


@pytest.mark.parametrize("symmetric", [True, False])
def test_oracle_the_formula_with_the_numbers_that_were_fitted(symmetric: bool) -> None:
    votes = sample()
    solution = solved(votes, symmetric)
    found = blend(solution, points(votes, 100), 0.03)
    problem = solution.problem
    gold = problem.kind.gold_view(problem.moments, problem.features, points(votes, 100), solution.class_balance)
    prior = found.multiple * solution.x / gold.unit
    # w = tau^2 / (tau^2 + v) gives tau^2 back, the same for every feature.
    spread = found.gold_weight * gold.variance / (1 - found.gold_weight)
    np.testing.assert_allclose(spread, spread[0])
    np.testing.assert_allclose(found.x / gold.unit, prior + found.gold_weight * (gold.x - prior), atol=1e-12)
    precision = 1 / spread + 1 / gold.variance
    of_multiple = 1 / (((solution.x / gold.unit) ** 2 / (spread + gold.variance)).sum() + 1 / MULTIPLE**2)
    variance = 1 / precision + ((1 - found.gold_weight) * solution.x / gold.unit) ** 2 * of_multiple
    np.testing.assert_allclose(found.error / gold.unit, np.sqrt(variance))


def test_more_gold_counts_for_more() -> None:
    votes = sample()
    weights = [blend(solved(votes), points(votes, n), 0.03).gold_weight.mean() for n in (5, 50, 500)]
    assert weights == sorted(weights)
    assert weights[0] < 0.2
    assert weights[2] > 0.4


def test_votes_that_mislead_are_trusted_less() -> None:
    votes = sample()
    solution = solved(votes)
    turned = Solution(
        solution.problem, -solution.x, solution.sign, solution.class_balance, solution.settings, solution.unknown
    )
    right, wrong = (blend(found, points(votes, 100), 0.03) for found in (solution, turned))
    assert wrong.multiple < 0.2 < 0.7 < right.multiple < 1.2
    assert wrong.gold_weight.mean() > right.gold_weight.mean()


def test_fixed_point_of_the_fitted_numbers() -> None:
    rng = np.random.default_rng(0)
    prior, noise = rng.uniform(0.1, 0.6, 30), np.full(30, 0.01)
    truth = 0.8 * prior + rng.normal(0, 0.1, 30)
    found = truth + rng.normal(0, 0.1, 30)
    multiple, spread = _fit(found, prior, noise, 100, 0.03)
    trust = 100 / (100 + WORTH)
    weight = trust / (spread + noise)
    again = ((weight * found * prior).sum() + 4) / ((weight * prior**2).sum() + 4)
    seen = (weight**2 * ((found - multiple * prior) ** 2 - noise)).sum() / (weight**2).sum()
    assert multiple == pytest.approx(again, abs=1e-8)
    assert spread == pytest.approx(max(trust * seen + (1 - trust) * 0.03, SMALLEST), abs=1e-8)
    assert 0.6 < multiple < 1.0


def test_gold_that_fits_exactly_leaves_the_smallest_spread() -> None:
    prior = np.linspace(0.1, 0.6, 20)
    multiple, spread = _fit(prior, prior, np.full(20, 0.5), 10_000, 0.03)
    assert spread == SMALLEST
    assert multiple == pytest.approx(1)


def test_without_gold_on_any_feature_nothing_changes() -> None:
    assert _fit(np.zeros(3), np.ones(3), np.full(3, np.inf), 10, 0.03) == (1.0, 0.03)
    votes = sample(500)
    values = votes.values.copy()
    values[:10] = -1
    silent = Votes(values, votes.sources, votes.coding, gold=votes.gold)
    solution = solved(silent)
    found = blend(solution, points(silent, 10), 0.03)
    np.testing.assert_allclose(found.x, np.clip(solution.x, -0.98, 0.98))
    assert (found.gold_weight == 0).all()


def test_a_perfect_record_on_gold_is_not_believed_to_be_perfect() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 3_000, symmetric_conditionals([0.999] * 6), [0.5, 0.5])
    found = blend(solved(votes), points(votes, 500), 0.03)
    assert np.abs(found.x).max() == 0.98
