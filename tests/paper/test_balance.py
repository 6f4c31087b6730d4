from __future__ import annotations

import numpy as np
import pytest
from simulate import contradicting_votes, draw_votes, make_votes, symmetric_conditionals, triplet_fit

from carob import NotIdentifiedError
from carob.paper import class_balance
from carob.paper.balance import Balance
from carob.paper.count import count
from carob.paper.settings import TripletSettings

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


def test_gold_is_added_to_what_votes_say() -> None:
    votes = draw_votes(np.random.default_rng(4), 20_000, ONE_SIDED, [0.7, 0.3])
    alone = class_balance(votes)
    few = votes.code_gold(np.where(np.arange(20_000) < 75, 1, -1))
    both = triplet_fit(votes, few, replicates=0, symmetric=False).model.class_balance
    np.testing.assert_allclose(both, (25 * alone + [0, 75]) / 100, atol=1e-12)


def test_where_votes_do_not_tell_gold_alone_does() -> None:
    votes = contradicting_votes()
    few = votes.code_gold(np.where(np.arange(len(votes)) < 30, np.arange(len(votes)) % 3 == 0, -1))
    counted = count(votes, TripletSettings(symmetric=True))
    balance = Balance(None, counted.kind, counted.pairs, counted.statistics.triples)
    found = balance.of(counted.statistics.moments, counted.triple_sums, few.counts)
    np.testing.assert_allclose(found, [21 / 32, 11 / 32])


def test_votes_that_fit_no_balance_are_refused() -> None:
    with pytest.raises(NotIdentifiedError, match="class balance cannot be estimated"):
        class_balance(contradicting_votes())
