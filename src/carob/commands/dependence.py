"""How often sources agree, and how much of it the class does not explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats
from carob.count.moments import Moments
from carob.paper.structure import DependentPair, dependent_pairs, unexplained
from carob.posterior.settings import Pairs
from carob.posterior.source_model import SourceModel

_MOST_SHOWN = 24  # sources of which every pair is told


@dataclass(frozen=True, eq=False)
class Dependence:
    """Every pair of some sources: those in flagged pairs first, then those that vote most, in their order."""

    sources: tuple[str, ...]
    # shape (s, s): share of the points on which both vote where they vote the same; NaN where there is none
    agreement: Floats
    correlation: Floats  # shape (s, s): correlation of their votes that the class does not explain
    pairs: tuple[DependentPair, ...]  # all pairs, of all sources, that surely depend on each other, the strongest first
    n_sources: int  # sources that there are

    @classmethod
    def of(cls, moments: Moments, model: SourceModel, known_pairs: Pairs = ()) -> Dependence:
        """From the counts of votes and a model that explains them."""
        pairs = dependent_pairs(moments, model, known_pairs=known_pairs)
        names = [name for pair in pairs for name in (pair.first, pair.second)]
        names += [moments.sources[i] for i in np.argsort(-moments.coverage, kind="stable")]
        first = set(list(dict.fromkeys(names))[:_MOST_SHOWN])
        shown = np.array([i for i, name in enumerate(moments.sources) if name in first], dtype=np.intp)
        block = np.ix_(shown, shown)
        together = moments.together[block]
        agreement = np.where(together > 0, moments.agree[block] / np.maximum(together, 1), np.nan)
        correlation, _ = unexplained(moments, model)
        return cls(
            tuple(moments.sources[i] for i in shown), agreement, correlation[block], tuple(pairs), len(moments.sources)
        )

    def agree(self, pair: DependentPair) -> float | None:
        """Share of the points on which both vote where they vote the same; None where nobody looked."""
        if not {pair.first, pair.second} <= {*self.sources}:
            return None
        return float(self.agreement[self.sources.index(pair.first), self.sources.index(pair.second)])
