from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from carob import InputError
from carob.model.values import groups, numbers, shares, texts, weights


def test_known_answer_plain_values_become_what_they_are_to_be() -> None:
    np.testing.assert_array_equal(numbers([[1, 2.5]], (1, 2)), [[1, 2.5]])
    np.testing.assert_array_equal(shares([0, None, 1], (3,)), [0, np.nan, 1])
    assert weights([0.25, 0.75]).sum() == 1
    assert groups([[0, 2], [1]], 3, whole=True) == ((0, 2), (1,))
    assert texts(["a"]) == ("a",)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: numbers([1, 2], (3,)), "numbers of shape"),
        (lambda: numbers([1, None]), "missing or too large"),
        (lambda: numbers([1e10]), "missing or too large"),
        (lambda: shares([1.5], (1,)), "not between 0 and 1"),
        (lambda: weights([0.5, 0.6]), "do not add up"),
        (lambda: groups([[0, 3]], 3), "does not have"),
        (lambda: groups([[0], [0, 1]], 2, whole=True), "exactly one group"),
        (lambda: texts([1]), "text is due"),
    ],
)
def test_other_values_are_refused(make: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        make()
