from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from carob import InputError, Votes


@pytest.mark.parametrize(
    ("values", "classes", "abstain", "first_row"),
    [
        ([[0, 1, 1], [1, 0, 0]], (0, 1), (-1,), [0, 1, 1]),
        ([[-1, 1, 1], [1, -1, -1]], (-1, 1), (0,), [0, 1, 1]),
        ([[-1, 0, 2], [1, 0, 2]], (0, 1, 2), (-1,), [-1, 0, 2]),
        ([[1, 2, 3], [3, 2, 1]], (1, 2, 3), (-1,), [0, 1, 2]),
        ([[True, False, True], [False, False, True]], (False, True), (), [1, 0, 1]),
        ([["spam", "ham", ""], ["ham", "spam", "spam"]], ("ham", "spam"), ("",), [1, 0, -1]),
        ([["yes", None, "no"], ["no", "yes", "yes"]], ("no", "yes"), ("",), [1, -1, 0]),
        ([["a", "ABSTAIN", "b"], ["b", "a", "a"]], ("a", "b"), ("", "ABSTAIN"), [0, -1, 1]),
        ([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], (0, 1), (-1,), [0, 1, 1]),
        ([[0, None, 1], [1, 0, 1]], (0, 1), (-1,), [0, -1, 1]),
    ],
)
def test_codings_are_found(
    values: list[list[object]], classes: tuple[object, ...], abstain: tuple[object, ...], first_row: list[int]
) -> None:
    votes = Votes.from_array(values)
    assert votes.classes == classes
    assert votes.coding.abstain == abstain
    assert votes.values[0].tolist() == first_row


def test_ambiguous_coding_is_refused_and_either_option_settles_it() -> None:
    values = [[-1, 0, 1], [1, 1, 0]]
    with pytest.raises(InputError, match=r"-1, 0, 1. Either.*--abstain 0.*--abstain -1"):
        Votes.from_array(values)
    assert Votes.from_array(values, abstain=0).classes == (-1, 1)
    assert Votes.from_array(values, abstain=-1).classes == (0, 1)
    assert Votes.from_array(values, classes=[0, 1]).values[0].tolist() == [-1, 0, 1]
    assert Votes.from_array(values, gold=[0, 1]).classes == (0, 1)
    assert Votes.from_array(values, gold=[-1, 1]).classes == (-1, 1)
    assert Votes.from_array(values, classes=[-1, 0, 1]).values[0].tolist() == [0, 1, 2]


def test_nan_is_an_abstain_only_where_the_user_says_so() -> None:
    values = np.array([[0.0, 1.0, np.nan], [1.0, 0.0, 1.0]])
    with pytest.raises(InputError, match=r"source 's2' holds NaN in 1 cells \(first in row 1\).*--abstain nan"):
        Votes.from_array(values)
    assert Votes.from_array(values, abstain=float("nan")).values[0].tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([[0, np.inf], [1, 1]], "source 's1' holds infinity in 1 cells"),
        ([[0, 0.5], [1, 1]], "source 's1' holds 0.5.*not a measurement"),
        ([[0, -3], [1, 1]], "hold -3.*--classes"),
        ([[1, 1], [1, 1]], "only the class 1; two classes"),
        ([[-1, -1], [-1, -1]], "two classes"),
        (np.zeros((0, 3), dtype=int), "zero rows"),
        (np.zeros((3, 0), dtype=int), "no sources"),
        ([0, 1], "two axes"),
        ([[0, 1], [1]], "rectangle"),
        ([[0, "a"], [1, "b"]], "mix text"),
        ([[0, 1j], [1, 1]], "not complex"),
        ([[{}, 1], [1, 1]], "number, a boolean or text"),
        (np.arange(400).reshape(200, 2), "400 classes; carob takes at most 127"),
        ([[None, None]], "two classes"),
    ],
)
def test_refusals(values: npt.ArrayLike, text: str) -> None:
    with pytest.raises(InputError, match=text):
        Votes.from_array(values)


def test_refusal_of_classes() -> None:
    with pytest.raises(InputError, match=r"source 's1' holds 2 \(first in row 2\).*neither a class nor an abstain"):
        Votes.from_array([[0, 1], [1, 2]], classes=[0, 1])
    with pytest.raises(InputError, match="two or more different labels"):
        Votes.from_array([[0, 1], [1, 1]], classes=[0, 0])
    with pytest.raises(InputError, match="both a class and the abstain"):
        Votes.from_array([[0, 1], [1, 1]], classes=[0, 1], abstain=0)
    with pytest.raises(InputError, match="names must differ; 'a'"):
        Votes.from_array([[0, 1], [1, 1]], sources=["a", "a"])
    with pytest.raises(InputError, match="3 source names for 2 columns"):
        Votes.from_array([[0, 1], [1, 1]], sources=["a", "b", "c"])
