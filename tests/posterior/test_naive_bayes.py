from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate import make_votes, names

from carob import InputError, SourceModel, Votes
from carob.paper import posterior


def random_model(rng: np.random.Generator, m: int, K: int) -> SourceModel:
    conditionals = rng.dirichlet(np.ones(K + 1), (m, K))
    return SourceModel.independent(names(m), tuple(range(K)), rng.dirichlet(np.ones(K)), conditionals)


def naive_posterior(votes: Votes, model: SourceModel) -> npt.NDArray[np.float64]:
    """Products of probabilities, one point and one source at a time."""
    result = []
    for row in votes.values.tolist():
        weights = []
        for y in range(len(model.classes)):
            weight = model.class_balance[y]
            for group, table in zip(model.groups, model.tables, strict=True):
                weight *= table[(y, *(row[i] + 1 for i in group))]
            weights.append(weight)
        silent = all(vote < 0 for vote in row)
        result.append(model.class_balance if silent else np.array(weights) / sum(weights))
    return np.array(result)


@given(st.integers(0, 10**6), st.integers(1, 17), st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_oracle_products_of_probabilities(seed: int, m: int, K: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng, m, K)
    votes = make_votes(rng.integers(-1, K, (50, m)), K)
    np.testing.assert_allclose(posterior(votes, model), naive_posterior(votes, model), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("K", [2, 3])
def test_oracle_with_dependent_groups(K: int) -> None:
    rng = np.random.default_rng(0)
    groups = ((4,), (0, 2), (1, 3, 6), (5,))
    tables = tuple(
        rng.dirichlet(np.ones((K + 1) ** len(group)), K).reshape(K, *[K + 1] * len(group)) for group in groups
    )
    model = SourceModel(names(7), tuple(range(K)), np.full(K, 1 / K), groups, tables)
    votes = make_votes(rng.integers(-1, K, (200, 7)), K)
    np.testing.assert_allclose(posterior(votes, model), naive_posterior(votes, model), rtol=1e-9, atol=1e-12)


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_invariant_flipping_all_classes_flips_all_probabilities(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng, 9, 2)
    values = rng.integers(-1, 2, (300, 9))
    flipped = SourceModel.independent(
        model.sources, (0, 1), model.class_balance[::-1], model.conditionals[:, ::-1][:, :, [0, 2, 1]]
    )
    one = posterior(make_votes(values), model)
    two = posterior(make_votes(np.where(values < 0, -1, 1 - values)), flipped)
    assert np.array_equal(one, two[:, ::-1])


def test_invariant_batches_and_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    import carob._kernels.threads

    rng = np.random.default_rng(0)
    model = random_model(rng, 11, 2)
    votes = make_votes(rng.integers(-1, 2, (150_001, 11)))
    whole = posterior(votes, model)
    parts = [posterior(votes.take(slice(a, a + 7_919)), model) for a in range(0, len(votes), 7_919)]
    assert np.array_equal(np.concatenate(parts), whole)
    monkeypatch.setattr(carob._kernels.threads, "THREADS", 1)
    assert np.array_equal(posterior(votes, model), whole)


def test_a_point_without_votes_gets_the_class_balance() -> None:
    conditionals = np.tile([[0.6, 0.1, 0.3], [0.2, 0.1, 0.7]], (4, 1, 1))
    model = SourceModel.independent(names(4), (0, 1), np.array([0.3, 0.7]), conditionals)
    np.testing.assert_allclose(posterior(make_votes([[-1] * 4]), model), [[0.3, 0.7]])


def test_an_output_that_was_never_seen_says_nothing() -> None:
    model = SourceModel.independent(
        names(2), (0, 1), np.array([0.5, 0.5]), np.array([[[0, 0.8, 0.2], [0, 0.2, 0.8]]] * 2)
    )
    np.testing.assert_allclose(posterior(make_votes([[-1, 1]]), model), [[0.2, 0.8]])


def test_a_thousand_sure_sources_do_not_overflow() -> None:
    m = 1000
    conditionals = np.tile([[0, 1 - 1e-6, 1e-6], [0, 1e-6, 1 - 1e-6]], (m, 1, 1))
    model = SourceModel.independent(names(m), (0, 1), np.array([0.5, 0.5]), conditionals)
    values = np.vstack([np.ones(m), np.zeros(m), np.arange(m) % 2])
    expected = np.array([[0, 1], [1, 0], [0.5, 0.5]])
    np.testing.assert_allclose(posterior(make_votes(values), model), expected, atol=1e-9)


def test_paper_form_divides_by_the_empirical_share() -> None:
    rng = np.random.default_rng(0)
    model = random_model(rng, 3, 2)
    votes = make_votes(rng.integers(0, 2, (40, 3)))
    found = posterior(votes, model, denominator="empirical")
    for row, result in zip(votes.values.tolist(), found, strict=True):
        share = (votes.values == row).all(axis=1).mean()
        for y in (0, 1):
            top = model.class_balance[y] * np.prod([model.conditionals[i, y, v + 1] for i, v in enumerate(row)])
            assert result[y] == pytest.approx(top / share)


def test_refusals() -> None:
    model = random_model(np.random.default_rng(0), 3, 2)
    with pytest.raises(InputError, match="same sources"):
        posterior(make_votes([[0, 1]]), model)
    with pytest.raises(InputError, match="denominator must be"):
        posterior(make_votes([[0, 1, 1]]), model, denominator="none")  # type: ignore[arg-type]


def test_a_thousand_sure_sources_of_three_classes_do_not_overflow() -> None:
    m = 1000
    table = np.full((3, 4), 1e-6 / 2)
    table[:, 0] = 0
    table[np.arange(3), np.arange(3) + 1] = 1 - 1e-6
    model = SourceModel.independent(names(m), (0, 1, 2), np.full(3, 1 / 3), [table] * m)
    found = posterior(make_votes(np.array([np.zeros(m), np.full(m, 2)]), 3), model)
    np.testing.assert_allclose(found, [[1, 0, 0], [0, 0, 1]], atol=1e-12)


def test_votes_that_weigh_as_much_as_silence_are_no_silence() -> None:
    # The log-likelihood ratios of the two votes cancel those of being silent, so that the sums are the same.
    tables = [np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])] * 2
    model = SourceModel.independent(names(2), (0, 1), np.array([0.3, 0.7]), tables)
    silent, voted = posterior(make_votes([[-1, -1], [0, -1]]), model)
    np.testing.assert_allclose(silent, [0.3, 0.7])
    np.testing.assert_allclose(voted, [0.3, 0.7])
    both = posterior(make_votes([[0, 0]]), model)[0]
    np.testing.assert_allclose(both, [0.3 * 0.25, 0.7] / np.sum([0.3 * 0.25, 0.7]))


@pytest.mark.parametrize("K", [2, 3])
def test_invariant_few_points_get_the_bits_that_they_get_among_many(K: int) -> None:
    rng = np.random.default_rng(3)
    groups = ((4,), (0, 2), (1, 3), *((i,) for i in range(5, 25)))
    tables = tuple(
        rng.dirichlet(np.ones((K + 1) ** len(group)), K).reshape(K, *[K + 1] * len(group)) for group in groups
    )
    model = SourceModel(names(25), tuple(range(K)), rng.dirichlet(np.ones(K)), groups, tables)
    values = rng.integers(-1, K, (5_000, 25))
    values[7] = -1
    few = posterior(make_votes(values[:900], K), model)
    np.testing.assert_array_equal(few, posterior(make_votes(values, K), model)[:900])
    np.testing.assert_allclose(few[7], model.class_balance, rtol=1e-14)
