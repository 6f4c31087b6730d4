from __future__ import annotations

import numpy as np

from carob import Votes


def test_an_int8_array_in_columns_is_not_copied() -> None:
    values = np.asfortranarray(np.random.default_rng(0).integers(0, 2, (100, 4)), dtype=np.int8)
    assert np.shares_memory(Votes.from_array(values).values, values)
