from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from simulate import sample

import carob
from carob import InputError, LabelModel
from carob.read.model_file import plain


def test_save_and_load(tmp_path: Path) -> None:
    votes = sample()
    values = np.where(votes.values == 1, "sp\nam", "häm")
    model = LabelModel(class_balance=0.5, replicates=10, known_pairs=[(0, 1)], abstain="none").fit(values)
    model.save(tmp_path / "model.json")
    again = carob.load(tmp_path / "model.json")
    assert np.array_equal(again.predict_proba(values), model.predict_proba(values))
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.get_params() == model.get_params() | {"known_pairs": [[0, 1]]}
    pd.testing.assert_frame_equal(again.sources_, model.sources_)
    assert again.class_balance_low_.tolist() == model.class_balance_low_.tolist()
    assert json.loads((tmp_path / "model.json").read_text())["version"] == 5


def test_nan_as_the_abstain_survives_a_file_of_standard_json(tmp_path: Path) -> None:
    values = np.where(sample(abstain=0.3).values < 0, np.nan, sample(abstain=0.3).values)
    model = LabelModel(class_balance=0.5, replicates=0, abstain=float("nan")).fit(values)
    model.save(tmp_path / "model.json")
    assert "NaN" not in (tmp_path / "model.json").read_text()
    assert np.array_equal(carob.load(tmp_path / "model.json").predict_proba(values), model.predict_proba(values))


def saved(tmp_path: Path) -> dict[str, Any]:
    LabelModel(class_balance=0.5, replicates=0).fit(sample()).save(tmp_path / "model.json")
    content: dict[str, Any] = json.loads((tmp_path / "model.json").read_text())
    return content


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"version": 6}, "version 6 of the model format; this carob reads up to version 5"),
        ({"version": "x"}, "version 'x'"),
        ({"format": "other"}, "is not a carob model"),
        ({"tables": []}, "damaged"),
        ({"tables": None}, "damaged"),
        ({"class_balance": [[0.5], [0.5], [0.5]]}, "damaged"),
        ({"groups": [[0]]}, "damaged"),
        ({"sources": 3}, "damaged"),
        ({"parameters": {"x": 1}}, "damaged"),
    ],
)
def test_models_that_are_damaged_or_newer_are_refused(change: dict[str, Any], text: str, tmp_path: Path) -> None:
    content = saved(tmp_path) | change
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=text):
        carob.load(tmp_path / "model.json")


def test_half_a_model_file_is_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    whole = (tmp_path / "model.json").read_bytes()
    for part in (b"", whole[: len(whole) // 2], b"\xff\xfe" + whole, b"[]"):
        (tmp_path / "model.json").write_bytes(part)
        with pytest.raises(InputError, match=r"damaged|is not a carob model"):
            carob.load(tmp_path / "model.json")
    with pytest.raises(InputError, match="cannot read the model file"):
        carob.load(tmp_path / "none.json")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where values stand in a model file: all of short lists, the ends of long ones."""
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
        inner = inner if len(inner) < 4 else [inner[0], inner[-1]]
    else:
        return [path]
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


@pytest.mark.parametrize("method", ["consensus", "triplets"])
def test_a_model_with_any_value_wrong_is_refused_or_gives_probabilities(method: Any, tmp_path: Path) -> None:
    votes = sample(300)
    few = np.where(np.arange(300) < 30, votes.own_gold.values, -1)
    path = tmp_path / "model.json"
    LabelModel(method=method, replicates=0, known_pairs=[(0, 1)]).fit(votes, few).save(path)
    whole = path.read_text()
    rng = np.random.default_rng(0)
    wrong = ["null", "NaN", "-Infinity", "1e999", "1" * 4_500, "1" + "0" * 400, "[" * 3_000 + "]" * 3_000, "[]", "-3",
             '"x"', "true", "0.5", "1e300", "{}"]  # fmt: skip
    refused = []
    for place in places(json.loads(whole)):
        if not place or place[0] in ("format", "version"):
            continue
        content = json.loads(whole)
        at = content
        for key in place[:-1]:
            at = at[key]
        at[place[-1]] = "here"
        path.write_text(json.dumps(content).replace('"here"', wrong[rng.integers(len(wrong))], 1))
        try:
            found = carob.load(path).predict_proba(votes)
        except InputError as error:
            refused.append(len(str(error)))
            continue
        assert ((found >= 0) & (found <= 1 + 1e-9)).all()
        np.testing.assert_allclose(found.sum(axis=1), 1)
    assert len(refused) > 50
    assert max(refused) < 1_000


def test_saving_and_loading_changes_no_bit(tmp_path: Path) -> None:
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    for seed in range(5):
        votes = sample(400, seed)
        LabelModel(method="triplets", replicates=0).fit(votes).save(first)
        carob.load(first).save(second)
        assert first.read_bytes() == second.read_bytes()


def test_devices_and_pipes_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "loop.json").symlink_to(tmp_path / "loop.json")
    for path in ("/dev/zero", tmp_path / "pipe.json", tmp_path, tmp_path / "loop.json", "a\0b"):
        with pytest.raises(InputError, match=r"no ordinary file|cannot read|damaged"):
            carob.load(path)


def test_letters_that_utf8_does_not_have_survive_a_file(tmp_path: Path) -> None:
    values = np.where(sample(300).values == 1, "a\udc80", "b").tolist()
    model = LabelModel(replicates=0).fit(values)
    model.save(tmp_path / "model.json")
    assert carob.load(tmp_path / "model.json").classes_.tolist() == ["a\udc80", "b"]


def test_everything_becomes_what_json_knows() -> None:
    value = {
        1: np.array([[1, 2], [3, 4]]), "x": (np.float64("nan"), np.int8(3), float("inf")), "s": {"only"}, "t": True,
        "n": None,
    }  # fmt: skip
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == {
        "1": [[1, 2], [3, 4]], "x": [None, 3, None], "s": ["only"], "t": True, "n": None,
    }  # fmt: skip
