from __future__ import annotations

import pytest

from karat.errors import InputError, NotFittedError, NotIdentifiedError, examples, one_of, plural


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
