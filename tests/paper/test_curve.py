from __future__ import annotations

import numpy as np

from carob.paper.curve import Curve


def test_known_answer_means_and_their_errors() -> None:
    curve = Curve.of_draws([10, 20], [[1.0, 3.0], [0.5, 0.5]])
    np.testing.assert_array_equal(curve.n, [10, 20])
    np.testing.assert_array_equal(curve.risk, [2.0, 0.5])
    np.testing.assert_array_equal(curve.error, [1.0, 0.0])
