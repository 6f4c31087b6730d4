r"""What three views of a hidden class tell of it: the parts of a three-way table.

Three views a, b, c that are independent given the class y, each of which says one of some outputs, have

    P(a, b) = sum_y p_y A_ay B_by        and        P(a, b, c) = sum_y p_y A_ay B_by C_cy,

with A_ay = P(a | y). Where no column of A is a mixture of the others, nor of B and C, the table has no other parts
(appendix B.1 of the paper, after Anandkumar and others, 2014). They are found in four steps.

Scale. Outputs are divided by the roots of their shares, which makes the noise of all cells alike; each view is then
brought down to the K directions in which it goes along with the others. From here on A, B, C are the columns scaled so,
times sqrt(p_y): K by K matrices with ab = A B', ac = A C', bc = B C'.

Whiten. ``ca ab'^-1 bc = C C'`` is seen, so is its root, and with W = (C C')^-1/2 the columns of Q = W C are
orthonormal; ``W cb ab^-1`` takes A to Q as well, and ``W ca ba^-1`` takes B there.

Diagonalise. All three views turned so, the table is ``sum_y p_y^-1/2 q_y (x) q_y (x) q_y``, whose slices are diagonal
in the axes q_y: the rotation that makes all K slices diagonal at once is Q. (Power iteration with
deflation has errors 4 to 8 % larger, eigenvectors of one mixture of slices 1.4 to 4 times as large: single triples of
sources that are right 55 to 85 times in 100, K = 3, 5, 10, 5,000 and 50,000 points.)

Back. C = W^-1 Q, A = ac C'^-1, B = bc C'^-1; columns add up to sqrt(p_y), and to 1 once divided by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from carob._kernels.loops import joint_rotation
from carob._types import Floats


@dataclass(frozen=True, eq=False)
class Scaled:
    """Three-way tables with outputs divided by the roots of their shares."""

    # shape (T, S): one over the root of the share of each output of the three views
    root: tuple[Floats, Floats, Floats]
    # ab, ac, bc: shape (T, S, S)
    ab: Floats
    ac: Floats
    bc: Floats
    abc: Floats  # shape (T, S, S, S)

    @classmethod
    def of(cls, tables: Floats, n: float) -> Scaled:
        """Of probabilities, shape (T, S, S, S), that were counted on n points: rare outputs are as if once more."""
        shares = (tables.sum(axis=(2, 3)), tables.sum(axis=(1, 3)), tables.sum(axis=(1, 2)))
        a, b, c = (1 / np.sqrt(share + 1 / n) for share in shares)
        ab, ac = tables.sum(axis=3) * a[:, :, None] * b[:, None], tables.sum(axis=2) * a[:, :, None] * c[:, None]
        bc = tables.sum(axis=1) * b[:, :, None] * c[:, None]
        abc = tables * a[:, :, None, None] * b[:, None, :, None] * c[:, None, None]
        return cls((a, b, c), ab, ac, bc, abc)


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of three-way tables, in any order."""

    weights: Floats  # shape (T, K): p_y: probability of each part
    # shape (T, 3, S, K): probability of every output of the three views given the part. Noise may make it less
    # than 0
    views: Floats


def clearness(tables: Floats, K: int, n: float) -> Floats:
    """How clearly two views tell K classes apart, in standard errors, shape (...,).

    The K-th canonical correlation of the two views, times sqrt(n). Where they tell no more than K - 1 classes apart it
    is 1 or 2, however many points there are.

    `tables`, shape (..., S, S): shares of what the two say.
    """
    if tables.shape[-1] < K:
        return np.zeros(tables.shape[:-2])
    one, two = (1 / np.sqrt(tables.sum(axis=axis) + 1 / n) for axis in (-1, -2))
    return np.linalg.svd(tables * one[..., :, None] * two[..., None, :], compute_uv=False)[..., K - 1] * np.sqrt(n)


