"""Parts of three-way tables, and what they come to: tables of sources that are right in the limit and at any size."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
import pytest
from simulate import draw_votes, make_votes

from carob import LabelModel
from carob.paper import tensors
from carob.paper.confusion import confusion
from carob.paper.settings import Aggregate
from carob.paper.tensor import Parts, clearness, on_simplex, orthogonal_parts, parts, whitening
from carob.votes import Votes

Floats = npt.NDArray[np.float64]
Exact = tuple[float, Floats, Floats, npt.NDArray[np.intp], npt.NDArray[np.bool_]]
AGGREGATES: tuple[Aggregate, ...] = ("median", "mean")


def some_tables(rng: np.random.Generator, m: int, K: int, abstain: float = 0.1) -> Floats:
    """Tables of sources that are right about 55 to 85 times in 100, each wrong in its own way, shape (m, K, K + 1)."""
    tables = np.empty((m, K, K + 1))
    for i in range(m):
        silent = np.clip(abstain * rng.uniform(0.5, 1.5, K), 0, 1)
        right = np.clip(rng.uniform(0.55, 0.85) + rng.normal(0, 0.05, K), 0.4, 0.95)
        for y in range(K):
            tables[i, y, 1:] = np.insert((1 - right[y]) * rng.dirichlet(np.full(K - 1, 3.0)), y, right[y])
            tables[i, y, 1:] *= 1 - silent[y]
            tables[i, y, 0] = silent[y]
    return tables


def one_sided_tables(rng: np.random.Generator, m: int, K: int) -> Floats:
    """Tables of sources that vote for one class each, or not at all."""
    tables = np.zeros((m, K, K + 1))
    for i in range(m):
        tables[i, :, 1 + i % K] = rng.uniform(0.01, 0.04)
        tables[i, i % K, 1 + i % K] = rng.uniform(0.4, 0.8)
        tables[i, :, 0] = 1 - tables[i, :, 1:].sum(axis=1)
    return tables


def exact(tables: Floats, balance: Floats, copies: dict[int, tuple[int, float]] | None = None) -> Exact:
    """Shares of all triples of sources, and of all pairs, as n, triples, pairs, places and apart.

    A source j of `copies` says what another says with a certain probability, and is by itself otherwise.
    """
    m, _, S = tables.shape
    one = tables.copy()
    for j, (i, share) in (copies or {}).items():
        one[j] = share * tables[i] + (1 - share) * tables[j]

    def joint(i: int, j: int) -> Floats:
        """P(x_i, x_j | y), shape (K, S, S)."""
        for a, b in ((i, j), (j, i)):
            if copies and copies.get(b, (-1, 0))[0] == a:
                share = copies[b][1]
                same = share * np.eye(S) * one[a][:, :, None] + (1 - share) * one[a][:, :, None] * tables[b][:, None]
                return same if a == i else same.swapaxes(1, 2)
        return one[i][:, :, None] * one[j][:, None]

    places = np.array(list(combinations(range(m), 3)))
    triples = []
    for i, j, k in places.tolist():
        # Of three sources at most two depend on each other: one is by itself.
        alone = next(a for a in (i, j, k) if not any(_tied(copies, a, b) for b in (i, j, k) if b != a))
        others = [a for a in (i, j, k) if a != alone]
        found = np.einsum("y,yab,yc->abc", balance, joint(*others), one[alone])
        order = [[*others, alone].index(a) for a in (i, j, k)]
        triples.append(found.transpose(order))
    pairs = np.zeros((m, m, S, S))
    for i in range(m):
        for j in range(m):
            pairs[i, j] = np.diag(balance @ one[i]) if i == j else np.einsum("y,yab->ab", balance, joint(i, j))
    return 1e12, np.array(triples), pairs, places, ~np.eye(m, dtype=bool)


def _tied(copies: dict[int, tuple[int, float]] | None, a: int, b: int) -> bool:
    return bool(copies) and ((copies or {}).get(a, (-1, 0))[0] == b or (copies or {}).get(b, (-1, 0))[0] == a)


def rms(found: Floats, truth: Floats) -> float:
    return float(np.sqrt(((found - truth) ** 2).mean()))


def counted(votes: Votes, shape: tuple[int, ...]) -> Floats:
    """Tables of one who knows the classes."""
    m, K, S = shape
    truth, values = votes.own_gold.values, votes.values
    return np.stack(
        [[np.bincount(values[truth == y, i] + 1, minlength=S) / (truth == y).sum() for y in range(K)] for i in range(m)]
    )


# Exact parts.


@pytest.mark.parametrize("K", [2, 3, 5, 10])
def test_known_answer_parts_of_an_exact_table(K: int) -> None:
    rng = np.random.default_rng(K)
    views, balance = some_tables(rng, 3, K), rng.dirichlet(np.full(K, 5.0))
    table = np.einsum("y,ya,yb,yc->abc", balance, *views)
    found = parts(table[None], K, 1e14)
    order = np.abs(found.views[0, 0][:, None, :] - views[0].T[:, :, None]).sum(axis=0).argmin(axis=1)
    np.testing.assert_allclose(found.weights[0][order], balance, atol=1e-6)
    for k in range(3):
        np.testing.assert_allclose(found.views[0, k][:, order].T, views[k], atol=1e-6)


def test_oracle_the_rotation_is_that_of_power_iteration() -> None:
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    sizes = np.array([3.0, 2.5, 2.0, 1.5])
    tensor = np.einsum("y,iy,jy,ky->ijk", sizes, Q, Q, Q)
    found, strength = orthogonal_parts(tensor[None])
    rest, by_power = tensor.copy(), []
    for _ in range(4):
        q = rng.normal(size=4)
        for _ in range(200):
            q = np.einsum("ijk,j,k->i", rest, q, q)
            q /= np.linalg.norm(q)
        size = np.einsum("ijk,i,j,k->", rest, q, q, q)
        by_power.append((size, q))
        rest -= size * np.einsum("i,j,k->ijk", q, q, q)
    for size, q in by_power:
        place = np.abs(strength[0] - size).argmin()
        assert strength[0][place] == pytest.approx(size)
        np.testing.assert_allclose(found[0][:, place], q, atol=1e-8)


def test_whitening_makes_orthonormal_columns() -> None:
    C = np.random.default_rng(1).normal(size=(2, 5, 5))
    whiten, color = whitening(C @ C.swapaxes(1, 2))
    turned = whiten @ C
    np.testing.assert_allclose(turned @ turned.swapaxes(1, 2), np.broadcast_to(np.eye(5), (2, 5, 5)), atol=1e-8)
    np.testing.assert_allclose(whiten @ color, np.broadcast_to(np.eye(5), (2, 5, 5)), atol=1e-8)


def test_clearness_grows_with_points_unless_two_classes_look_the_same() -> None:
    rng = np.random.default_rng(0)
    views, balance = some_tables(rng, 2, 4), np.full(4, 0.25)
    blurred = views.copy()
    blurred[0, 1] = blurred[0, 2]
    for tables, told in ((views, True), (blurred, False)):
        table = np.einsum("y,ya,yb->ab", balance, *tables)
        for n in (1_000, 100_000):
            drawn = rng.multinomial(n, table.ravel() / table.sum(), size=20).reshape(20, 5, 5) / n
            found = np.median(clearness(drawn, 4, n))
            assert found > 4 if told else found < 2
    assert clearness(np.full((1, 3, 3), 1 / 9), 4, 100).tolist() == [0]  # three outputs tell no four classes apart


def test_on_simplex_is_the_nearest_of_all_probabilities() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0.3, 0.5, (50, 4))
    found = on_simplex(values)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    others = rng.dirichlet(np.ones(4), 2_000)
    for value, near in zip(values, found, strict=True):
        assert ((value - near) ** 2).sum() <= ((value - others) ** 2).sum(axis=1).min() + 1e-12
    np.testing.assert_allclose(on_simplex(found), found, atol=1e-15)


# Exact tables of all sources, with and without dependent pairs.


@pytest.mark.parametrize("aggregate", ["median", "mean", "random"])
@pytest.mark.parametrize("K", [2, 3, 5])
def test_exact_moments_give_exact_tables(K: int, aggregate: Aggregate) -> None:
    rng = np.random.default_rng(K)
    tables, balance = some_tables(rng, 6, K), rng.dirichlet(np.full(K, 8.0))
    found = confusion(*exact(tables, balance), aggregate=aggregate, rng=rng)
    np.testing.assert_allclose(found.tables, tables, atol=1e-5)
    np.testing.assert_allclose(found.class_balance, balance, atol=1e-5)


@pytest.mark.parametrize("K", [2, 3, 5])
def test_with_three_dependent_pairs_the_median_is_right_in_the_limit_and_the_mean_is_not(K: int) -> None:
    """And the negative control: without dependent pairs both are right."""
    rng = np.random.default_rng(K)
    tables, balance = some_tables(rng, 12, K), rng.dirichlet(np.full(K, 8.0))
    copies = {1: (0, 0.4), 3: (2, 0.4), 5: (4, 0.4)}
    truth = tables.copy()
    for j, (i, share) in copies.items():
        truth[j] = share * tables[i] + (1 - share) * tables[j]
    errors = {}
    for name, given in (("pairs", exact(tables, balance, copies)), ("none", exact(truth, balance))):
        for aggregate in AGGREGATES:
            found = confusion(*given, aggregate=aggregate)
            errors[name, aggregate] = np.abs(found.tables - truth).max(), np.abs(found.class_balance - balance).max()
    assert max(errors["none", "median"]) < 1e-5
    assert max(errors["none", "mean"]) < 1e-5
    assert max(errors["pairs", "median"]) < 1e-5
    assert errors["pairs", "mean"][0] > 0.01
    assert errors["pairs", "mean"][1] > 0.001


def dependent_votes(seed: int, n: int, pairs: int) -> tuple[Votes, Floats]:
    rng = np.random.default_rng(seed)
    tables, balance = some_tables(np.random.default_rng(0), 12, 3), [0.3, 0.3, 0.4]
    votes = draw_votes(rng, n, tables, balance)
    values, truth = votes.values.copy(), tables.copy()
    for k in range(pairs):
        copied = rng.random(n) < 0.4
        values[copied, 2 * k + 1] = values[copied, 2 * k]
        truth[2 * k + 1] = 0.4 * tables[2 * k] + 0.6 * tables[2 * k + 1]
    return make_votes(values, 3, votes.own_gold.values), truth


@pytest.mark.slow
def test_recovery_with_dependent_pairs_the_median_gets_better_with_points_and_the_mean_stays_off() -> None:
    """Errors of the sources in pairs, against those without pairs at the same size, which are sampling noise."""
    error = {}
    for pairs in (0, 3):
        for n in (20_000, 320_000):
            for aggregate in AGGREGATES:
                found = []
                for seed in range(3):
                    votes, truth = dependent_votes(seed, n, pairs)
                    found.append(rms(tensors(votes, aggregate).conditionals[:6], truth[:6]))
                error[pairs, n, aggregate] = np.mean(found)
    assert error[3, 320_000, "median"] < 2 * error[0, 320_000, "median"]
    assert error[3, 320_000, "mean"] > 3 * error[0, 320_000, "mean"]
    assert error[3, 320_000, "median"] < error[3, 20_000, "median"] / 2.5
    assert error[3, 320_000, "mean"] > error[3, 20_000, "mean"] / 2
    assert error[0, 320_000, "mean"] < error[0, 20_000, "mean"] / 3  # the control


# Recovery.


@pytest.mark.parametrize(
    ("K", "m", "n", "abstain"),
    [
        (3, 6, 2_000, 0.0),
        (3, 12, 20_000, 0.3),
        (5, 6, 20_000, 0.1),
        (5, 12, 2_000, 0.1),
        (10, 12, 20_000, 0.1),
        pytest.param(10, 12, 2_000, 0.3, marks=pytest.mark.slow),
        pytest.param(3, 6, 200_000, 0.1, marks=pytest.mark.slow),
        pytest.param(10, 6, 200_000, 0.1, marks=pytest.mark.slow),
    ],
)
def test_recovery_accuracies_within_two_standard_errors(K: int, m: int, n: int, abstain: float) -> None:
    """Of the bootstrap; 95 % should be, and all tables hardly farther off than those of one who knows the classes."""
    rng = np.random.default_rng(K * m + n)
    tables, balance = some_tables(rng, m, K, abstain), rng.dirichlet(np.full(K, 20.0))
    within, ratios = [], []
    for _ in range(3 if n < 100_000 else 1):
        votes = draw_votes(rng, n, tables, balance)
        model = LabelModel(method="tensors", replicates=60).fit(votes)
        truth = (balance[:, None] * tables[:, :, 1:]).trace(axis1=1, axis2=2) / (balance @ (1 - tables[:, :, 0]).T)
        error = (model.source_table_.high - model.source_table_.low) / 2 / 1.645
        within.append(np.abs(model.source_table_.accuracy - truth) <= 2 * error)
        ratios.append(rms(model.source_model_.conditionals, tables) / rms(counted(votes, tables.shape), tables))
        low, high = model.class_balance_low_, model.class_balance_high_
        assert (np.abs(model.class_balance_ - balance) <= 2.5 * (high - low) / 2).all()
    assert np.mean(within) > 0.85
    assert np.mean(ratios) < 1.6


def test_recovery_one_sided_sources_of_many_classes_need_pools() -> None:
    rng = np.random.default_rng(0)
    tables, balance = one_sided_tables(rng, 30, 10), np.full(10, 0.1)
    votes = draw_votes(rng, 20_000, tables, balance)
    found = LabelModel(method="tensors", replicates=0).fit(votes)
    assert "pools of up to 10 sources" in found.explain()
    assert rms(found.source_model_.conditionals, tables) < 2 * rms(counted(votes, tables.shape), tables)
    np.testing.assert_allclose(found.class_balance_, balance, atol=0.01)


def test_recovery_of_a_rare_class() -> None:
    rng = np.random.default_rng(1)
    tables, balance = some_tables(rng, 8, 3), np.array([0.03, 0.37, 0.6])
    votes = draw_votes(rng, 30_000, tables, balance)
    found = tensors(votes)
    np.testing.assert_allclose(found.class_balance, balance, atol=0.01)
    for y in range(3):
        known = rms(counted(votes, tables.shape)[:, y], tables[:, y])
        assert rms(found.conditionals[:, y], tables[:, y]) < (2.5 if y == 0 else 1.5) * known


def test_errors_fall_as_one_over_the_root_of_the_points() -> None:
    tables, balance = some_tables(np.random.default_rng(3), 6, 3), np.array([0.3, 0.3, 0.4])
    error = {
        n: np.mean(
            [
                rms(tensors(draw_votes(np.random.default_rng(s), n, tables, balance)).conditionals, tables)
                for s in range(4)
            ]
        )
        for n in (2_000, 128_000)
    }
    assert math.sqrt(64) * 0.65 < error[2_000] / error[128_000] < math.sqrt(64) * 1.5


# Invariants.


def test_invariant_order_of_points() -> None:
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, 3_000, some_tables(rng, 6, 3), [0.3, 0.3, 0.4])
    one, two = tensors(votes), tensors(votes.take(rng.permutation(3_000)))
    np.testing.assert_allclose(one.conditionals, two.conditionals, rtol=1e-12)
    np.testing.assert_allclose(one.class_balance, two.class_balance, rtol=1e-12)


def test_invariant_order_of_sources_and_names_of_classes() -> None:
    rng = np.random.default_rng(1)
    votes = draw_votes(rng, 5_000, some_tables(rng, 6, 3), [0.3, 0.3, 0.4])
    found = tensors(votes)
    order = rng.permutation(6)
    turned = tensors(make_votes(votes.values[:, order], 3))
    np.testing.assert_allclose(turned.conditionals, found.conditionals[order], atol=1e-8)
    for classes in permutations(range(3)):
        names = np.array([*classes, -1], dtype=np.int8)  # class y is called classes[y]
        renamed = tensors(make_votes(names[votes.values], 3))
        np.testing.assert_allclose(renamed.class_balance[list(classes)], found.class_balance, atol=1e-8)
        expected = found.conditionals[:, :, [0, *(1 + np.argsort(classes))]][:, np.argsort(classes)]
        np.testing.assert_allclose(renamed.conditionals, expected, atol=1e-8)


def test_the_same_seed_gives_the_same_bits_and_parts_are_a_plain_result() -> None:
    rng = np.random.default_rng(2)
    votes = draw_votes(rng, 1_000, some_tables(rng, 30, 4), [0.25] * 4)
    one, two = tensors(votes, rng=7), tensors(votes, rng=7)
    assert np.array_equal(one.conditionals, two.conditionals)
    assert isinstance(parts(np.full((1, 3, 3, 3), 1 / 27), 2, 100), Parts)


@pytest.mark.parametrize("largest", [0.0, -1e-3])
def test_of_a_table_that_tells_nothing_whitening_is_finite(largest: float) -> None:
    for found in whitening(np.diag([largest, -0.5])[None]):
        assert np.isfinite(found).all()
