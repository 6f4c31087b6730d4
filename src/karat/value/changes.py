"""What dropping or merging sources that depend on each other would do, measured on gold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from karat.estimate.count import count
from karat.estimate.settings import Settings
from karat.estimate.structure import DependentPair
from karat.estimate.votes_fit import fit_votes
from karat.value.combined_curve import cross_validated
from karat.value.jackknife import Interval
from karat.value.risks import Risks
from karat.votes import Votes

MOST_PAIRS = 5  # the strongest; more are better dropped by hand


@dataclass(frozen=True)
class SourceChange:
    """A change of the sources and what it gains.

    Parameters
    ----------
    action : {"merge", "drop"}
    sources : tuple
        Pairs to take as one source, or sources to drop.
    gain : Interval
        How much less log loss the combination has, on gold points that it has not learned from.
    """

    action: Literal["merge", "drop"]
    sources: tuple[Any, ...]
    gain: Interval

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"action": self.action, "sources": self.sources, "gain": vars(self.gain)}


def source_changes(risks: Risks, settings: Settings) -> tuple[SourceChange, ...]:
    """Try to merge the pairs that depend on each other most, and to drop the worse source of each."""
    votes, model = risks.votes, risks.votes_fit.solution.model
    pairs = _apart(risks.pairs, len(votes.sources))
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
    """Gain of learning the combination from other sources or with other settings, on the same gold points."""
    counted = count(votes, settings)
    votes_fit = fit_votes(counted, risks.judge.gold.select(votes.sources), settings, partial=True)
    _, after = cross_validated(risks.judge, votes_fit)
    gain = risks.judge.observed(risks.combined.on_gold) - risks.judge.observed(after)
    return Interval.of(gain, settings.level)
