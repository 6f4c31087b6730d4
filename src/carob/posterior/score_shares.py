r"""What a score means: log P(class | bin) for every bin of a source, smooth along its scale.

Few points fall into one bin. Neighbouring bins mean much the same, and the log-odds of a class change steadily along a
scale: where scores are normal given the class, they are a parabola of the score, a line where both spreads are equal.
So each bin is drawn towards a line through its neighbours, the more the fewer points it has.
"""

from __future__ import annotations

import numpy as np

from carob._types import Floats

WIDTH = 4.0  # bins on either side that a line goes through, the far ones counting less
BIN_WORTH = 200.0  # points that the line counts for in a bin
LEANING_WORTH = 1.0  # points in each bin that what a score leans to counts for


def smoothed_log_shares(counts: Floats, leaning: Floats, class_balance: Floats) -> Floats:
    """Log of the share of each class in each bin, shape (bins, K).

    `counts`, shape (bins, K): how much of each class there is in each bin. `leaning`, shape (bins,): how far each bin
    speaks for the second class beforehand, where there are two.

    Examples
    --------
    >>> counts = np.array([[90.0, 10], [50, 50], [10, 90]])
    >>> np.exp(smoothed_log_shares(counts, np.array([0, 0.5, 1]), np.ones(2) / 2)).round(2).tolist()
    [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]
    """
    K = len(class_balance)
    before = class_balance * (np.stack([1 - leaning, leaning], axis=1) + 0.5 if K == 2 else np.ones((len(leaning), K)))
    known = counts + LEANING_WORTH * before / before.sum(axis=1, keepdims=True)
    number = known.sum(axis=1)
    log_shares = np.log(known / number[:, None])
    line = np.exp(_lines(log_shares, number))
    line /= line.sum(axis=1, keepdims=True)
    shares = (known + BIN_WORTH * line) / (number + BIN_WORTH)[:, None]
    return np.asarray(np.log(shares))


def _lines(values: Floats, weights: Floats) -> Floats:
    """Weighted local lines through values along bins, at each bin, shape (bins, K)."""
    place = np.arange(len(values), dtype=np.float64)
    x = place - place[:, None]
    near = weights * np.maximum(1 - (np.abs(x) / (WIDTH + 1)) ** 3, 0) ** 3
    total, first, second = near.sum(axis=1), (near * x).sum(axis=1), (near * x**2).sum(axis=1)
    level, slope = near @ values, (near * x) @ values
    spread = total * second - first**2
    known = spread > 1e-9 * total**2
    tilt = (total[:, None] * slope - first[:, None] * level) / np.where(known, spread, 1)[:, None]
    return np.asarray((level - np.where(known, first, 0)[:, None] * tilt) / total[:, None])
