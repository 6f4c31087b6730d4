from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes

from karat import expected_loss
from karat.datasets import paper_model
from karat.estimate.count import count
from karat.estimate.settings import Settings
from karat.estimate.structure import DependentPair
from karat.estimate.votes_fit import fit_votes
from karat.value.jackknife import Estimate
from karat.value.judge import BLOCKS, VIEW_WORTH, VIEW_WORTH_DEPENDENT, Judge, appoint
from karat.value.population import Population
from karat.value.risks import measure_risks
from karat.value.steps import Steps
from karat.votes import GoldPoints


def even_judge(n: int, dependent: float = 0.0) -> tuple[Judge, np.ndarray]:
    """A judge whose view is that both classes are as probable on every row, which gold does not change."""
    rng = np.random.default_rng(0)
    votes = make_votes(rng.integers(0, 2, (n, 3)))
    truth = rng.integers(0, 2, n).astype(np.int8)
    population = Population(votes, np.full(n, 1 / n), np.full((n, 2), 0.5))
    gold = GoldPoints(votes, truth, np.arange(n))
    blocks = tuple(np.array_split(np.arange(n), n))
    return Judge(population, np.full((n, n, 2), 0.5), gold, blocks, dependent), rng.random((n, 2))


def test_oracle_error_of_an_observed_mean_is_that_of_textbooks() -> None:
    judge, losses = even_judge(400)
    seen = losses[np.arange(400), judge.gold.truth]
    found = judge.observed(seen)
    assert found.value == pytest.approx(seen.mean())
    assert found.error == pytest.approx(seen.std(ddof=1) / np.sqrt(400), rel=1e-3)
    assert judge.expected(losses).value == pytest.approx(losses.mean())
    assert judge.expected(losses).error == pytest.approx(0, abs=1e-12)
    near = judge.risk(losses, seen)
    weight = 400 / (400 + VIEW_WORTH)
    assert near.value == pytest.approx(weight * seen.mean() + (1 - weight) * losses.mean())


@pytest.mark.parametrize("dependent", [0.0, 0.25, 1.0])
def test_known_answer_errors_rest_on_gold_where_sources_depend(dependent: float) -> None:
    judge, _ = even_judge(100, dependent)
    observed, expected = Estimate(0.9, np.linspace(0.8, 1.0, 100)), Estimate(0.5, np.full(100, 0.5))
    found = judge.gold_correction(observed, expected)
    assert found.value == pytest.approx(0.4 * 100 / (100 + VIEW_WORTH))
    worth = (1 - dependent) * VIEW_WORTH + dependent * VIEW_WORTH_DEPENDENT
    np.testing.assert_allclose(found.without - found.value, (observed.without - 0.9) * 100 / (100 + worth))


def test_the_view_is_learned_without_each_block() -> None:
    votes = paper_model(0).sample(600, 0)
    settings = Settings(class_balance=0.5, symmetric=True)
    votes_fit = fit_votes(count(votes, settings), None, settings)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 100))
    pairs = [DependentPair("s0", "s1", 0.3, 9.0), DependentPair("s1", "s4", 0.2, 7.0)]
    seen: list[tuple[int, int]] = []
    judge = appoint(votes, gold, votes_fit, pairs, np.random.default_rng(0), Steps(BLOCKS, lambda *at: seen.append(at)))
    assert seen == [(k, BLOCKS) for k in range(1, BLOCKS + 1)]
    assert judge.dependent == pytest.approx(3 / 10)
    assert judge.n == 100
    assert sorted(np.concatenate(judge.blocks)) == list(range(100))
    assert sorted(judge.gold.rows) == list(range(100))
    assert not np.array_equal(judge.gold.rows, np.arange(100))
    assert judge.given_without.shape == (BLOCKS, *judge.population.given.shape)
    np.testing.assert_allclose(judge.population.given.sum(axis=1), 1)
    apart = np.abs(judge.given_without - judge.population.given).max(axis=(1, 2))
    assert (apart > 0).all()
    assert apart.max() < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("d", [0, 5])
def test_recovery_risks_from_gold_against_the_exact_ones(d: int) -> None:
    truth = paper_model(d)
    votes = truth.sample(4_000, 1)
    gold = GoldPoints.of(votes, votes.own_gold).take(slice(0, 1_000))
    risks = measure_risks(votes, gold, Settings(class_balance=0.5, symmetric=True))
    exact = expected_loss(truth, risks.votes_fit.solution.model).value
    assert abs(risks.median.risk.value - exact) < 4 * risks.median.risk.error
    # What both share cancels: the difference is known much better than either.
    gap = risks.median.risk - risks.labeled.at(200)
    assert gap.error < risks.median.risk.error / 2
