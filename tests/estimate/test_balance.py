from __future__ import annotations

import numpy as np
import pytest
from simulate import contradicting_votes, draw_votes, make_votes, symmetric_conditionals

from karat import NotIdentifiedError, class_balance

ONE_SIDED = np.array(
    [
        [[0.1, 0.7, 0.2], [0.2, 0.2, 0.6]],
        [[0.0, 0.8, 0.2], [0.0, 0.4, 0.6]],
        [[0.9, 0.0, 0.1], [0.4, 0.0, 0.6]],
        [[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]],
        [[0.3, 0.5, 0.2], [0.3, 0.1, 0.6]],
    ]
)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
def test_recovery_two_classes(share: float) -> None:
    votes = draw_votes(np.random.default_rng(1), 300_000, ONE_SIDED, [1 - share, share])
    assert class_balance(votes)[1] == pytest.approx(share, abs=0.02)


def test_recovery_three_classes() -> None:
    truth = [0.5, 0.3, 0.2]
    votes = draw_votes(np.random.default_rng(1), 100_000, symmetric_conditionals([0.5, 0.6, 0.7, 0.8], 3, 0.2), truth)
    np.testing.assert_allclose(class_balance(votes), truth, atol=0.02)


def test_invariant_names_of_the_classes() -> None:
    votes = draw_votes(np.random.default_rng(2), 20_000, symmetric_conditionals([0.7, 0.8, 0.75, 0.6]), [0.7, 0.3])
    swapped = make_votes(np.where(votes.values >= 0, 1 - votes.values, -1))
    np.testing.assert_allclose(class_balance(swapped), class_balance(votes)[::-1], atol=1e-12)


def test_third_moments_equal_the_definition() -> None:
    from karat import Moments
    from karat.estimate.balance import ThirdMoments

    votes = draw_votes(np.random.default_rng(3), 5_000, ONE_SIDED[[0, 1, 4]], [0.6, 0.4])
    moments = Moments.of(votes)
    third = ThirdMoments.of(moments, [])
    features = (votes.values[:, third.source] == third.vote) * np.where(third.vote == 1, 1, -1)
    centred = features - features.mean(axis=0)
    found = []
    for f, g, h in third.triplets:
        product = np.prod([(centred[:, a] * centred[:, b]).mean() for a, b in ((f, g), (f, h), (g, h))])
        if product > 0:
            found.append((centred[:, f] * centred[:, g] * centred[:, h]).mean() / np.sqrt(product))
    s = np.median(found)
    expected = (1 - s / np.sqrt(s**2 + 4)) / 2
    sums = third.sums(votes.values, np.ones((1, len(votes)), dtype=np.int64))[0]
    assert third.balance(moments, sums)[1] == pytest.approx(expected, abs=1e-12)


def test_votes_that_fit_no_balance_are_refused() -> None:
    with pytest.raises(NotIdentifiedError, match="class balance cannot be estimated"):
        class_balance(contradicting_votes())
