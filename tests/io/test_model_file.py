from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from simulate import sample

import karat
from karat import InputError, LabelModel


def test_save_and_load(tmp_path: Path) -> None:
    votes = sample()
    values = np.where(votes.values == 1, "sp\nam", "häm")
    model = LabelModel(class_balance=0.5, replicates=10, known_pairs=[(0, 1)], abstain="none").fit(values)
    model.save(tmp_path / "model.json")
    again = karat.load(tmp_path / "model.json")
    assert np.array_equal(again.predict_proba(values), model.predict_proba(values))
    assert again.classes_.tolist() == model.classes_.tolist()
    assert again.get_params() == model.get_params() | {"known_pairs": [[0, 1]]}
    pd.testing.assert_frame_equal(again.sources_, model.sources_)
    assert again.class_balance_low_.tolist() == model.class_balance_low_.tolist()
    assert json.loads((tmp_path / "model.json").read_text())["version"] == 3


def test_nan_as_the_abstain_survives_a_file_of_standard_json(tmp_path: Path) -> None:
    values = np.where(sample(abstain=0.3).values < 0, np.nan, sample(abstain=0.3).values)
    model = LabelModel(class_balance=0.5, replicates=0, abstain=float("nan")).fit(values)
    model.save(tmp_path / "model.json")
    assert "NaN" not in (tmp_path / "model.json").read_text()
    assert np.array_equal(karat.load(tmp_path / "model.json").predict_proba(values), model.predict_proba(values))


def saved(tmp_path: Path) -> dict[str, Any]:
    LabelModel(class_balance=0.5, replicates=0).fit(sample()).save(tmp_path / "model.json")
    content: dict[str, Any] = json.loads((tmp_path / "model.json").read_text())
    return content


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"version": 4}, "version 4 of the model format; this karat reads up to version 3"),
        ({"version": "x"}, "version 'x'"),
        ({"format": "other"}, "is not a karat model"),
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
        karat.load(tmp_path / "model.json")


def test_half_a_model_file_is_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    whole = (tmp_path / "model.json").read_bytes()
    for part in (b"", whole[: len(whole) // 2], b"\xff\xfe" + whole, b"[]"):
        (tmp_path / "model.json").write_bytes(part)
        with pytest.raises(InputError, match=r"damaged|is not a karat model"):
            karat.load(tmp_path / "model.json")
    with pytest.raises(InputError, match="cannot read the model file"):
        karat.load(tmp_path / "none.json")


def test_a_model_of_version_1_still_loads(tmp_path: Path) -> None:
    votes = sample()
    few = np.where(np.arange(2_000) < 60, votes.own_gold.values, -1)
    model = LabelModel(method="combined", class_balance=0.5, replicates=0, known_pairs=[(0, 1)]).fit(votes.values, few)
    model.save(tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    assert (content.pop("pool"), content.pop("scores")) == (None, [])  # which came with version 3
    assert content["recalibration"].pop("once") == []
    (tmp_path / "old.json").write_text(json.dumps(content | {"version": 1}))
    again = karat.load(tmp_path / "old.json")
    assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))
    assert again.explain() == model.explain()


def test_groups_that_count_once_survive_a_file(tmp_path: Path) -> None:
    votes = sample(abstain=0.3)
    few = np.where(np.arange(2_000) < 60, votes.own_gold.values, -1)
    model = LabelModel(class_balance=0.5, replicates=0, symmetric=True, known_pairs=[(0, 1)]).fit(votes, few)
    model.save(tmp_path / "model.json")
    again = karat.load(tmp_path / "model.json")
    recalibration = again.fitted_.recalibration
    assert recalibration is not None
    assert recalibration.once == ((0, 1),)
    assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))
