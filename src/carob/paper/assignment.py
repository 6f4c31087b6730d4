"""Who goes with whom: the assignment of rows to columns that scores most in all."""

from __future__ import annotations

import numpy as np

from carob._types import Floats, Places


def assignment(score: Floats) -> Places:
    """The column of every row, all different, with the largest sum of scores; shape (K,).

    Shortest augmenting paths (the Hungarian method): rows are placed one after another, and a path of exchanges that
    costs least makes room for each. Prices of rows and columns keep all costs beyond them at zero or above.

    Parameters
    ----------
    score : array, shape (K, K)

    Examples
    --------
    >>> assignment(np.array([[9.0, 8.0], [8.0, 1.0]]))
    array([1, 0])
    """
    best = score.argmax(axis=1)
    K = len(score)
    if len(set(best.tolist())) == K:  # everybody has what suits best
        return best
    cost = score.max() - score
    row_price, column_price = np.zeros(K + 1), np.zeros(K + 1)
    row_of = np.full(K + 1, -1)  # the row that each column has; column K is where a row waits that has none
    for row in range(K):
        row_of[K], column = row, K
        least, before = np.full(K, np.inf), np.full(K, K)
        done = np.zeros(K + 1, dtype=bool)
        while row_of[column] >= 0:
            done[column] = True
            i = row_of[column]
            beyond = cost[i] - row_price[i] - column_price[:K]
            closer = ~done[:K] & (beyond < least)
            least[closer], before[closer] = beyond[closer], column
            reached = np.where(done[:K], np.inf, least)
            column = int(reached.argmin())
            step = reached[column]
            row_price[row_of[done]] += step
            column_price[done] -= step
            least[~done[:K]] -= step
        while column != K:
            previous = before[column]
            row_of[column] = row_of[previous]
            column = int(previous)
    found = np.empty(K, dtype=np.intp)
    found[row_of[:K]] = np.arange(K)
    return found
