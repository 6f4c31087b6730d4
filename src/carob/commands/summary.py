"""What most commands tell of the data: its size, its sources and who copies whom, and how common each class is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carob._types import Floats, Ints, Label
from carob.count.digest import Digest
from carob.count.moments import Moments
from carob.model.label_model import LabelModel
from carob.paper.structure import DependentPair, dependent_pairs, unexplained
from carob.posterior.intervals import wilson
from carob.posterior.settings import Pairs
from carob.posterior.source_model import SourceModel
from carob.posterior.source_table import SourceTable
from carob.read.class_warnings import counted_warnings
from carob.votes import Votes
from carob.votes.coding import Coding
from carob.votes.counts import VoteCounts
from carob.votes.messages import Message, mending, of_kind


@dataclass(frozen=True, eq=False)
class DataSummary:
    """What was read, and how good each source is."""

    n_points: int
    n_gold: int | None  # gold labels; None where no gold was given at all
    classes: tuple[Label, ...]
    coding: Coding  # how classes and abstains are written
    sources: SourceTable
    level: float  # of the intervals of the accuracies
    contradicted: int  # for how many sources the interval of the estimate and the interval from gold do not meet
    # what of the data was dropped, what was guessed, and what to look at before the labels are used
    messages: tuple[Message, ...] = ()
    n_uncovered: int = 0  # points that no source votes on

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What to look at before the labels are used."""
        return of_kind(self.messages, "warning")

    @property
    def mending(self) -> list[str]:
        """Words of the command line that do what the warnings say."""
        return mending(self.warnings)

    @classmethod
    def of(
        cls,
        votes: Votes | Digest,
        sources: SourceTable,
        level: float,
        messages: tuple[Message, ...] = (),
        gold_seen: bool = False,
    ) -> DataSummary:
        """Summarise votes, and gold that came with them; accuracies that have seen gold are not contradicted by it."""
        counts, kept, gold = _counted(votes)
        return cls(
            len(votes), None if kept.gold is None else int(gold.sum()), kept.classes, kept.coding, sources, level,
            0 if gold_seen else _contradicted(sources, level),
            (*counted_warnings(counts, gold), *messages), counts.uncovered,
        )  # fmt: skip


def to_look_at(votes: Votes | Digest) -> tuple[Message, ...]:
    """What to look at first in the classes, for results that tell nothing else of the data."""
    counts, _, gold = _counted(votes)
    return tuple(counted_warnings(counts, gold))


def _counted(votes: Votes | Digest) -> tuple[VoteCounts, Votes, Ints]:
    """Counts of what sources say, votes that are held, and the number of gold labels of each class."""
    counts, kept = (votes.told, votes.kept) if isinstance(votes, Digest) else (votes.counts, votes)
    return counts, kept, np.zeros(len(kept.classes), dtype=np.int64) if kept.gold is None else kept.gold.counts


def _contradicted(sources: SourceTable, level: float) -> int:
    low, high = wilson(sources.correct, sources.correct + sources.incorrect, level)
    return int(((low > sources.high) | (high < sources.low)).sum())


@dataclass(frozen=True)
class ClassShare:
    """How common a class is, with its interval; both ends are the value where it was given."""

    label: Label
    value: float
    low: float
    high: float


def class_shares(model: LabelModel) -> tuple[ClassShare, ...]:
    """How common each class is, as a fitted model has it."""
    columns = (model.class_balance_, model.class_balance_low_, model.class_balance_high_)
    rows = zip(model.source_model_.classes, *(column.tolist() for column in columns), strict=True)
    return tuple(ClassShare(*row) for row in rows)


@dataclass(frozen=True)
class ScoreSummary:
    """How the numbers of a source are spread, and where they are best cut into votes."""

    source: str
    kind: str  # "score" or "probability"
    # the lowest number, those that a quarter, half and three quarters of the points are up to, and the highest;
    # each is the mean of its bin
    quarters: tuple[float, ...]
    # from here on, or up to here where high numbers speak for the first class, a number is a vote for the second
    # class; None where no single cut tells the classes apart
    cut: float | None
    accuracy: float  # how often the source is right, if cut there


def score_summaries(votes: Votes, model: LabelModel) -> tuple[ScoreSummary, ...]:
    """A summary of every source that gives scores."""
    rows = []
    places = np.flatnonzero(votes.scored).tolist()
    for i, (name, scale), bin_classes in zip(places, votes.scales.items(), model.fit_.bin_classes, strict=True):
        given = votes.values[:, i]
        numbers = np.array(scale.centres)[np.sort(given[given >= 0])]
        quarters = tuple(float(numbers[round(share * (len(numbers) - 1))]) for share in (0, 0.25, 0.5, 0.75, 1))
        changes = np.flatnonzero(np.diff(bin_classes))
        cut = scale.edges[changes[0]] if len(changes) == 1 else None
        rows.append(ScoreSummary(name, scale.kind, quarters, cut, float(model.source_table_.accuracy[i])))
    return tuple(rows)


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
        first = set(list(dict.fromkeys(names))[:24])  # every pair of so many is told
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
