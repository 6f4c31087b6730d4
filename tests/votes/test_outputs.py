from __future__ import annotations

import numpy as np
import pytest

from carob import SourceModel
from carob.votes.outputs import Outputs, joint_output


def test_oracle_joint_outputs_are_numpys() -> None:
    rng = np.random.default_rng(0)
    sizes = (3, 5, 2)
    given = [rng.integers(0, size, 50) for size in sizes]
    np.testing.assert_array_equal(joint_output(given, sizes), np.ravel_multi_index(tuple(given), sizes))


def test_sources_may_have_any_number_of_outputs() -> None:
    outputs = Outputs((3, 2, 5))
    assert outputs.source.tolist() == [0, 0, 1, 2, 2, 2, 2]
    assert outputs.spoken.tolist() == [1, 2, 1, 1, 2, 3, 4]
    assert outputs.first.tolist() == [0, 2, 3]
    assert outputs.number((0, 2)) == 15
    assert len(outputs) == 3


def test_a_model_may_have_sources_with_other_outputs_than_classes() -> None:
    tables = (np.array([[0.1, 0.6, 0.3], [0.1, 0.2, 0.7]]), np.array([[0.2, 0.2, 0.2, 0.4], [0.4, 0.2, 0.2, 0.2]]))
    model = SourceModel.independent(("vote", "bins"), (0, 1), np.array([0.5, 0.5]), tables)
    assert model.sizes == (3, 4)
    with pytest.raises(ValueError, match="same shape"):
        _ = model.conditionals
