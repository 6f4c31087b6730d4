from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulate import make_votes

from carob import InputError, Votes
from carob._types import Floats
from carob.commands.outputs import LabelCounter, LabelShare, check_different

VOTES = make_votes([[0, 1, 1], [1, 1, 0], [0, 0, 0]])
PROBABILITIES = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])


def label_shares(votes: Votes, probabilities: Floats, leave_uncovered: bool = False) -> tuple[LabelShare, ...]:
    counter = LabelCounter(votes.classes, leave_uncovered)
    counter.add(votes, probabilities)
    return counter.shares


def test_invariant_labels_are_counted_the_same_in_any_parts() -> None:
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet([1, 1, 1], 5_000)
    votes = Votes.from_array(rng.integers(0, 3, (5_000, 2)))
    whole, parts = LabelCounter(votes.classes), LabelCounter(votes.classes)
    whole.add(votes, probabilities)
    for low, high in ((3_000, 5_000), (0, 1), (1, 3_000)):
        parts.add(votes.take(slice(low, high)), probabilities[low:high])
    assert whole.shares == parts.shares
    assert (whole.histogram.points == parts.histogram.points).all()
    assert [share.mean_probability for share in whole.shares] == pytest.approx(probabilities.mean(axis=0), abs=1e-14)


def test_known_answer_shares_of_labels() -> None:
    found = label_shares(VOTES, PROBABILITIES)
    assert [(share.label, share.points) for share in found] == [(0, 2), (1, 1)]
    assert [share.mean_probability for share in found] == pytest.approx([1.6 / 3, 1.4 / 3])


def test_a_class_that_no_point_has() -> None:
    assert label_shares(VOTES, np.array([[0.6, 0.4]] * 3))[1].points == 0


def test_points_without_a_vote_may_be_left_out_of_the_count() -> None:
    votes = make_votes([[0, 1, -1], [-1, -1, -1], [-1, 0, -1]])
    assert [share.points for share in label_shares(votes, PROBABILITIES, leave_uncovered=True)] == [1, 1]


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    out = str(tmp_path / "out.csv")
    assert check_different(out, None) == [out]
    assert check_different(out, str(tmp_path / "model.json")) == [out, str(tmp_path / "model.json")]
    with pytest.raises(InputError, match="must be different files"):
        check_different(out, out)
