from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from simulate import make_votes


@given(arrays(np.int8, st.tuples(st.integers(1, 60), st.integers(1, 60)), elements=st.integers(-1, 2)))
@settings(max_examples=50, deadline=None)
def test_patterns_are_the_distinct_rows(values: npt.NDArray[np.int8]) -> None:
    patterns = make_votes(values, 3).patterns
    rows, counts = np.unique(values, axis=0, return_counts=True)
    order = np.lexsort(patterns.values.T[::-1])
    assert np.array_equal(patterns.values[order], rows)
    assert np.array_equal(patterns.counts[order], counts)
    assert np.array_equal(patterns.values[patterns.inverse], values)
