from __future__ import annotations

import itertools
from itertools import combinations

import numpy as np
import pytest
from simulate import (
    PAPER_ACCURACIES,
    contradicting_votes,
    draw_votes,
    exact_moments,
    make_votes,
    symmetric_conditionals,
)

from carob import InputError, Moments, NotIdentifiedError, Votes
from carob.paper import triplets
from carob.paper.aggregate import aggregate_triplets
from carob.paper.triplet_fit import widest_spread

A = 2 * PAPER_ACCURACIES - 1


def test_known_answer_median_on_the_papers_exact_moments() -> None:
    model = triplets(exact_moments(5), aggregate="median", class_balance=0.5, symmetric=True)
    np.testing.assert_allclose(2 * model.accuracy - 1, A, atol=1e-9)
    conditional = triplets(exact_moments(5), aggregate="median", class_balance=0.5, symmetric=False)
    np.testing.assert_allclose(2 * conditional.accuracy - 1, A, atol=1e-9)


def test_known_answer_mean_on_the_papers_exact_moments() -> None:
    model = triplets(exact_moments(5), aggregate="mean", class_balance=0.5, symmetric=True)
    assert np.abs(2 * model.accuracy - 1 - A).max() == pytest.approx(0.0612, abs=5e-5)


def test_negative_control_mean_is_right_without_dependencies_and_wrong_with() -> None:
    right = triplets(exact_moments(0), aggregate="mean", class_balance=0.5, symmetric=True)
    wrong = triplets(exact_moments(5), aggregate="mean", class_balance=0.5, symmetric=True)
    np.testing.assert_allclose(right.accuracy, PAPER_ACCURACIES, atol=1e-9)
    assert not np.allclose(wrong.accuracy, PAPER_ACCURACIES, atol=1e-3)


def test_known_pairs_repair_the_mean() -> None:
    pairs: list[tuple[str | int, str | int]] = [(0, 1), ("s2", "s3"), (4, 5), (6, 7), (8, 9)]
    model = triplets(exact_moments(5), aggregate="mean", class_balance=0.5, symmetric=True, known_pairs=pairs)
    np.testing.assert_allclose(model.accuracy, PAPER_ACCURACIES, atol=1e-9)


def test_random_takes_one_of_the_triplets_and_depends_on_the_seed_alone() -> None:
    moments = exact_moments(5)
    one, same, other = (triplets(moments, "random", symmetric=True, rng=seed).accuracy for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    b = 2 * moments.agree / moments.n - 1
    for i in range(10):
        found = [np.sqrt(b[i, j] * b[i, k] / b[j, k]) for j, k in itertools.combinations(set(range(10)) - {i}, 2)]
        assert np.abs(np.array(found) - (2 * one[i] - 1)).min() < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_recovery_class_conditional_with_abstains_and_one_sided_sources(seed: int) -> None:
    rng = np.random.default_rng(seed)
    conditionals = np.array(
        [
            [[0.1, 0.7, 0.2], [0.2, 0.2, 0.6]],
            [[0.0, 0.8, 0.2], [0.0, 0.4, 0.6]],  # always votes
            [[0.9, 0.0, 0.1], [0.4, 0.0, 0.6]],  # votes for class 1 only
            [[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]],  # votes for class 0 only
            [[0.3, 0.5, 0.2], [0.3, 0.1, 0.6]],
            [[0.0, 0.7, 0.3], [0.0, 0.1, 0.9]],
        ]
    )
    votes = draw_votes(rng, 400_000, conditionals, [0.6, 0.4])
    model = triplets(Moments.of(votes), class_balance=0.4)
    np.testing.assert_allclose(model.conditionals, conditionals, atol=0.012)


@pytest.mark.parametrize("K", [2, 3, 6])
def test_recovery_symmetric_with_abstains(K: int) -> None:
    accuracies = np.array([0.6, 0.6, 0.7, 0.8, 0.65, 0.75])
    conditionals = symmetric_conditionals(accuracies, K, 0.3)
    votes = draw_votes(np.random.default_rng(K), 200_000, conditionals, np.full(K, 1 / K))
    model = triplets(Moments.of(votes), symmetric=True)
    np.testing.assert_allclose(model.accuracy, accuracies, atol=0.01)


def test_invariant_order_of_sources() -> None:
    votes = draw_votes(np.random.default_rng(0), 2000, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    order = np.random.default_rng(1).permutation(10)
    turned = triplets(Moments.of(votes.select([f"s{i}" for i in order])))
    np.testing.assert_allclose(turned.accuracy, triplets(Moments.of(votes)).accuracy[order], rtol=1e-12)


def test_invariant_names_of_the_classes() -> None:
    votes = draw_votes(np.random.default_rng(0), 2000, symmetric_conditionals(PAPER_ACCURACIES), [0.7, 0.3])
    swapped = make_votes(1 - votes.values)
    a, b = triplets(Moments.of(votes), class_balance=0.3), triplets(Moments.of(swapped), class_balance=0.7)
    np.testing.assert_allclose(a.conditionals, b.conditionals[:, ::-1][:, :, [0, 2, 1]], atol=1e-12)


def varied(n: int = 200, m: int = 4, seed: int = 0) -> Votes:
    return draw_votes(np.random.default_rng(seed), n, symmetric_conditionals(np.full(m, 0.8)), [0.5, 0.5])


def test_no_usable_triplet_is_refused_by_name() -> None:
    # Sources 0 and 1 agree, 0 and 2 agree, 1 and 2 disagree: no accuracies explain that.
    b = np.array([[1, 0.5, 0.5], [0.5, 1, -0.5], [0.5, -0.5, 1]])
    x, usable = aggregate_triplets(b, ~np.eye(3, dtype=bool))
    assert usable.tolist() == [0, 0, 0]
    assert np.isnan(x).all()
    with pytest.raises(NotIdentifiedError, match="no triplet can be used for 's0', 's1', 's2'"):
        triplets(Moments.of(contradicting_votes()), symmetric=True)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"class_balance": 0}, "strictly between 0 and 1"),
        ({"class_balance": 1.0}, "strictly between 0 and 1"),
        ({"class_balance": float("nan")}, "strictly between 0 and 1"),
        ({"class_balance": [0.2, 0.3]}, "adds up to 0.5"),
        ({"class_balance": [0.2, 0.3, 0.5]}, "must hold 2 probabilities"),
        ({"aggregate": "mode"}, "aggregate must be one of 'median', 'mean', 'random'"),
        ({"negative": "keep"}, "negative must be one of"),
        ({"signs": "guess"}, "signs must be one of"),
        ({"known_pairs": [("s0", "nobody")]}, "known_pairs names 'nobody'"),
        ({"known_pairs": [("s0", "s0")]}, "with itself"),
        ({"known_pairs": ["s0"]}, "pairs of sources"),
    ],
)
def test_refusal_of_options(options: dict[str, object], text: str) -> None:
    with pytest.raises(InputError, match=text):
        triplets(Moments.of(varied()), **options)  # type: ignore[arg-type]


