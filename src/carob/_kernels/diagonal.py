"""Symmetric matrices made diagonal together, by one rotation."""

from __future__ import annotations

from carob._kernels.loops import lib, out_pointer
from carob._types import Floats


def joint_rotation(matrices: Floats, rotation: Floats, sweeps: int, enough: float) -> None:
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
    number, S, K, _ = matrices.shape
    lib.joint_rotation(out_pointer(matrices), number, S, K, out_pointer(rotation), sweeps, enough)
