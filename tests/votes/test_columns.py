from __future__ import annotations

import numpy as np

from carob import Votes


def test_half_precision_warns_of_nothing() -> None:
    values = np.array([[0, 1, 60_000], [1, 1, 0], [0, 0, 1]], dtype=np.float16)
    assert Votes.from_array(values, classes=[0, 1, int(values[0, 2])]).values.tolist() == [
        [0, 1, 2],
        [1, 1, 0],
        [0, 0, 1],
    ]
    assert Votes.from_array(values[1:]).classes == (0, 1)
