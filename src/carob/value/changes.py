"""What dropping or merging sources that depend on each other would do, measured on gold.

The default fit finds copies by itself and counts them once, so that nothing is left to try; triplets take sources to be
independent unless they are told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from carob.paper.count import count
from carob.paper.structure import DependentPair, dependent_pairs
from carob.paper.votes_fit import fit_votes
from carob.posterior.settings import Settings
from carob.value.interval import Interval
from carob.value.risks import FOLDS, Measured, Risks, blind
from carob.votes import Votes

MOST_PAIRS = 5  # the strongest; more are better dropped by hand
SURE = 2.5  # standard errors from which on a gain, of a few that were tried, is no chance


@dataclass(frozen=True)
class SourceChange:
    """A change of the sources and what it gains.

    Parameters
    ----------
    action : {"merge", "drop"}
    sources : tuple
        Pairs to take as one source, or sources to drop.
    gain : Interval
        How much less log loss votes and gold have, on gold points that were not learned from; its ends are `SURE`
        standard errors away.
    """

    action: Literal["merge", "drop"]
    sources: tuple[Any, ...]
    gain: Interval

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"action": self.action, "sources": self.sources, "gain": vars(self.gain)}


def source_changes(risks: Risks) -> tuple[SourceChange, ...]:
    """Try to merge the pairs that depend on each other most, and to drop the worse source of each."""
    votes, settings = risks.votes, risks.settings
    if not settings.takes_triplets:
        return ()
    counted = count(votes, settings)
    model = fit_votes(counted, risks.points, settings, partial=True).solution.model
    pairs = _apart(dependent_pairs(counted.statistics.moments, model, known_pairs=counted.pairs), len(votes.sources))
    # By name: positions are others where a source is dropped.
    given = [(votes.sources[i], votes.sources[j]) for i, j in settings.pairs(votes.sources)]
    copies = [pair for pair in pairs if pair.correlation > 0]
    accuracy = dict(zip(model.sources, model.accuracy, strict=True))
    found = []
    if pairs:
        names = tuple((pair.first, pair.second) for pair in pairs)
        together = replace(settings, known_pairs=(*given, *names))
        found.append(SourceChange("merge", names, _gain(risks, votes, together)))
    if copies:
        worse = tuple(min(pair.first, pair.second, key=lambda name: accuracy[name]) for pair in copies)
        fewer = votes.select(name for name in votes.sources if name not in worse)
        rest = replace(settings, known_pairs=[pair for pair in given if not {*pair} & {*worse}])
        found.append(SourceChange("drop", worse, _gain(risks, fewer, rest)))
    return tuple(found)


def _apart(pairs: list[DependentPair], m: int) -> list[DependentPair]:
    """The strongest pairs that share no source with each other, and leave three sources outside."""
    taken: set[str] = set()
    kept: list[DependentPair] = []
    for pair in pairs:
        if len(kept) < min(MOST_PAIRS, (m - 3) // 2) and not taken & {pair.first, pair.second}:
            kept.append(pair)
            taken |= {pair.first, pair.second}
    return kept


def _gain(risks: Risks, votes: Votes, settings: Settings) -> Interval:
    """Gain of learning from other sources or with other settings, on the same gold points."""
    points = risks.points.select(votes.sources)
    fold = settings.generator().permutation(len(points)) % FOLDS
    found = blind(votes, points, fold, settings).probabilities
    after = Measured.of(found, points, found)
    gains = risks.both.losses - after.losses
    share = points.weights / points.weights.sum()
    mean = float(share @ gains)
    error = float(np.sqrt(share**2 @ (gains - mean) ** 2))
    return Interval.around(mean, SURE * error)
