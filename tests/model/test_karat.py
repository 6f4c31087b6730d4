"""Models of karat; that they label as they did is tested in test_content.py, by files that these versions wrote."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import carob
from carob.model.karat import PoolFit, RecalibratedFit

OLD = Path(__file__).parent / "karat"


@pytest.mark.parametrize(("name", "kind"), [("0.1-gold", RecalibratedFit), ("0.2-votes", PoolFit)])
def test_points_without_votes_have_the_class_balance_of_old(name: str, kind: type) -> None:
    fit = carob.load(OLD / f"{name}.json").fit_
    assert isinstance(fit, kind)
    m = len(fit.model.sources)
    p = carob.load(OLD / f"{name}.json").predict_proba(np.full((1, m), -1))
    expected = fit.silent if isinstance(fit, PoolFit) else fit.model.class_balance
    np.testing.assert_allclose(p[0], expected)


@pytest.mark.parametrize(("name", "part"), [("0.1-gold", "exponent"), ("0.2-votes", "repetition")])
def test_powers_and_correlations_that_are_none_are_refused(name: str, part: str, tmp_path: Path) -> None:
    content = json.loads((OLD / f"{name}.json").read_text())
    room = content["recalibration" if part == "exponent" else "pool"]
    room[part] = [-1.0] * len(room[part])
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(carob.InputError, match=r"too large|correlations that are none"):
        carob.load(tmp_path / "model.json")
