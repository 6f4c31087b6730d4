from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from simulate import PAPER_ACCURACIES, draw_votes, symmetric_conditionals

import carob
from carob import InputError, LabelModel
from carob.model.content import fit_of, model_content
from carob.posterior.settings import Method
from carob.read.model_file import VERSION, plain

OLD = Path(__file__).parent / "karat"  # models that versions 0.1 and 0.2 wrote, and the probabilities that they gave


def some_model(method: Method) -> LabelModel:
    votes = draw_votes(np.random.default_rng(0), 500, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    few = np.where(np.arange(500) < 40, votes.own_gold.values, -1)
    return LabelModel(method=method, replicates=5, known_pairs=[(0, 1)]).fit(votes, few)


def content(model: LabelModel) -> dict[str, Any]:
    return copy.deepcopy(plain(model_content(model.get_params(), model.fit_)))


@pytest.fixture(scope="module")
def default() -> LabelModel:
    return some_model("consensus")


@pytest.mark.parametrize("method", get_args(Method))
def test_everything_comes_back(method: Method) -> None:
    model = some_model(method)
    params, fit = fit_of(content(model), VERSION)
    assert params == plain(model.get_params())
    assert plain(model_content(params, fit)) == content(model)
    assert type(fit) is type(model.fit_)
    votes = draw_votes(np.random.default_rng(1), 100, symmetric_conditionals(PAPER_ACCURACIES), [0.5, 0.5])
    np.testing.assert_array_equal(fit.posterior(votes), model.fit_.posterior(votes))


@pytest.mark.parametrize("name", sorted(path.stem for path in OLD.glob("0.?-*.json")))
def test_known_answer_models_of_karat_label_as_they_did(name: str, tmp_path: Path) -> None:
    version, _, which = name.partition("-")
    told = json.loads((OLD / f"{version}.json").read_text())
    model = carob.load(OLD / f"{name}.json")
    np.testing.assert_allclose(model.predict_proba(told["values"]), told["probabilities"][which], atol=1e-9)
    model.save(tmp_path / "again.json")
    again = carob.load(tmp_path / "again.json")
    np.testing.assert_array_equal(again.predict_proba(told["values"]), model.predict_proba(told["values"]))
    assert again.explain() == model.explain() != ""


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"parameters": {"x": 1}}, "its parameters are not those"),
        ({"classes": [0.5, 1]}, "its classes are no labels"),
        ({"abstain": [[1]]}, "its abstain values are no labels"),
        ({"method": "magic"}, "method must be one of"),
    ],
)
def test_content_that_does_not_fit_together_is_refused(default: LabelModel, change: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        fit_of(content(default) | change, VERSION)


def test_scalings_that_do_not_fit_together_are_refused() -> None:
    old = json.loads((OLD / "0.2-combined.json").read_text())
    old["recalibration"]["shift"] = [[0.0]] * len(old["recalibration"]["weight"])
    with pytest.raises(InputError, match="numbers of shape"):
        fit_of(old, 4)


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
def test_readings_that_do_not_fit_together_are_refused(change: dict[str, Any], text: str) -> None:
    old = json.loads((OLD / "0.2-gold.json").read_text())
    for name in {"learned", "repetition"} & set(change):
        change = {name: [change[name]] * len(old["pool"]["learned"])}
    old["pool"] |= change
    with pytest.raises(InputError, match=text):
        fit_of(old, 4)
