from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from carob._kernels import threads
from carob._kernels.counting import (
    LEFT_OUT,
    SCORES,
    VOTES,
    add_entry_pairs,
    add_joint,
    add_summary,
    add_tally,
    add_weights,
    pair_counts,
    pool_votes,
    row_hashes,
)
from carob._kernels.evidence import add_tables, two_class_probabilities
from carob._kernels.loops import joint_rotation, look_up
from carob.votes.counts import block_of, mixed


def test_oracle_pairs_of_any_features_of_any_points() -> None:
    rng = np.random.default_rng(0)
    columns = np.ascontiguousarray(rng.integers(-1, 5, (4, 9_000)).astype(np.int8))
    source = np.array([0, 0, 1, 3, 3, 3])
    value = np.array([-1, 2, 0, -1, 3, 4], dtype=np.int8)
    for low, high in ((0, 9_000), (13, 4_200), (4_096, 4_097), (5, 5)):
        given = (columns[source, low:high] == value[:, None]).astype(np.int64)
        expected = np.triu(given @ given.T)
        np.testing.assert_array_equal(pair_counts(columns, source, value, low, high), expected)


def test_oracle_pairs_of_entries() -> None:
    rng = np.random.default_rng(1)
    given = rng.random((40, 7)) < 0.3
    point, feature = np.nonzero(given)
    start = np.concatenate([[0], np.cumsum(given.sum(axis=1))]).astype(np.int64)
    points = np.array([3, 4, 17, 39])
    counts = np.zeros((7, 7), dtype=np.int64)
    add_entry_pairs(start, feature.astype(np.int64), points, counts)
    some = given[points].astype(np.int64)
    np.testing.assert_array_equal(counts, np.triu(some.T @ some))
    assert len(point) == start[-1]


def test_oracle_tables_of_sources_with_different_numbers_of_outputs() -> None:
    rng = np.random.default_rng(2)
    sizes = np.array([3, 5, 2], dtype=np.uint16)
    columns = np.stack([rng.integers(-1, size - 1, 500) for size in sizes]).astype(np.int8)
    groups = np.array([[2, 0], [1, -1]])
    tables = rng.random((2, 6))
    total = np.full(300, 0.25)
    add_tables(columns, 100, 400, groups, sizes, tables, total)
    given = columns[:, 100:400].astype(np.int64) + 1
    expected = 0.25 + tables[0, given[2] * 3 + given[0]] + tables[1, given[1]]
    np.testing.assert_allclose(total, expected)


def test_probabilities_of_two_classes_mirror_each_other() -> None:
    odds = np.array([-3.0, 0.0, 0.5, 700.0])
    out, turned = np.empty((4, 2)), np.empty((4, 2))
    small = np.exp(-np.abs(odds))
    two_class_probabilities(odds, small, out)
    two_class_probabilities(-odds, small, turned)
    np.testing.assert_allclose(out[:, 1], 1 / (1 + np.exp(-odds)))
    np.testing.assert_array_equal(out[[0, 2, 3]], turned[[0, 2, 3]][:, ::-1])


@pytest.mark.parametrize("number", [1, 3])
def test_threads_keep_the_order_of_work(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "THREADS", number)
    assert threads.in_threads(lambda i: i * i, 7) == [0, 1, 4, 9, 16, 25, 36]
    assert threads.in_threads(lambda i: i, 1) == [0]
    assert threads.in_threads(lambda i: threads.in_threads(lambda j: i + j, 3), 20)[19] == [19, 20, 21]
    assert list(threads.while_waiting(lambda i: i * i, range(50))) == [i * i for i in range(50)]


def test_few_items_are_read_ahead_and_none_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "THREADS", 2)
    read = []

    def items() -> Iterator[int]:
        for i in range(100):
            read.append(i)
            yield i

    def work(i: int) -> int:
        if i == 10:
            raise ValueError("ten")
        return i

    results = threads.while_waiting(work, items())
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    assert len(read) < 10
    with pytest.raises(ValueError, match="ten"):
        list(results)
    assert len(read) < 20


