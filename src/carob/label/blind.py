r"""Probabilities by fits that have not seen a point's label, and how much they depend on which labels were seen.

Fits without each of F parts of gold differ by what those labels taught. The mean divergence of their probabilities from
their mean, times F - 1, is what the jackknife says the probabilities vary by over draws of the gold labels: what G
labels cost for not being infinitely many, as far as that is variance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from carob._types import Floats, Ints
from carob.label.agreed import blind_fits
from carob.posterior.losses import entropy
from carob.posterior.settings import Settings
from carob.votes import GoldPoints, Votes


@dataclass(frozen=True, eq=False)
class Blind:
    """Probabilities of all points by fits that have not seen their labels.

    Parameters
    ----------
    probabilities : array, shape (n, K)
        Of gold points by the fit without them; of other points, the mean over fits.
    variation : float
        What probabilities vary by over draws of gold, as a mean divergence in nats.
    """

    probabilities: Floats
    variation: float

    @classmethod
    def of_fits(cls, fits: Iterable[Floats], points: GoldPoints, fold: Ints) -> Blind:
        """From the probabilities of all points by a fit without each part of gold, in the order of the parts."""
        parts = np.unique(fold)
        mean, own, information = np.zeros(()), np.zeros(()), 0.0
        for part, found in zip(parts, fits, strict=True):
            if part == parts[0]:
                mean, own = np.zeros_like(found), np.zeros((len(points), found.shape[1]))
            mean += found / len(parts)
            information += information_of(found) / len(parts)
            seen = fold == part
            own[seen] = found[points.rows[seen]]
        variation = (len(parts) - 1) * (information - information_of(mean))
        mean[points.rows] = own
        return cls(mean, max(variation, 0.0))


def predicted_blind(votes: Votes, points: GoldPoints, fold: Ints, settings: Settings) -> Blind:
    """Probabilities by default fits without each part of gold.

    Parameters
    ----------
    fold : array of int, shape (g,)
        The part of gold that each gold point is in.
    """
    return Blind.of_fits(blind_fits(votes, points, fold, settings), points, fold)


def information_of(p: Floats) -> float:
    """Mean over points of the sum of p log p over classes: how far probabilities are from knowing nothing, in nats."""
    return -float(entropy(p).mean()) if len(p) else 0.0
