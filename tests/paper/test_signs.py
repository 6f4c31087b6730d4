from __future__ import annotations

import numpy as np
import pytest
from simulate import (
    draw_votes,
    symmetric_conditionals,
)

from carob import Moments, NotIdentifiedError
from carob.paper import triplets


def test_signs_found_from_the_data() -> None:
    accuracies = np.array([0.8, 0.75, 0.3, 0.7, 0.65, 0.2, 0.7])
    votes = draw_votes(np.random.default_rng(0), 20_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    for symmetric in (True, False):
        found = triplets(Moments.of(votes), symmetric=symmetric, signs="data")
        np.testing.assert_allclose(found.accuracy, accuracies, atol=0.03)
        assumed = triplets(Moments.of(votes), symmetric=symmetric)
        np.testing.assert_allclose(assumed.accuracy, np.maximum(accuracies, 1 - accuracies), atol=0.03)


def test_sign_that_is_not_identified_is_refused_with_the_number_and_the_estimate() -> None:
    accuracies = np.array([0.8, 0.75, 0.5, 0.7, 0.65])
    votes = draw_votes(np.random.default_rng(3), 2_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    with pytest.raises(NotIdentifiedError, match=r"'s2' \(-?\d\.\d\).*is not above 2") as caught:
        triplets(Moments.of(votes), symmetric=True, signs="data")
    assert caught.value.estimate.accuracy.shape == (5,)  # type: ignore[attr-defined]


def test_two_camps_of_equal_strength_are_refused() -> None:
    accuracies = np.array([0.8, 0.8, 0.8, 0.2, 0.2, 0.2])
    votes = draw_votes(np.random.default_rng(0), 5_000, symmetric_conditionals(accuracies), [0.5, 0.5])
    with pytest.raises(NotIdentifiedError, match="two camps"):
        triplets(Moments.of(votes), symmetric=True, signs="data")
