"""Sources that run against the others: high scores of which speak for the first of two classes, not the second."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carob._types import Floats
from carob.votes.storage import Storage

SURE = 4.0  # standard errors from which on a correlation is no chance
_MOST_POINTS = 5_000


def running_against(storage: Storage, leanings: Sequence[Floats]) -> list[int]:
    """Sources, by position, that contradict most of what the others say.

    All sources together point in the direction that explains most of how they go along with each other; more of them
    are taken to speak for what they say than against it. Of two sources that contradict each other nobody knows which
    it is.

    Parameters
    ----------
    leanings : sequence of arrays
        How far each output of each source speaks for the second class.

    Examples
    --------
    >>> from carob.votes.storage import Dense
    >>> truth = np.random.default_rng(0).integers(0, 2, 200).astype(np.int8)
    >>> running_against(Dense(np.stack([truth, truth, 1 - truth], axis=1)), [np.array([0.0, 1.0])] * 3)
    [2]
    """
    n, m = storage.shape
    if m < 3:
        return []
    z = np.zeros((m, len(range(0, n, _every(n)))))
    for row, given, lean in zip(
        z, storage.take(slice(None, None, _every(n))).columns(0, z.shape[1]), leanings, strict=True
    ):
        spoken = given >= 0
        if spoken.any():
            row[spoken] = lean[given[spoken]] - lean[given[spoken]].mean()
    number = np.maximum((z != 0).sum(axis=1), 1)
    z /= np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-12)
    together = z @ z.T
    np.fill_diagonal(together, 0)
    along = np.linalg.eigh(together)[1][:, -1]
    along *= np.sign(along.sum()) or 1.0
    found = []
    for i in np.flatnonzero(along < 0).tolist():
        others = np.where(np.arange(m) == i, 0, along) @ z
        correlation = z[i] @ others / max(float(np.linalg.norm(others)), 1e-12)
        if correlation < -SURE / np.sqrt(number[i]):
            found.append(i)
    return found


def _every(n: int) -> int:
    return max(1, n // _MOST_POINTS)