def test_spans_cover_everything_once() -> None:
    for n, parts, multiple in ((0, 3, 1), (1, 3, 64), (1_000, 3, 64), (129, 2, 64), (7, 7, 1)):
        found = threads.spans(n, parts, multiple)
        assert [i for low, high in found for i in range(low, high)] == list(range(n))
        assert len(found) <= parts
        assert all(low % multiple == 0 for low, _ in found)


@pytest.mark.parametrize("m", [1, 3, 7, 70_000])  # more sources than two bytes can count
def test_oracle_compiled_counts_of_votes(m: int) -> None:
    rng = np.random.default_rng(m)
    n, K = (50, 3) if m > 1_000 else (9_000, 2 if m == 7 else 3)
    columns = rng.integers(-1, K, (m, n)).astype(np.int8)
    if m > 1_000:
        columns[:, 0] = 2
    low, high = 7, n - 5
    tally = np.zeros((high - low, K), dtype=np.int64)
    add_tally(columns, low, high, tally)
    assert (tally == np.stack([(columns[:, low:high] == y).sum(axis=0) for y in range(K)], axis=1)).all()
    columns = columns[:7]
    weights, total = rng.random((K, n)), np.zeros((len(columns), K + 1, K))
    add_weights(columns, weights, total)
    expected = [[[weights[y, column == u - 1].sum() for y in range(K)] for u in range(K + 1)] for column in columns]
    np.testing.assert_allclose(total, expected, rtol=1e-12)


@pytest.mark.parametrize("values", [1, 3, 8, 9, 200])
def test_oracle_bytes(values: int) -> None:
    octets = np.random.default_rng(0).integers(0, values, 9_999).astype(np.uint8)
    octets[5_000], octets[9_998] = 201, 255  # new in the second and in the last chunk
    table = np.arange(256).astype(np.int8)[::-1].copy()
    out = np.empty(len(octets), dtype=np.int8)
    seen = look_up(octets, table, out)
    assert (out == table[octets]).all()
    assert np.flatnonzero(seen).tolist() == np.unique(octets).tolist()


@pytest.mark.parametrize(
    "codes", [{255: -1, 0: 0, 1: 1}, {255: -2, 0: -1, 1: 0}, {255: -1, 0: 1, 1: 0}, {255: 0, 1: 1}]
)
@pytest.mark.parametrize("late", [None, 2, 254, 128])
def test_oracle_bytes_that_follow_each_other(codes: dict[int, int], late: int | None) -> None:
    octets = np.random.default_rng(3).choice(np.array([*codes], dtype=np.uint8), 12_345)
    table = np.full(256, 77, dtype=np.int8)
    table[[*codes]] = [*codes.values()]
    if late is not None:
        octets[10_000] = late
    out = np.empty(len(octets), dtype=np.int8)
    seen = look_up(octets, table, out)
    assert (out == table[octets]).all()
    assert np.flatnonzero(seen).tolist() == np.unique(octets).tolist()


def test_oracle_hashes() -> None:
    rows, hashes = np.array([0, 5, 1 << 40, (1 << 62) + 3]), np.empty(4, dtype=np.uint16)
    row_hashes(rows, hashes)
    assert hashes.tolist() == block_of(rows, 1 << 16).tolist()


