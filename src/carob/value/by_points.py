r"""What unlabeled points are worth, against how many there are: f(n) and V(n) = n / f(n) of the paper, measured.

Votes alone are learned from n of the points, for several n, and measured on the gold points; f(n) is the number of
labels with which gold alone does as well on them (`carob.value.equivalent`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from carob._types import Floats, Progress
from carob.label.model import learn_votes
from carob.paper.ratio import data_value_ratio
from carob.value.equivalent import equivalent
from carob.value.interval import Interval
from carob.value.risks import Risks

_HALVES = 5  # from all points down to a 32nd of them
_FEWEST = 3.0  # times as many points as gold labels, at least


@dataclass(frozen=True)
class ValueAt:
    """What n points are worth."""

    n: int
    loss: float  # log loss of votes alone, learned from them
    # equivalent_labels, ratio: f(n), infinite where gold does not tell, and V(n)
    equivalent_labels: Interval
    ratio: Interval


def value_by_points(risks: Risks, progress: Progress | None = None) -> tuple[ValueAt, ...]:
    """The value of fewer points than there are, and of all."""
    tell = progress or (lambda done, total: None)
    N, rng = len(risks.votes), risks.settings.generator()
    others = rng.permutation(np.setdiff1d(np.arange(N), risks.points.rows))
    sizes = [round(N / 2**k) for k in range(_HALVES, 0, -1)]
    sizes = [size for size in sizes if size >= _FEWEST * len(risks.points)]
    found = []
    for done, n in enumerate(sizes):
        tell(done, len(sizes))
        rows = np.concatenate([risks.points.rows, others[: n - len(risks.points)]])
        learned = learn_votes(risks.votes.take(rows), risks.settings)
        alone = learned.mixture(learned.prior, ()).posterior(risks.points.votes)
        found.append(_value(risks, n, alone))
    return (*found, _value(risks, N, risks.cross.votes_alone))


def _value(risks: Risks, n: int, alone: Floats) -> ValueAt:
    there = replace(risks, cross=replace(risks.cross, votes_alone=alone))
    f = equivalent(there, risks.settings.level)
    ratio = Interval(*(float(data_value_ratio(n, labels)) for labels in (f.value, f.high, f.low)))
    return ValueAt(n, there.scores["votes alone"].loss, f, ratio)
