from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate import triplet_fit

from carob import InputError, LabelModel, SourceModel, Votes
from carob.paper import Ising, average_decomposition, decompose, expected_loss, posterior
from carob.paper.datasets import paper_model
from carob.paper.theory.decomposition import learn
from carob.paper.theory.ising import accuracy_model, patterns


def cross_entropy(truth: Ising, model: SourceModel) -> float:
    """Expected loss from the posterior that carob gives each vote pattern."""
    votes = Votes(patterns(truth.m), model.sources, truth.sample(1, 0).coding)
    return float(-(truth.probabilities * np.log(posterior(votes, model))).sum())


def parts_by_definition(truth: Ising, model: SourceModel) -> dict[str, float]:
    """The parts of the decomposition from the joint table of votes and class, one pattern at a time."""
    joint, y_share = truth.probabilities, truth.probabilities.sum(axis=0)
    rows = patterns(truth.m).astype(int).tolist()
    single = np.array(  # P(l_i = v | y), by i, v and y
        [[joint[[row[i] == v for row in rows]].sum(axis=0) / y_share for v in (0, 1)] for i in range(truth.m)]
    )
    parts = dict.fromkeys(("irreducible", "inference_bias", "estimation", "class_balance", "marginal_fit"), 0.0)
    for row, p in zip(rows, joint, strict=True):
        alone = np.prod([single[i, v] for i, v in enumerate(row)], axis=0)
        guess = np.prod([model.conditionals[i, :, v + 1] for i, v in enumerate(row)], axis=0)
        parts["irreducible"] -= float(p @ np.log(p / p.sum()))
        parts["inference_bias"] += float(p @ np.log(p / y_share / alone))
        parts["estimation"] += float(p @ np.log(alone / guess))
        parts["class_balance"] += float(p @ np.log(y_share / model.class_balance))
        parts["marginal_fit"] += float(p.sum() * np.log(p.sum() / (guess @ model.class_balance)))
    return parts


