"""Labels of points as columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulate import make_votes

from carob import InputError
from carob.engines.labels import label_columns

VOTES = make_votes([[0, 1, 1], [1, 1, 0], [0, 0, 0]])
PROBABILITIES = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])


def test_points_without_key_are_numbered_from_one() -> None:
    columns = label_columns(VOTES, PROBABILITIES)
    assert {name: values.tolist() for name, values in columns.items()} == {
        "row": [1, 2, 3],
        "label": [1, 0, 0],
        "p_0": [0.2, 0.5, 0.9],
        "p_1": [0.8, 0.5, 0.1],
        "n_votes": [3, 3, 3],
    }


def test_points_with_key_keep_it() -> None:
    keyed = replace(VOTES, keys=np.array(["x", "y", "z"]), key_name="id")
    columns = label_columns(keyed, PROBABILITIES)
    assert list(columns) == ["id", "label", "p_0", "p_1", "n_votes"]
    assert columns["id"].tolist() == ["x", "y", "z"]
    for taken in ("label", "p_1", "n_votes"):
        with pytest.raises(InputError, match=f"key column '{taken}' has the name of a column of what is written"):
            label_columns(replace(keyed, key_name=taken), PROBABILITIES)


def test_points_without_a_vote_may_be_left_empty() -> None:
    votes = make_votes([[0, 1, -1], [-1, -1, -1], [-1, 0, -1]])
    assert label_columns(votes, PROBABILITIES)["label"].tolist() == [1, 0, 0]
    left = label_columns(votes, PROBABILITIES, leave_uncovered=True)
    assert {name: values.tolist() for name, values in left.items() if name != "row"} == {
        "label": [1, None, 0],
        "p_0": [0.2, None, 0.9],
        "p_1": [0.8, None, 0.1],
        "n_votes": [2, 0, 1],
    }


def test_columns_are_handed_on_unless_labels_have_their_names() -> None:
    columns = label_columns(VOTES, PROBABILITIES, first_row=10, kept={"text": ["a", "b", "c"]})
    assert list(columns)[:3] == ["row", "text", "label"]
    assert columns["row"].tolist() == [11, 12, 13]
    with pytest.raises(InputError, match="'p_1' cannot be kept"):
        label_columns(VOTES, PROBABILITIES, kept={"p_1": [1, 2, 3]})
