from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from simulate import draw_votes, symmetric_conditionals

from carob.paper.confusion import LEFT_OVER, Solved, assignment, confusion, drawn_to_symmetric, output_shares
from carob.paper.views import ViewCounts, Views
from carob.votes import Votes


def sample(n: int = 4_000, m: int = 5, seed: int = 0) -> Votes:
    tables = symmetric_conditionals(np.linspace(0.6, 0.85, m), 3, 0.1)
    return draw_votes(np.random.default_rng(seed), n, tables, [0.2, 0.3, 0.5])


def solved(votes: Votes) -> tuple[Solved, ViewCounts]:
    views = Views(tuple((i,) for i in range(5)), np.array([[0, 1, 2], [1, 3, 4], [0, 2, 4]]))
    counts = ViewCounts.of(votes, views)
    n, triples, pairs = counts.weighted()
    return Solved.of(n, triples, pairs, views.triples, views.apart([(i,) for i in range(5)])), counts


def test_oracle_tables_of_a_source_from_a_view_by_least_squares() -> None:
    """Of one view and one source at a time, with a general solver."""
    found, _ = solved(sample())
    first = found.solution[0, 0] @ found.by_view[found.places[0, 0], :, 3]  # of source 3, from the view of source 0
    # The view's own table, which the solution inverts: P(a) = sum_y p_y A_ay for all p.
    share = found.by_view[0].sum(axis=(1, 2)) / 5
    inverse = found.solution[0, 0] * np.sqrt(share)
    A = np.linalg.pinv(inverse) / np.sqrt(share)[:, None] ** -1  # A diag(p), but for the size of its columns
    joint = found.by_view[0, :, 3]
    plain = np.linalg.lstsq(A / np.sqrt(share)[:, None], joint / np.sqrt(share)[:, None], rcond=None)[0]
    np.testing.assert_allclose(plain, first, atol=1e-9)
    np.testing.assert_allclose(first.sum(axis=1), 1, atol=1e-9)


def test_a_view_says_nothing_of_its_own_source() -> None:
    found, _ = solved(sample())
    found = found.named()
    every = [
        found.solution[t, k] @ found.by_view[found.places[t, k], :, 0]
        for t in range(3)
        for k in range(3)
        if found.places[t, k] != 0
    ]
    assert len(every) == 7
    np.testing.assert_allclose(found.tables("median")[0], np.median(np.clip(every, 0, 1), axis=0))
    np.testing.assert_allclose(found.tables("mean")[0], np.mean(np.clip(every, 0, 1), axis=0))
    one = found.tables("random", np.random.default_rng(0))[0]
    assert any(np.allclose(one, np.clip(table, 0, 1)) for table in every)
    np.testing.assert_allclose(found.balance("mean"), found.weights.mean(axis=0))


def test_a_source_without_any_view_is_told_by_nobody() -> None:
    found, _ = solved(sample())
    nobody = Solved(found.by_view, found.places, np.zeros_like(found.apart), found.solution, found.weights)
    np.testing.assert_allclose(nobody.tables("median"), 1 / 4)
    assert np.isinf(nobody.noise(1_000, np.full(3, 1 / 3))).all()


def test_names_and_likeness_undo_any_order_of_parts() -> None:
    found, _ = solved(sample())
    named = found.named()
    reference = named.tables("median")
    rng = np.random.default_rng(0)
    for _ in range(5):
        order = np.stack([rng.permutation(3) for _ in range(3)])
        mixed = Solved(
            found.by_view,
            found.places,
            found.apart,
            np.take_along_axis(found.solution, order[:, None, :, None], axis=2),
            np.take_along_axis(found.weights, order, axis=1),
        )
        np.testing.assert_allclose(mixed.named().solution, named.solution)
        np.testing.assert_allclose(mixed.like(reference).solution, named.like(reference).solution)


