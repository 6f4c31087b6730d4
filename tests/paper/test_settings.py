from __future__ import annotations

import numpy as np
import pytest

from carob import InputError
from carob.paper.settings import TripletSettings
from carob.posterior.settings import Settings


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"aggregate": "mode"}, "aggregate must be one of 'median', 'mean', 'random'"),
        ({"negative": "keep"}, "negative must be one of 'drop', 'absolute'"),
        ({"signs": "guess"}, "signs must be one of 'positive', 'data'"),
        ({"level": 1.0}, "level must be between 0 and 1"),
    ],
)
def test_refusals(options: dict[str, object], text: str) -> None:
    with pytest.raises(InputError, match=text):
        TripletSettings(**options)  # type: ignore[arg-type]


def test_symmetric_is_a_boolean() -> None:
    with pytest.raises(TypeError, match="symmetric must be True, False or None, not 'yes'"):
        TripletSettings(symmetric="yes")  # type: ignore[arg-type]
    assert TripletSettings(symmetric=np.True_).symmetric  # type: ignore[arg-type]


def test_those_of_a_fit_with_the_papers_defaults() -> None:
    found = TripletSettings.of(Settings("triplets", 0.3, level=0.5))
    assert found == TripletSettings("triplets", 0.3, level=0.5, aggregate="median")
