from __future__ import annotations

import numpy as np
import pytest
from simulate import make_votes

from carob import Coding, InputError, LabelModel, Votes
from carob.votes.coding import Column


def test_coding_in_words() -> None:
    assert str(Coding(("ham", "spam"), ("",))) == "classes 'ham', 'spam'; an empty cell is an abstain"
    assert repr(make_votes(np.zeros((2, 1)), 7)) == "Votes(2 points, 1 sources, classes 0, 1, 2, 3, 4, ...)"


def test_numbers_without_a_sign_above_two_to_the_63() -> None:
    values = np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64)
    column = Column.of(values, None, "c", None)
    assert (column.levels, column.cells.tolist()) == ([2**64 - 2, 2**64 - 1], [1, 0, 1])
    votes = Votes.from_array(np.tile(values, (4, 1)).T)
    assert votes.classes == (2**64 - 2, 2**64 - 1)


def test_texts_keep_every_letter() -> None:
    classes = ["a\0", "a", "b" * 100]
    votes = Votes.from_array([[label, classes[0], classes[1]] for label in classes] * 30)
    assert set(votes.classes) == set(classes)
    model = LabelModel(replicates=0).fit(votes)
    assert set(model.classes_.tolist()) == set(classes)
    assert set(model.predict(votes).tolist()) <= set(classes)
    with pytest.raises(InputError, match="not a number of 1,329 bits"):
        Votes.from_array([[10**400, 1], [1, 1]])
