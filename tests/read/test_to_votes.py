from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from carob import Votes


def test_an_int8_array_in_columns_is_not_copied() -> None:
    values = np.asfortranarray(np.random.default_rng(0).integers(0, 2, (100, 4)), dtype=np.int8)
    assert np.shares_memory(Votes.from_array(values).values, values)


def test_sparse_matrices() -> None:
    scipy_sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[1, 0, -1], [0, 1, 1], [-1, -1, 0]])
    for kind in (scipy_sparse.csr_matrix, scipy_sparse.csc_matrix, scipy_sparse.coo_array):
        votes = Votes.from_array(kind(dense))
        assert votes.classes == (-1, 1)
        assert votes.values.tolist() == [[1, -1, 0], [-1, 1, 1], [0, 0, -1]]
    stored = scipy_sparse.coo_array(([0, 1, 1], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    assert Votes.from_array(stored).values.tolist() == [[0, 1], [1, -1]]


def test_sparse_matrices_are_what_scipy_says() -> None:
    rows = np.array([[1, 2, 0, 0], [0, 1, 0, 2], [2, 0, 1, 0], [1, 1, 2, 2]])
    expected = Votes.from_array(sparse.csr_matrix(rows)).values
    for made in (sparse.bsr_matrix(rows, blocksize=(2, 2)), sparse.coo_matrix(rows), sparse.csc_matrix(rows)):
        np.testing.assert_array_equal(Votes.from_array(made).values, expected)
    at = np.array([0, 0, 1, 2])
    doubled = sparse.coo_matrix((np.array([1, 1, 2, 1]), (at, at)), shape=(3, 3))
    assert Votes.from_array(doubled).values.tolist() == [[1, -1, -1], [-1, 1, -1], [-1, -1, 0]]
    assert len(doubled.data) == 4  # which is the user's
