"""What a fit found, whichever method it was: made once, and used as it is by all that label, weigh, show and save."""

from __future__ import annotations

from dataclasses import dataclass

from carob._types import Codes, Floats
from carob.count.digest import Digest
from carob.posterior.losses import CrossScore
from carob.posterior.naive_bayes import posterior
from carob.posterior.settings import Method
from carob.posterior.source_model import SourceModel
from carob.posterior.source_table import SourceTable
from carob.votes import Votes
from carob.votes.coding import Coding
from carob.votes.messages import Message


@dataclass(frozen=True, eq=False)
class Fit:
    """Sources and class balance with intervals, and from them the probabilities of points.

    `n_points` and `n_gold`: how many points and gold labels were learned from. `model`: how each source votes given the
    class, and the class balance. `coding`: how votes that it labels are written. `all_sources`: the sources with those
    that were set aside, in their order. `messages`: what of the data was dropped, and what was guessed. `sources`: how
    good each source is, with intervals. `balance_low` and `balance_high`, shape (K,): interval of the share of each
    class. `notes`: what went into the fit, a sentence each. `findings`: what is to be known of the sources before their
    labels are used, a sentence each. `worse`: sources that are surely worse than chance. `scores`: how good labels are
    on gold that they were not learned from; empty with little gold. `bin_classes`: the class that each bin of each
    source with scores speaks for most. `digest`: what it needs to learn from more votes later; None where not the
    default learned it, or from scores.
    """

    method: Method
    n_points: int
    n_gold: int
    model: SourceModel
    coding: Coding
    all_sources: tuple[str, ...]
    messages: tuple[Message, ...]
    sources: SourceTable
    balance_low: Floats
    balance_high: Floats
    notes: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    scores: tuple[CrossScore, ...] = ()
    bin_classes: tuple[Codes, ...] = ()
    digest: Digest | None = None

    @property
    def sources_saw_gold(self) -> bool:
        """Whether gold told of the sources: triplets take it for the class balance alone."""
        return self.method != "triplets" and self.n_gold > 0

    def posterior(self, votes: Votes) -> Floats:
        """Probability of each class for each point, shape (n, K)."""
        return posterior(votes, self.model)

    def class_model(self, votes: Votes) -> SourceModel:
        """What the class alone explains of votes; scores as the votes that they come to."""
        return self.model.as_voted(votes.scored, self.bin_classes)