def parts(tables: Floats, K: int, n: float) -> Parts:
    """The parts of three-way tables of probabilities, shape (T, S, S, S), that were counted on n points.

    >>> p, view = np.array([0.3, 0.7]), np.array([[0.9, 0.2], [0.1, 0.8]])
    >>> found = parts(np.einsum("y,ay,by,cy->abc", p, view, view, view)[None], K=2, n=1e12)
    >>> found.weights.round(3), found.views[0, 0].round(3)
    (array([[0.7, 0.3]]), array([[0.2, 0.9],
           [0.8, 0.1]]))
    """
    scaled = Scaled.of(tables, n)
    U = _directions(scaled.ab, scaled.ac, K), _directions(_t(scaled.ab), scaled.bc, K)
    V = _directions(_t(scaled.ac), _t(scaled.bc), K)
    ab, ac, bc = _t(U[0]) @ scaled.ab @ U[1], _t(U[0]) @ scaled.ac @ V, _t(U[1]) @ scaled.bc @ V
    abc = turned(scaled.abc, _t(U[0]), _t(U[1]), _t(V))
    to_c_from_a, to_c_from_b = _t(_solve(_t(ab), bc)), _t(_solve(ab, ac))  # C A^-1 and C B^-1
    whiten, color = whitening(to_c_from_a @ ac)
    Q, _ = orthogonal_parts(turned(abc, whiten @ to_c_from_a, whiten @ to_c_from_b, whiten))
    C = color @ Q
    A, B = _t(_solve(C, _t(ac))), _t(_solve(C, _t(bc)))
    found = [u @ X / r[:, :, None] for u, X, r in zip((*U, V), (A, B, C), scaled.root, strict=True)]
    views = np.stack(found, axis=1)
    sums = views.sum(axis=2)
    views /= np.where(np.abs(sums) < 1e-12, 1e-12, sums)[:, :, None]
    weights = np.exp(2 / 3 * np.log(np.maximum(np.abs(sums), 1e-12)).sum(axis=1))
    return Parts(weights / weights.sum(axis=1, keepdims=True), views)


def whitening(square: Floats) -> tuple[Floats, Floats]:
    """Inverse root and root of a matrix that is ``C C'`` but for noise, shapes (T, K, K)."""
    values, vectors = np.linalg.eigh((square + _t(square)) / 2)
    largest = np.maximum(values[:, -1:], 1e-12)  # of a table that tells nothing it may be 0 or less
    root = np.sqrt(np.maximum(values, 1e-3 * largest))[:, None]  # smaller ones are noise
    return vectors / root @ _t(vectors), vectors * root @ _t(vectors)


def orthogonal_parts(tensor: Floats) -> tuple[Floats, Floats]:
    """Q and the sizes s of ``sum_y s_y q_y (x) q_y (x) q_y`` with orthonormal columns q, but for noise.

    Parameters
    ----------
    tensor : array, shape (T, K, K, K)

    Returns
    -------
    Q : array, shape (T, K, K)
    sizes : array, shape (T, K)
    """
    symmetric = sum(np.transpose(tensor, (0, *order)) for order in permutations((1, 2, 3))) / 6
    Q = np.broadcast_to(np.eye(tensor.shape[1]), tensor.shape[:3]).copy()
    # About eight rounds do. After one whose largest sine is 1e-6, the next would have its square.
    joint_rotation(np.array(symmetric, order="C"), Q, sweeps=60, enough=1e-6)
    sizes = np.einsum("tijk,tiy,tjy,tky->ty", symmetric, Q, Q, Q, optimize=True)
    return Q * np.where(sizes < 0, -1, 1)[:, None], np.abs(sizes)


def turned(tensor: Floats, first: Floats, second: Floats, third: Floats) -> Floats:
    """The tensors with a matrix applied along each of their axes, shapes (T, S, S, S) and (T, K, S)."""
    T, A, B, C = tensor.shape
    one = (first @ tensor.reshape(T, A, B * C)).reshape(T, -1, B, C)
    two = second[:, None] @ one
    return two @ _t(third)[:, None]


def _directions(one: Floats, other: Floats, K: int) -> Floats:
    """The K directions in which a view goes along with two others, shape (T, S, K)."""
    _, vectors = np.linalg.eigh(one @ _t(one) + other @ _t(other))  # a third of the time of a decomposition of both
    return np.ascontiguousarray(vectors[:, :, : -K - 1 : -1])


def _solve(matrix: Floats, right: Floats) -> Floats:
    """As `numpy.linalg.solve`; a singular matrix gives large numbers, not an error."""
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.solve(matrix + 1e-9 * np.eye(matrix.shape[-1]), right), dtype=np.float64)


def _t(matrix: Floats) -> Floats:
    return np.swapaxes(matrix, -1, -2)


def on_simplex(values: Floats) -> Floats:
    """The nearest probabilities that add up to 1 along the last axis.

    >>> on_simplex(np.array([0.5, 0.8, -0.1]))
    array([0.35, 0.65, 0.  ])
    """
    size = values.shape[-1]
    down = -np.sort(-values, axis=-1)
    over = (np.cumsum(down, axis=-1) - 1) / np.arange(1, size + 1)
    number = (down > over).sum(axis=-1, keepdims=True)  # of probabilities that stay above 0
    return np.maximum(values - np.take_along_axis(over, number - 1, axis=-1), 0)
