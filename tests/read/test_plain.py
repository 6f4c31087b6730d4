from __future__ import annotations

import json

import numpy as np

from carob.read.plain import plain


def test_everything_becomes_what_json_knows() -> None:
    value = {
        1: np.array([[1, 2], [3, 4]]), "x": (np.float64("nan"), np.int8(3), float("inf")), "s": {"only"}, "t": True,
        "n": None,
    }  # fmt: skip
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == {
        "1": [[1, 2], [3, 4]], "x": [None, 3, None], "s": ["only"], "t": True, "n": None,
    }  # fmt: skip
