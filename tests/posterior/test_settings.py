from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest

from carob import InputError, LabelModel
from carob.posterior.settings import Settings, pair_positions
from carob.read.table import ReadOptions


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"method": "guess"}, "method must be one of 'consensus', 'triplets', 'labeled', 'tensors'"),
        ({"replicates": -1}, "replicates must be 0 or more"),
        ({"level": 0.0}, "level must be between 0 and 1"),
        ({"level": 1.0}, "level must be between 0 and 1"),
        ({"level": float("nan")}, "level must be between 0 and 1"),
    ],
)
def test_refusals(options: dict[str, object], text: str) -> None:
    with pytest.raises(InputError, match=text):
        Settings(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [np.array([True, False]), "yes", None], ids=repr)
def test_strict_is_a_boolean(value: Any) -> None:
    with pytest.raises(InputError, match="strict must be one of True, False, not"):
        Settings(strict=value)
    with pytest.raises(InputError, match="strict must be one of True, False, not"):
        ReadOptions(strict=value)
    with pytest.raises(InputError, match="ignore_case must be one of True, False, not"):
        ReadOptions(ignore_case=value)
    assert Settings(strict=np.True_).strict  # type: ignore[arg-type]


def test_settings_do_not_change() -> None:
    settings = Settings()
    with pytest.raises(FrozenInstanceError):
        settings.level = 0.5  # type: ignore[misc]


def test_every_setting_is_a_parameter_of_the_model_with_the_same_default() -> None:
    defaults = LabelModel().get_params()
    for field in fields(Settings):
        assert defaults[field.name] == field.default


def test_pairs_by_name_and_by_position() -> None:
    assert pair_positions([("b", "a"), (0, 2), (1, "c")], ("a", "b", "c")) == ((1, 0), (0, 2), (1, 2))
    for pairs, text in (([("a", "d")], "names 'd'"), ([(0, 3)], "names 3"), ([(0, -1)], "names -1")):
        with pytest.raises(InputError, match=text):
            pair_positions(pairs, ("a", "b", "c"))


def test_the_class_balance_that_was_given() -> None:
    assert Settings().given_balance((0, 1)) is None
    np.testing.assert_allclose(Settings(class_balance=0.3).given_balance(("x", "y")), [0.7, 0.3])  # type: ignore[arg-type]


def test_a_seed_is_a_fresh_generator_every_time() -> None:
    settings = Settings(rng=3)
    assert settings.generator().random() == settings.generator().random() == np.random.default_rng(3).random()
