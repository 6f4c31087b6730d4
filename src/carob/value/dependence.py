"""Which explanation of how sources agree is told: the one that needs the fewest dependent pairs."""

from __future__ import annotations

from carob.count.moments import Moments
from carob.errors import InputError, NotIdentifiedError
from carob.paper.structure import dependent_pairs
from carob.paper.triplet_fit import triplets
from carob.posterior.fit import Fit
from carob.posterior.settings import Pairs
from carob.posterior.source_model import SourceModel
from carob.votes import Votes


def explaining_model(moments: Moments, fit: Fit, votes: Votes, known_pairs: Pairs) -> SourceModel:
    """The class model of the fit, or median triplets where these leave fewer pairs over.

    Copies of one source mislead triplets where they are many, and the class model where all sources are weak.
    """
    found = fit.class_model(votes)
    if len(moments.classes) > 2 or len(moments.sources) < 3 or fit.method != "consensus":
        return found
    try:
        other = triplets(moments, class_balance=fit.model.class_balance, known_pairs=known_pairs)
    except (InputError, NotIdentifiedError):  # no triplet of these sources tells
        return found
    return min((found, other), key=lambda model: len(dependent_pairs(moments, model, known_pairs=known_pairs)))
