from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import carob
from carob.errors import (
    InputError,
    NotFittedError,
    NotIdentifiedError,
    a_number,
    a_whole_number,
    examples,
    of_kind,
    one_of,
    plural,
)


def test_refusals_are_value_errors_and_keep_the_estimate() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(NotFittedError, AttributeError)
    error = NotIdentifiedError("cannot tell", estimate=3)
    assert isinstance(error, ValueError)
    assert (str(error), error.estimate) == ("cannot tell", 3)


def test_words() -> None:
    assert plural(0, "label") == "0 labels"
    assert examples(["a"]) == "'a'"
    assert examples("abcdef", 2) == "'a', 'b' and 4 more"
    one_of("size", 1, (1, 2))
    with pytest.raises(InputError, match="size must be one of 1, 2, not 3"):
        one_of("size", 3, (1, 2))


def test_no_refusal_is_longer_than_a_screen() -> None:
    for made in (InputError("x" * 72_000 + " at the end."), InputError(examples(["y" * 72_000] * 9))):
        assert len(str(made)) < 1_000
    assert str(InputError("x" * 72_000 + " at the end.")).endswith(" at the end.")


def test_arguments_of_another_kind() -> None:
    assert a_number("level", np.float16(0.5)) == 0.5
    assert a_whole_number("n", np.int8(3)) == 3
    of_kind("n", 3, int)
    for wrong in (np.array([0.5, 0.5]), "x", None, [1]):
        with pytest.raises(TypeError, match="level must be a number"):
            a_number("level", wrong)
        with pytest.raises(TypeError, match="n must be a whole number"):
            a_whole_number("n", wrong)
    with pytest.raises(TypeError, match="n must be int or str, not float"):
        of_kind("n", 0.5, int, str)
    with pytest.raises(InputError, match="too large"):
        a_number("level", 10**400)
    with pytest.raises(InputError, match="must be one of 'a', 'b'"):
        one_of("size", np.array(["a", "b"]), ("a", "b"))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: carob.paper.decompose([1]), "truth must be Ising, not list"),  # type: ignore[arg-type]
        (lambda: carob.paper.bounds.labeled_bound({}, 5), "model must be Ising, not dict"),  # type: ignore[arg-type]
        (lambda: carob.paper.asymptotics(3, "mean"), "truth must be Ising, not int"),  # type: ignore[arg-type]
        (lambda: carob.paper.known_curve(None, "mean", [5]), "truth must be Ising, not None"),  # type: ignore[arg-type]
        (lambda: carob.Moments.of([[0, 1]]), "votes must be Votes, not list"),  # type: ignore[arg-type]
        (lambda: carob.paper.expected_loss(0, 0), "truth must be an Ising model, not int"),  # type: ignore[arg-type]
    ],
)
def test_wrong_kinds_are_told_at_the_door(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call()


@pytest.mark.parametrize(
    "name", ["aggregate", "method", "level", "replicates", "signs", "negative", "known_pairs", "rng"]
)
def test_options_that_are_arrays_are_refused_by_name(name: str) -> None:
    votes = np.random.default_rng(0).integers(0, 2, (30, 4))
    with pytest.raises((InputError, TypeError), match=name):
        carob.LabelModel(**{name: np.array([0.5, -0.5])}).fit(votes)  # type: ignore[arg-type]
