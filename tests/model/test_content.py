from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, symmetric_conditionals

from carob import InputError, LabelModel
from carob.label.stack import REPETITIONS
from carob.model.content import FittedModel, from_content, to_content
from carob.model.label_model import parameters
from carob.posterior.settings import Method
from carob.read.plain import plain


@pytest.fixture(scope="module")
def model() -> LabelModel:
    return some_model("combined")


def some_model(method: Method) -> LabelModel:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    few = np.where(np.arange(500) < 40, votes.own_gold.values, -1)
    return LabelModel(method=method, replicates=5, known_pairs=[(0, 1)]).fit(votes, few)


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
    with pytest.raises(InputError, match="numbers of shape"):
        from_content(short, parameters())


@pytest.fixture(scope="module")
def agreed() -> LabelModel:
    return some_model("auto")


def test_readings_and_scores_of_the_default_come_back(agreed: LabelModel) -> None:
    _, learned = from_content(content(agreed), parameters())
    mine, other = learned.fitted.pool, agreed.fitted_.pool
    assert mine is not None
    assert other is not None
    for name in ("class_balance", "silent", "weight", "slope", "repetition", "count", "shift", "learned"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(other, name))
    for one, two in zip(mine.evidence, other.evidence, strict=True):
        np.testing.assert_array_equal(one.log_odds, two.log_odds)
        np.testing.assert_array_equal(one.silence, two.silence)
        assert one.groups == two.groups
    assert mine.once == [(0, 1)]
    assert learned.fitted.scores == agreed.fitted_.scores != ()
    np.testing.assert_array_equal(learned.fitted.accuracy, agreed.fitted_.accuracy)
    assert learned.table.rows() == agreed.source_table_.rows()
    assert learned.fitted.recalibration is None


def test_content_without_readings_is_that_of_a_model_before_them(model: LabelModel) -> None:
    old = content(model)
    assert (old.pop("pool"), old.pop("scores")) == (None, [])
    _, learned = from_content(old, parameters())
    assert (learned.fitted.pool, learned.fitted.scores) == (None, ())


def test_readings_saved_before_silence_could_tell_come_back(agreed: LabelModel) -> None:
    old = content(agreed)
    told = [found is not None for found in old["pool"].pop("silence")]
    _, learned = from_content(old, parameters())
    assert learned.fitted.pool is not None
    assert all(evidence.silence is None for evidence in learned.fitted.pool.evidence)
    assert len(told) == len(learned.fitted.pool.evidence)


def test_every_repetition_that_a_fit_tries_comes_back(agreed: LabelModel) -> None:
    held = content(agreed)
    held["pool"]["repetition"] = [max(REPETITIONS)] * len(held["pool"]["repetition"])
    _, learned = from_content(held, parameters())
    assert learned.fitted.pool is not None
    assert (learned.fitted.pool.repetition == max(REPETITIONS)).all()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"shift": [[0.0]]}, "numbers of shape"),
        ({"evidence": [[[[0.0, 0.0], [0.0, 0.0]]]], "silence": [None]}, "numbers of shape"),
        ({"silence": [None]}, "what silence means"),
        ({"repetition": -1.0}, "correlations that are none"),
        ({"silent": [0.4, 0.5]}, "weights that do not add up to 1"),
        ({"weight": [49.0]}, "weights that do not add up to 1"),
        ({"learned": -1}, "evidence that it does not have"),
        ({"learned": 99}, "evidence that it does not have"),
    ],
)
def test_readings_that_do_not_fit_together_are_refused(agreed: LabelModel, change: dict[str, Any], text: str) -> None:
    short = content(agreed)
    for name in {"learned", "repetition"} & set(change):
        change = {name: [change[name]] * len(short["pool"]["learned"])}
    short["pool"] |= change
    with pytest.raises(InputError, match=text):
        from_content(short, parameters())