def test_recovery_the_noise_of_a_single_view_is_that_over_many_samples() -> None:
    """Within a third: the view's own table is estimated too, and its part of the noise is left out."""
    tables, told = [], []
    for seed in range(60):
        found, counts = solved(sample(3_000, seed=seed))
        found = found.named()
        view = found.places[1, 1]
        tables.append(found.solution[1, 1] @ found.by_view[view, :, 0])
        one = Solved(found.by_view, found.places[1:2], found.apart, found.solution[1:2], found.weights[1:2])
        one.apart[:] = False
        one.apart[view, 0] = True
        told.append(one.noise(3_000, found.weights[1])[0])
        shares = output_shares(found.by_view)[0]
    seen = (np.array(tables).var(axis=0) / shares * np.array([0.2, 0.3, 0.5])[:, None]).sum()
    assert 0.66 < np.mean(told) / seen < 1.5
    assert counts.n.sum() == 3_000


def test_noisy_tables_are_drawn_to_one_accuracy_and_clear_ones_are_not() -> None:
    rng = np.random.default_rng(0)
    balance = np.array([0.2, 0.3, 0.5])
    tables = rng.dirichlet(np.array([1.0, 4, 3, 2]), (6, 3))
    shares = np.einsum("y,iyu->iu", balance, tables)
    clear = drawn_to_symmetric(tables, balance, shares, np.full(6, 1e-9), 1e9)
    np.testing.assert_allclose(clear, tables, atol=1e-5)
    dim = drawn_to_symmetric(tables, balance, shares, np.full(6, 1e6), 100)
    for table in dim:
        right = np.diagonal(table[:, 1:])
        np.testing.assert_allclose(right, right[0])
        np.testing.assert_allclose(table[:, 0], table[0, 0])
    nobody = drawn_to_symmetric(tables, balance, shares, np.array([np.inf, *np.full(5, 1e-9)]), 1e9)
    np.testing.assert_allclose(nobody[0, :, 0], nobody[0, 0, 0])
    np.testing.assert_allclose(nobody[1:], tables[1:], atol=1e-5)
    assert 0 < LEFT_OVER < 1


def test_recovery_drawing_tables_in_makes_them_better() -> None:
    tables = symmetric_conditionals(np.linspace(0.6, 0.85, 5), 3, 0.1)
    raw, drawn = [], []
    for seed in range(8):
        _, counts = solved(sample(600, seed=seed))
        found = confusion(*counts.weighted(), counts.views.triples, counts.views.apart([(i,) for i in range(5)]))
        raw.append(((found.reference - tables) ** 2).mean())
        drawn.append(((found.tables - tables) ** 2).mean())
    assert np.mean(drawn) < 0.8 * np.mean(raw)


def test_other_points_keep_the_order_of_classes_and_the_noise() -> None:
    _, counts = solved(sample())
    apart = counts.views.apart([(i,) for i in range(5)])
    found = confusion(*counts.weighted(), counts.views.triples, apart)
    again = confusion(*counts.weighted(), counts.views.triples, apart, before=found)
    np.testing.assert_allclose(again.tables, found.tables)
    given = confusion(*counts.weighted(), counts.views.triples, apart, class_balance=np.array([0.2, 0.3, 0.5]))
    np.testing.assert_allclose(given.class_balance, [0.2, 0.3, 0.5])


@pytest.mark.parametrize("K", [1, 2, 3, 5, 6])
def test_oracle_all_assignments(K: int) -> None:
    rng = np.random.default_rng(K)
    for _ in range(30):
        for score in (rng.normal(size=(K, K)), rng.integers(0, 3, (K, K)).astype(float)):
            found = assignment(score)
            assert sorted(found.tolist()) == list(range(K))
            best = max(sum(score[i, j] for i, j in enumerate(order)) for order in permutations(range(K)))
            assert score[np.arange(K), found].sum() == pytest.approx(best)


def test_large_scores_with_many_equals() -> None:
    assert sorted(assignment(np.zeros((40, 40))).tolist()) == list(range(40))
    shifted = np.roll(np.eye(40), 7, axis=1) + 5
    assert assignment(shifted).tolist() == [(i + 7) % 40 for i in range(40)]
