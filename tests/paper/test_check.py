from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from simulate import (
    draw_votes,
    make_votes,
    symmetric_conditionals,
)

from carob import InputError, Moments, Votes
from carob.paper import triplets


def varied(n: int = 200, m: int = 4, seed: int = 0) -> Votes:
    return draw_votes(np.random.default_rng(seed), n, symmetric_conditionals(np.full(m, 0.8)), [0.5, 0.5])


def with_column(votes: Votes, column: npt.ArrayLike) -> Votes:
    return make_votes(np.column_stack([votes.values, column]))


@pytest.mark.parametrize(
    ("votes", "text"),
    [
        (varied(m=1), "three sources at least; there is 1"),
        (varied(m=2), "three sources at least; there are 2"),
        (with_column(varied(), np.ones(200)), "same on every point.*'s4'.*--drop"),
        (with_column(varied(), np.full(200, -1)), "never vote: 's4'.*--drop"),
        (with_column(varied(), varied().values[:, 1]), r"identically.*\('s1', 's4'\).*known_pairs"),
        (varied(n=4, m=5), "4 points for 5 sources.*transposed"),
    ],
)
def test_refusal_of_sources_that_tell_nothing(votes: Votes, text: str) -> None:
    with pytest.raises(InputError, match=text):
        triplets(Moments.of(votes))


def test_identical_sources_are_fine_as_a_known_pair() -> None:
    votes = with_column(varied(), varied().values[:, 1])
    model = triplets(Moments.of(votes), known_pairs=[("s4", "s1")])
    assert model.accuracy[1] == model.accuracy[4]


def test_workers_who_agree_on_few_tasks_are_not_taken_for_copies() -> None:
    votes = varied(n=500, m=6)
    sparse = votes.values.copy()
    sparse[20:, 4:] = -1
    sparse[:20, 5] = sparse[:20, 4]
    model = triplets(Moments.of(make_votes(sparse)), symmetric=True)
    assert np.isfinite(model.accuracy).all()
