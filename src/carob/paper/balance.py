r"""How common each class is: given, or estimated from votes, and from gold where there is some.

How votes tell depends on the kind of source: third moments for class-conditional sources, shares of votes for symmetric
ones. Gold labels are added to what votes say as if that were worth `VOTES_WORTH` of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from carob._types import Floats, Ints
from carob.count.moments import Moments
from carob.count.statistics import TripleSums
from carob.errors import NotIdentifiedError
from carob.paper.count import check_shape, check_sources, count
from carob.paper.kinds import Kind
from carob.paper.settings import TripletSettings
from carob.posterior.settings import Pairs, Positions
from carob.posterior.source_model import gold_balance
from carob.votes import Votes

VOTES_WORTH = 25.0  # gold labels that the class balance found in the votes counts for


@dataclass(frozen=True, eq=False)
class Balance:
    """The class balance as a function of the statistics of some points, with all choices made."""

    given: Floats | None  # shape (K,): what the user says
    kind: Kind
    pairs: Positions  # sources known to depend on each other
    triples: TripleSums | None  # what was summed for it

    def of(self, moments: Moments, sums: Ints | None, gold_counts: Ints | None) -> Floats:
        """The class balance of points with these moments and sums, and these numbers of gold labels, shape (K,)."""
        if self.given is not None:
            return self.given
        if gold_counts is None:
            return self.kind.class_balance(moments, self.triples, sums, self.pairs)
        try:
            from_votes = self.kind.class_balance(moments, self.triples, sums, self.pairs)
        except NotIdentifiedError:
            return gold_balance(gold_counts)
        return gold_balance(gold_counts, VOTES_WORTH * from_votes)


def class_balance(votes: Votes, known_pairs: Pairs = ()) -> Floats:
    """Estimate the share of each class from votes alone, shape (K,).

    Raises
    ------
    NotIdentifiedError
        Where no triplet of sources is usable.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(100_000) < 0.3
    >>> votes = Votes.from_array(np.where(rng.random((6, 100_000)) < 0.75, y, ~y).T.astype(np.int8))
    >>> class_balance(votes).round(2)
    array([0.7, 0.3])
    """
    if not isinstance(votes, Votes):
        raise TypeError(f"class_balance takes Votes, not {type(votes).__name__}.")
    check_shape(len(votes), len(votes.sources))
    settings = TripletSettings(known_pairs=known_pairs)
    counted = count(votes, settings)
    check_sources(counted.statistics.moments, counted.pairs)
    return Balance(None, counted.kind, counted.pairs, counted.statistics.triples).of(
        counted.statistics.moments, counted.triple_sums, None
    )
