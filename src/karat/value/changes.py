"""What dropping or merging sources that depend on each other would do, measured on gold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from karat._types import Floats
from karat.estimate.fit import Settings, add_gold, merging, solve_votes
from karat.estimate.structure import DependentPair
from karat.value.learning import Measured, cross_validated
from karat.value.risk import Interval
from karat.votes import Gold, Votes

_MOST_PAIRS = 5  # the strongest; more are better dropped by hand


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

    @property
    def what(self) -> str:
        """The change in words."""
        if self.action == "drop":
            return "drop " + ", ".join(map(repr, self.sources))
        return (
            "take " + ", ".join(f"{first!r} with {second!r}" for first, second in self.sources) + " as one source each"
        )

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of `karat fit` that make the change."""
        return {"drop": self.sources} if self.action == "drop" else {"known_pairs": self.sources}

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"action": self.action, "sources": self.sources, "gain": vars(self.gain)}


def source_changes(measured: Measured, settings: Settings) -> tuple[SourceChange, ...]:
    """Try to merge the pairs that depend on each other most, and to drop the worse source of each."""
    votes, model = measured.votes, measured.solution.model
    pairs = _apart(measured.pairs, len(votes.sources))
    # By name: positions are others where a source is dropped.
    known = [(votes.sources[i], votes.sources[j]) for i, j in measured.solution.known_pairs]
    copies = [pair for pair in pairs if pair.correlation > 0]
    accuracy = dict(zip(model.sources, model.accuracy, strict=True))
    found = []
    if pairs and not measured.solution.problem.symmetric:
        names = tuple((pair.first, pair.second) for pair in pairs)
        together = replace(settings, known_pairs=(*known, *names))
        found.append(SourceChange("merge", names, _gain(measured, votes, together)))
    if copies:
        worse = tuple(min(pair.first, pair.second, key=lambda name: accuracy[name]) for pair in copies)
        fewer = votes.select(name for name in votes.sources if name not in worse)
        rest = replace(settings, known_pairs=[pair for pair in known if not {*pair} & {*worse}])
        found.append(SourceChange("drop", worse, _gain(measured, fewer, rest)))
    return tuple(found)


def _apart(pairs: list[DependentPair], m: int) -> list[DependentPair]:
    """The strongest pairs that share no source with each other, and leave three sources outside."""
    taken: set[str] = set()
    kept: list[DependentPair] = []
    for pair in pairs:
        if len(kept) < min(_MOST_PAIRS, (m - 3) // 2) and not taken & {pair.first, pair.second}:
            kept.append(pair)
            taken |= {pair.first, pair.second}
    return kept


def _gain(measured: Measured, votes: Votes, settings: Settings) -> Interval:
    """Gain of learning the combination from other sources or with other settings, on the same gold points."""
    solution = solve_votes(votes, measured.gold, replace(settings, replicates=0), None, partial=True)[0]
    merge = merging(votes, solution, settings)
    known = settings.class_balance is not None

    def learn(points: Votes, truth: Gold) -> Floats:
        return add_gold(solution, points.select(votes.sources), truth, known, 0, merge=merge).posterior(listed)

    listed = measured.ruler.population.votes.select(votes.sources)
    _, held = cross_validated(measured.ruler, learn)
    before, after = (measured.ruler.observed(losses) for losses in (measured.held, held))
    return Interval.of(before - after, settings.level)
