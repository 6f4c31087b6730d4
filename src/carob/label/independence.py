"""Whether votes show any dependence between sources that the class does not explain.

Real sources nearly always do: of 22 real sets of votes, all with enough common votes to tell leave more agreement over
than chance does. Where a latent class explains all agreement, either the sources work on their own, or all of them
follow one thing that is not quite the class, which no votes can tell apart.
"""

from __future__ import annotations

import numpy as np

from carob._types import Codes, Floats
from carob.count.moments import MOST_OUTPUTS, Moments
from carob.label.consensus import vote_counts
from carob.paper.structure import unexplained
from carob.posterior.losses import entropy, log_losses
from carob.posterior.source_model import SourceModel
from carob.votes import Votes

CHANCE = 1.1  # mean square of the agreement left over, in standard errors, that is chance
ERRORS = 2.0  # standard errors of that mean above it that are chance, too
FEWEST_SOURCES = 4  # the votes of three are explained by any latent class
MOST_SOURCES = 100  # of a crowd hardly two vote on the same points
COMMON = 300  # points on which a usual pair votes, so that a correlation of .06 would be seen
SURPRISED = 2.0  # standard errors by which gold may lose more than is expected of it
_SMALLEST = 1e-9


def looks_independent(votes: Votes, guess: Floats, errors: float = ERRORS) -> bool:
    """Whether the classes of the points explain all agreement between sources, and votes are enough to tell.

    Parameters
    ----------
    guess : array, shape (n, K)
        Probabilities of the classes, all votes counting in full.
    errors : float
        Standard errors above chance that are chance, too.
    """
    m = len(votes.sources)
    if not FEWEST_SOURCES <= m <= MOST_SOURCES or len(votes.outputs.source) > MOST_OUTPUTS:
        return False
    pairs = np.triu_indices(m, 1)
    moments = Moments.of(votes)
    if np.median(moments.together[pairs]) < COMMON:
        return False
    said = vote_counts(votes, guess).transpose(0, 2, 1) / guess.sum(axis=0)[:, None]
    whole = np.maximum(np.concatenate([1 - said.sum(axis=2, keepdims=True), said], axis=2), _SMALLEST)
    tables = [table[:, :size] for table, size in zip(whole, votes.outputs.sizes, strict=True)]
    tables = [table / table.sum(axis=1, keepdims=True) for table in tables]
    balance = guess.mean(axis=0)
    model = SourceModel.independent(votes.sources, votes.classes, balance / balance.sum(), tables)
    left_over = unexplained(moments, model)[1][pairs]
    return bool((left_over**2).mean() <= CHANCE + errors * np.sqrt(2 / len(left_over)))


def borne_out(p: Floats, truth: Codes) -> bool:
    """Whether gold loses no more by some probabilities than they themselves expect it to, up to chance.

    Sources that all follow one thing that is not quite the class look as if they worked on their own, and gold that
    was not learned from tells them apart: where points are as p says, the log loss has the mean and the variance of
    -log p under p.

    Parameters
    ----------
    p : array, shape (g, K)
    truth : array of int, shape (g,)

    Examples
    --------
    >>> p = np.tile([0.8, 0.2], (100, 1))
    >>> borne_out(p, np.arange(100) % 5 // 4), borne_out(p, np.arange(100) % 2)
    (True, False)
    """
    expected = entropy(p)
    variance = (p * np.log(np.maximum(p, _SMALLEST)) ** 2).sum(axis=1) - expected**2
    losses = log_losses(p[np.arange(len(truth)), truth])
    return bool((losses - expected).sum() <= SURPRISED * np.sqrt(np.maximum(variance, 0).sum()))
