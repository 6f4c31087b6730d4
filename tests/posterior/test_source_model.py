from __future__ import annotations

import numpy as np
import pytest

from carob import InputError, SourceModel, Votes
from carob.paper import posterior


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ([[0, 0.5, 0.4], [0, 0.5, 0.5]], "do not add up"),
        ([[0, 1.5, -0.5], [0, 0.5, 0.5]], "no probabilities"),
        ([[0, np.nan, 0.5], [0, 0.5, 0.5]], "no probabilities"),
        ([[0, 1, 0], [0, 0.5, 0.5]], "impossible for one class only"),
        ([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], "shape"),
    ],
)
def test_tables_that_are_no_distributions_are_refused(table: list[list[float]], text: str) -> None:
    with pytest.raises(InputError, match=text):
        SourceModel(("a",), (0, 1), np.array([0.5, 0.5]), ((0,),), (np.array(table),))


def test_every_source_is_in_one_group() -> None:
    with pytest.raises(InputError, match="exactly one group"):
        SourceModel(("a", "b"), (0, 1), np.array([0.5, 0.5]), ((0,),), (np.full((2, 3), 1 / 3),))


def test_accuracy_is_the_share_of_votes_that_are_right() -> None:
    table = np.array([[0.2, 0.6, 0.2], [0.5, 0.1, 0.4]])
    model = SourceModel.independent(("a",), (0, 1), np.array([0.3, 0.7]), [table])
    right, cast = 0.3 * 0.6 + 0.7 * 0.4, 0.3 * 0.8 + 0.7 * 0.5
    assert model.accuracy[0] == pytest.approx(right / cast)


def test_a_source_in_a_group_has_the_margin_of_the_joint_table() -> None:
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(9), 2).reshape(2, 3, 3)
    alone = rng.dirichlet(np.ones(3), 2)
    model = SourceModel(("a", "b", "c"), (0, 1), np.array([0.5, 0.5]), ((0, 2), (1,)), (joint, alone))
    np.testing.assert_allclose(model.source_tables[0], joint.sum(axis=2))
    np.testing.assert_allclose(model.source_tables[2], joint.sum(axis=1))
    np.testing.assert_allclose(model.source_tables[1], alone)
    assert model.conditionals.shape == (3, 2, 3)


def test_tables_that_do_not_fit_the_votes_are_refused() -> None:
    votes = Votes.from_array([[0, 1], [1, 1]])
    table = np.full((2, 4), 0.25)
    model = SourceModel.independent(votes.sources, votes.classes, np.array([0.5, 0.5]), [table, table])
    with pytest.raises(InputError, match="do not have as many outputs"):
        posterior(votes, model)