@pytest.mark.parametrize("K", [2, 7, 8, 127])
def test_oracle_summary(K: int) -> None:
    rng, m, n, first_row = np.random.default_rng(K), 5, 9_300, 1 << 40
    columns = rng.integers(-1, K, (m, n)).astype(np.int8)
    columns[:, rng.random(n) < 0.3] = -1
    role = np.array([VOTES, VOTES, SCORES, LEFT_OUT, VOTES], dtype=np.uint8)
    low, high = 7, n - 5
    cast, prints = np.zeros((m, 3, K + 1), dtype=np.int64), np.zeros(m, dtype=np.uint64)
    none = np.zeros(1, dtype=np.int64)
    add_summary(columns, low, high, first_row, role, cast, prints, none)

    given = columns[:, low:high]
    votes = given[role == VOTES]
    tally = np.stack([(votes == y).sum(axis=0) for y in range(K)])
    kind = (tally.sum(axis=0) >= 2).astype(int) + ((tally > 0).sum(axis=0) >= 2)
    said = given.astype(int) + 1
    expected = [[np.bincount(s[kind == k], minlength=K + 1) for k in range(3)] for s in said]
    assert (cast == expected).all()
    hashes = mixed(np.arange(low, high) + first_row)
    assert (prints == [(hashes * s.astype(np.uint64)).sum(dtype=np.uint64) for s in said]).all()
    assert none[0] == (given[role != LEFT_OUT] < 0).all(axis=0).sum()


def test_oracle_joint_outputs_of_rows() -> None:
    rng = np.random.default_rng(3)
    said, block = rng.integers(0, 4, (5, 700)).astype(np.int8), rng.integers(0, 3, 700).astype(np.uint8)
    for rows in ([2], [4, 0], [1, 3, 2]):
        counts = np.ones((3, 4 ** len(rows)), dtype=np.int64)
        add_joint(said, block, 4, np.array(rows), counts)
        expected = np.ones_like(counts)
        for t in range(700):
            expected[block[t], int("".join(str(said[row, t]) for row in rows), 4)] += 1
        np.testing.assert_array_equal(counts, expected)


def test_known_answer_what_a_pool_says() -> None:
    columns = np.array([[-1, 2, 0, 1, -1, 0], [-1, 2, 1, 1, 0, 2], [-1, 1, 1, 0, 2, 1]], dtype=np.int8)
    said = np.empty(6, dtype=np.int8)
    for pool, expected in (([0, 1, 2], [0, 3, 2, 2, 1, 1]), ([2, 1, 0], [0, 3, 2, 2, 3, 2]), ([0], [0, 3, 1, 2, 0, 1])):
        pool_votes(columns, np.array(pool), 3, said)
        assert said.tolist() == expected


def test_one_rotation_makes_all_matrices_diagonal() -> None:
    rng = np.random.default_rng(4)
    for K in (1, 2, 3, 7):
        axes, _ = np.linalg.qr(rng.normal(size=(2, K, K)))
        sizes = rng.normal(size=(2, 4, K))
        matrices = np.einsum("tiy,tsy,tjy->tsij", axes, sizes, axes)
        rotation = np.broadcast_to(np.eye(K), (2, K, K)).copy()
        given = matrices.copy()
        joint_rotation(matrices, rotation, 50, 1e-9)
        np.testing.assert_allclose(
            rotation @ rotation.swapaxes(1, 2), np.broadcast_to(np.eye(K), (2, K, K)), atol=1e-12
        )
        np.testing.assert_allclose(rotation.swapaxes(1, 2)[:, None] @ given @ rotation[:, None], matrices, atol=1e-12)
        np.testing.assert_allclose(matrices * (1 - np.eye(K)), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("columns", "total", "refused"),
    [
        (np.zeros((2, 9), dtype=np.int16), np.zeros((3, 2)), KeyError),
        (np.zeros((2, 9), dtype=np.uint8), np.zeros((3, 2)), TypeError),
        (np.zeros((9, 2), dtype=np.int8).T, np.zeros((3, 2)), ValueError),
        (np.zeros((2, 9), dtype=np.int8), np.broadcast_to(0.0, (3, 2)), ValueError),
    ],
    ids=["no such type", "another type", "column by column", "read-only"],
)
def test_arrays_that_a_loop_would_misread_are_refused(
    columns: np.ndarray, total: np.ndarray, refused: type[Exception]
) -> None:
    with pytest.raises(refused):
        add_weights(columns, np.ones((2, 9)), total)
