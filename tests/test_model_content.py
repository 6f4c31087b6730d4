from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, symmetric_conditionals

from karat import InputError, LabelModel
from karat.io.plain import plain
from karat.model import parameters
from karat.model_content import FittedModel, from_content, to_content


@pytest.fixture(scope="module")
def model() -> LabelModel:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    few = np.where(np.arange(500) < 40, votes.own_gold.values, -1)
    return LabelModel(replicates=5, known_pairs=[(0, 1)]).fit(votes, few)


def content(model: LabelModel) -> dict[str, Any]:
    learned = FittedModel(model.fitted_, model.coding_, model.source_table_, model.notes_)
    return copy.deepcopy(plain(to_content(model.get_params(), learned)))


def test_everything_comes_back(model: LabelModel) -> None:
    params, learned = from_content(content(model), parameters())
    assert params == plain(model.get_params())
    assert learned.coding == model.coding_
    assert learned.notes == model.notes_
    assert learned.table.rows() == model.source_table_.rows()
    for mine, other in zip(learned.fitted.model.tables, model.source_model_.tables, strict=True):
        np.testing.assert_array_equal(mine, other)
    for name in ("weight", "slope", "exponent", "count", "shift"):
        np.testing.assert_array_equal(
            getattr(learned.fitted.recalibration, name), getattr(model.fitted_.recalibration, name)
        )
    assert learned.fitted.intervals.method == model.fitted_.intervals.method


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"parameters": {"x": 1}}, "its parameters are not those"),
        ({"classes": [0.5, 1]}, "its classes are no labels"),
        ({"abstain": [[1]]}, "its abstain values are no labels"),
    ],
)
def test_content_that_does_not_fit_together_is_refused(model: LabelModel, change: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        from_content(content(model) | change, parameters())
    short = content(model)
    short["recalibration"]["shift"] = [[0.0]] * len(short["recalibration"]["weight"])
    with pytest.raises(InputError, match="recalibration does not fit"):
        from_content(short, parameters())
