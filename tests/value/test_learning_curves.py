from __future__ import annotations

import numpy as np
import pytest

from carob.paper.ratio import equivalent_labels
from carob.value.equivalent import equivalent
from carob.value.learning_curves import learning_curves
from carob.value.risks import Risks


def test_f_and_its_interval_are_where_curve_and_band_meet_votes_alone(risks: Risks) -> None:
    curves, f = learning_curves(risks), equivalent(risks, 0.9)
    level = curves.votes_alone.value
    # As the loss of votes alone is corrected by what the model expects, and the curve is drawn against it.
    assert equivalent_labels(curves.n, curves.gold_alone, level) == pytest.approx(f.value)
    assert equivalent_labels(curves.n, curves.high, level) == pytest.approx(f.high)
    assert (curves.low <= curves.gold_alone).all()
    assert (curves.gold_alone <= curves.high).all()


def test_both_go_through_what_was_measured(risks: Risks) -> None:
    curves = learning_curves(risks)
    told = np.isfinite(curves.both)
    assert (told == (curves.n >= len(risks.points) / 2)).all()
    n, both = curves.n[told], curves.both[told]
    now = np.interp(1 / len(risks.points), 1 / n[::-1], both[::-1])
    assert now == pytest.approx(risks.scores["votes and gold"].loss, rel=0.01)
    assert (np.diff(both) < 0).all()
    assert curves.n_gold == len(risks.points)