@given(st.integers(0, 10**6), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_the_parts_add_up_to_the_exact_cross_entropy(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    edges = {(i, i + 1): rng.normal(0, 0.3) for i in range(m - 1) if rng.random() < 0.5}
    truth = Ising(rng.normal(0, 0.5), rng.normal(0.2, 0.5, m), edges)
    conditionals = np.zeros((m, 2, 3))
    conditionals[:, :, 1:] = rng.dirichlet([1, 1], (m, 2))
    conditionals = np.where(conditionals > 0, conditionals, 0)
    model = SourceModel.independent(tuple(f"s{i}" for i in range(m)), (-1, 1), rng.dirichlet([2, 2]), conditionals)
    parts = decompose(truth, model)
    assert parts.total == pytest.approx(cross_entropy(truth, model), abs=1e-10)
    for name, nats in parts_by_definition(truth, model).items():
        part = getattr(parts, name)
        assert (sum(part.values()) if isinstance(part, dict) else part) == pytest.approx(nats, abs=1e-10), name
    assert all(nats >= -1e-12 for nats in (*parts.estimation.values(), *parts.inference_bias.values()))


def test_known_answers() -> None:
    parts = decompose(paper_model(5))
    assert parts.irreducible == pytest.approx(0.361215, abs=5e-7)
    assert sum(parts.inference_bias.values()) == pytest.approx(0.124526, abs=5e-7)
    assert parts.marginal_fit == pytest.approx(0.116371, abs=5e-7)
    assert parts.excess == pytest.approx(0.008155, abs=5e-7)
    assert sum(parts.estimation.values()) == pytest.approx(0, abs=1e-12)
    assert set(parts.inference_bias) == {(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)}


def test_papers_form_tends_to_its_limit_and_is_infinite_while_a_pattern_is_unseen() -> None:
    truth = Ising.from_means([0.7, 0.6, 0.8], {(0, 1): 0.62})
    model = accuracy_model([0.3, 0.3, 0.5])
    limit = decompose(truth, model).paper_excess
    for n in (1_000, 10_000, 100_000):
        votes = truth.sample(n, 0)
        shares = [(votes.values == row).all(axis=1).mean() for row in patterns(3)]
        p = truth.probabilities.sum(axis=1)
        noise = float(p @ np.log(p / shares))
        assert decompose(truth, model, votes).paper_excess == pytest.approx(limit - noise, abs=1e-12)
        assert 1 < 2 * n * noise < 25  # chi-square with 7 degrees of freedom, .5 % on either side
    # The loss of the paper's posterior on every pattern, weighed by the truth.
    votes = truth.sample(5_000, 1)
    parts = decompose(truth, model, votes)
    values = posterior(votes, model, denominator="empirical")
    by_pattern = {tuple(row): value for row, value in zip(votes.values.tolist(), values, strict=True)}
    expected = -sum(
        truth.probabilities[k, y] * np.log(by_pattern[tuple(row)][y])
        for k, row in enumerate(patterns(3).tolist())
        for y in (0, 1)
    )
    assert parts.paper_total == pytest.approx(expected, abs=1e-10)
    assert decompose(truth, model, truth.sample(3, 0)).sampling_noise == float("inf")


def test_many_sources_by_the_grid() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.52, 0.6, 60)
    truth = Ising.from_means(p, {(0, 1): 0.6})
    model = accuracy_model(2 * p - 1 + rng.normal(0, 0.1, 60))
    parts = decompose(truth, model)
    votes = truth.sample(40_000, 1)
    assert votes.gold is not None
    own = Votes(votes.values, model.sources, votes.coding)
    losses = -np.log(posterior(own, model)[np.arange(len(votes)), votes.gold.values])
    assert parts.total == pytest.approx(losses.mean(), abs=4 * losses.std() / 200)
    assert parts.excess > 8 * losses.std() / 200  # so that leaving a part out would show
    # What is taken as the rest there is, of few sources, what listing all patterns gives.
    few, guess = Ising.from_means(p[:15], {(0, 1): 0.6}), accuracy_model(2 * p[:15] - 1.01)
    listed = decompose(few, guess)
    rest = few.inference_bias + sum(listed.estimation.values()) + few.conditional_entropy
    assert listed.marginal_fit == pytest.approx(rest - expected_loss(few, guess).value, abs=1e-12)


def test_votes_and_fitted_models_are_estimates_too() -> None:
    truth = paper_model(3)
    votes = truth.sample(5_000, 0)
    model = LabelModel(method="triplets", class_balance=0.5, replicates=0).fit(votes)
    by_model = decompose(truth, model, votes)
    by_votes = decompose(truth, votes)
    by_symmetric = decompose(truth, triplet_fit(votes, class_balance=0.5, symmetric=True, replicates=0).model, votes)
    assert by_votes == by_symmetric
    assert by_votes.sampling_noise == float("inf")  # 1,024 patterns, some of them unseen
    assert by_model.total == pytest.approx(cross_entropy(truth, model.source_model_), abs=1e-10)


def test_average_over_trials() -> None:
    truth = paper_model(5)
    found = average_decomposition(truth, "labeled", 1_000, 200, 0)
    # Theorem 2's leading term: m / (2 n).
    assert found.mean["estimation"] == pytest.approx(0.005, abs=4 * found.error["estimation"])
    trials = truth.sample_counts(1_000, np.random.default_rng(0), 200)
    losses = [cross_entropy(truth, accuracy_model(learn(counts, "labeled"))) for counts in trials]
    assert found.mean["total"] == pytest.approx(np.mean(losses), abs=1e-10)
    assert found.error["total"] == pytest.approx(np.std(losses, ddof=1) / np.sqrt(200), rel=1e-6)
    again = average_decomposition(truth, lambda counts, n: learn(counts, "labeled"), 1_000, 200, 0)
    assert again.mean == found.mean
    with pytest.raises(InputError, match="learner must be"):
        average_decomposition(truth, "magic", 100, 2)  # type: ignore[arg-type]


def test_gold_accuracies_stay_off_certainty() -> None:
    """Of 10 points, always right, always wrong and right on 7: 1 - 1/10, 1/10 and 7/10."""
    counts = np.zeros((8, 2))
    counts[0b101, 1] = 7  # the class is 1, and the sources say 1, 0, 1
    counts[0b100, 1] = 3
    np.testing.assert_allclose((1 + learn(counts, "labeled")) / 2, [0.9, 0.1, 0.7])


def test_refusals() -> None:
    truth = paper_model(0)
    with pytest.raises(InputError, match="has 3 sources and the truth has 10"):
        decompose(truth, accuracy_model([0.1, 0.2, 0.3]))
    with pytest.raises(InputError, match="without abstains"):
        decompose(truth, truth.source_model(), Ising.from_means([0.7, 0.6, 0.8]).sample(10, 0))
    votes = Ising.from_means([0.7, 0.6, 0.8]).sample(10, 0)
    values = votes.values.copy()
    values[3, 1] = -1
    with pytest.raises(InputError, match="without abstains"):
        decompose(
            Ising.from_means([0.7, 0.6, 0.8]),
            accuracy_model([0.4, 0.2, 0.6]),
            Votes(values, votes.sources, votes.coding),
        )
    grouped = SourceModel(("a", "b"), (-1, 1), np.array([0.5, 0.5]), ((0, 1),), (np.full((2, 3, 3), 1 / 9),))
    with pytest.raises(InputError, match="without dependent groups"):
        decompose(Ising.from_means([0.6, 0.7]), grouped)
    silent = SourceModel.independent(("a",), (-1, 1), np.array([0.5, 0.5]), np.array([[[0.5, 0, 0.5]] * 2]))
    with pytest.raises(InputError, match="probability zero"):
        decompose(Ising.from_means([0.6]), silent)
