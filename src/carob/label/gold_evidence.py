r"""What every output of every source says about the class, counted on gold alone.

Where gold is not too little, counting beats guessing: it takes no source to be like the others, and that a source says
nothing may speak for a class as its votes do. With c_y of n_y gold labels of class y an output o, which P(o) of all
points have, speaks for y by

    log P(o | y) - log P(o),    P(o | y) = (c_y + w P(o)) / (n_y + w)

where the w pseudo-labels keep outputs that gold hardly shows from saying much.
"""

from __future__ import annotations

import numpy as np

from carob._types import Codes
from carob.label.consensus import Ballots, Evidence, vote_counts
from carob.votes import Votes

WORTH = 10.0  # gold labels of a class that what all points do counts for
_SMALLEST = 1e-12  # share of an output


def gold_evidence(ballots: Ballots, gold_votes: Votes, truth: Codes) -> Evidence:
    """Count the outputs of all sources on gold points, silence among them.

    Parameters
    ----------
    ballots : Ballots
        All points: how common each output is, whatever the class.
    gold_votes : Votes
        Of the gold points.
    truth : array of int, shape (g,)
    """
    K = len(gold_votes.classes)
    of_class = np.eye(K)[truth]
    labels = of_class.sum(axis=0)
    shares = np.concatenate([1 - ballots.shares.sum(axis=1, keepdims=True), ballots.shares], axis=1)
    counts = vote_counts(gold_votes, of_class)
    counts = np.concatenate([labels - counts.sum(axis=1, keepdims=True), counts], axis=1)
    usual = np.maximum(shares, _SMALLEST)[:, :, None]
    log_odds = np.log((counts + WORTH * usual) / (labels + WORTH)) - np.log(usual)
    return Evidence(log_odds[:, 1:], gold_votes.outputs.sizes, ballots.groups, log_odds[:, 0])
