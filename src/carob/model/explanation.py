"""What moved a point, in sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Label
from carob.posterior.fit import Fit
from carob.votes import Votes


@dataclass(frozen=True)
class Moved:
    """What one vote does to a point."""

    source: str
    vote: Label  # the class it votes for, or the numbers among which its score is
    change: float  # how much more probable it makes the class that the point is given: with it less without it
    score: bool = False  # whether it is a score


def moved(fit: Fit, point: Votes) -> tuple[Label, float, list[Moved]]:
    """The most probable class of a point, its probability, and what each vote does to that, the most first."""
    values = point.values[0]
    voters = np.flatnonzero(values >= 0)
    rows = np.repeat(values[None, :], len(voters) + 1, axis=0)
    rows[np.arange(len(voters)), voters] = -1
    probabilities = fit.posterior(Votes(rows, point.sources, point.coding))
    label = int(probabilities[-1].argmax())
    changes = probabilities[-1, label] - probabilities[:-1, label]
    order = np.argsort(-np.abs(changes), kind="stable")
    scales = point.scales
    found = []
    for k in order.tolist():
        source, output = point.sources[voters[k]], int(values[voters[k]])
        vote = scales[source].words(output) if source in scales else point.classes[output]
        found.append(Moved(source, vote, float(changes[k]), source in scales))
    return point.classes[label], float(probabilities[-1, label]), found


def point_explanation(fit: Fit, point: Votes) -> str:
    """What moved a point, a line for every vote."""
    label, probability, votes = moved(fit, point)
    if not votes:
        return f"{label!r} with probability {probability:.3f}: nobody votes on the point."
    lines = [f"{label!r} with probability {probability:.3f}; with each vote less without it:"]
    said = ((vote, f"gives {vote.vote}" if vote.score else f"votes {vote.vote!r}") for vote in votes)
    return "\n".join([*lines, *(f"{vote.change:+.3f}  {vote.source} {words}" for vote, words in said)])