def test_class_conditional_triplets_of_three_classes_are_refused() -> None:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals([0.7] * 4, 3), [1 / 3] * 3)
    with pytest.raises(InputError, match="for two classes; there are 3"):
        triplets(Moments.of(votes), symmetric=False)
    with pytest.raises(TypeError, match="class_balance is a number"):
        triplets(Moments.of(votes), class_balance="even")
    with pytest.raises(TypeError, match="class_balance is a number"):
        triplets(Moments.of(votes), class_balance=10**400)


def test_oracle_every_triplet_by_itself() -> None:
    votes = draw_votes(np.random.default_rng(1), 4_000, symmetric_conditionals([0.9, 0.8, 0.7, 0.75, 0.65]), [0.5, 0.5])
    found = widest_spread(Moments.of(votes))
    assert found is not None
    i = votes.sources.index(found.source)
    signs = 2.0 * votes.values - 1
    b = signs.T @ signs / len(signs)
    others = [k for k in range(5) if k != i]
    slow = [(1 + np.sqrt(b[i, j] * b[i, k] / b[j, k])) / 2 for j, k in combinations(others, 2)]
    assert found.accuracies == pytest.approx(np.sort(np.minimum(slow, 1)))
    assert found.negative == 0
    assert found.median == pytest.approx(np.median(slow))


def test_a_copy_widens_the_spread_and_a_known_pair_narrows_it() -> None:
    votes = draw_votes(np.random.default_rng(2), 4_000, symmetric_conditionals([0.7] * 6), [0.5, 0.5])
    values = votes.values.copy()
    copied = np.random.default_rng(3).random(len(votes)) < 0.8
    values[copied, 1] = values[copied, 0]
    moments = Moments.of(type(votes)(values, votes.sources, votes.coding))
    wide, narrow = widest_spread(moments), widest_spread(moments, ((0, 1),))
    assert wide is not None
    assert narrow is not None
    assert wide.source in ("s0", "s1")
    assert wide.width > 2 * narrow.width


def test_three_sources_have_one_triplet_each_which_is_no_spread() -> None:
    votes = draw_votes(np.random.default_rng(2), 500, symmetric_conditionals([0.7] * 3), [0.5, 0.5])
    assert widest_spread(Moments.of(votes)) is None
