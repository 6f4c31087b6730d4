"""Symmetric matrices made diagonal together, by one rotation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from karat._kernels.compiled import compiled

_f64 = types.float64
_U = np.uint64  # an index that cannot be negative needs no check, and only then do the loops become vectors


@compiled(types.void(_f64[:, :, :, ::1], _f64[:, :, ::1], types.int64, _f64))
def joint_rotation(matrices: Any, rotation: Any, sweeps: Any, enough: Any) -> None:
    """Turn every ``matrices[t, s]`` by one rotation per t until they are as nearly diagonal as can be, in place.

    Jacobi's method: of two axes after another, the angle that takes most off the diagonal of all matrices at once,
    which is known in closed form. `rotation`, identities at first, collects the angles: its columns are the common
    eigenvectors.

    Parameters
    ----------
    matrices : array, shape (T, S, K, K)
        Symmetric.
    rotation : array, shape (T, K, K)
    sweeps : int
        Rounds through all pairs of axes at most.
    enough : float
        The sine of the largest angle of a round after which there is no other.
    """
    K = _U(matrices.shape[2])
    for t in range(_U(matrices.shape[0])):
        for _ in range(sweeps):
            largest = 0.0
            for p in range(K):
                for q in range(p + _U(1), K):
                    even = 0.0
                    odd = 0.0
                    for s in range(_U(matrices.shape[1])):
                        apart = matrices[t, s, p, p] - matrices[t, s, q, q]
                        off = 2 * matrices[t, s, p, q]
                        even += apart * apart - off * off
                        odd += 2 * apart * off
                    angle = 0.5 * np.arctan2(odd, even + np.sqrt(even * even + odd * odd))
                    cos, sin = np.cos(angle), np.sin(angle)
                    largest = max(largest, abs(sin))
                    for s in range(_U(matrices.shape[1])):
                        for r in range(K):
                            x, y = matrices[t, s, r, p], matrices[t, s, r, q]
                            matrices[t, s, r, p] = cos * x + sin * y
                            matrices[t, s, r, q] = cos * y - sin * x
                        for r in range(K):
                            x, y = matrices[t, s, p, r], matrices[t, s, q, r]
                            matrices[t, s, p, r] = cos * x + sin * y
                            matrices[t, s, q, r] = cos * y - sin * x
                    for r in range(K):
                        x, y = rotation[t, r, p], rotation[t, r, q]
                        rotation[t, r, p] = cos * x + sin * y
                        rotation[t, r, q] = cos * y - sin * x
            if largest < enough:
                break
