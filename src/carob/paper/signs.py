"""Which sources vote against the class rather than for it."""

from __future__ import annotations

import numpy as np

from carob._types import Bools, Floats, Ints
from carob.count.moments import Moments
from carob.errors import NotIdentifiedError
from carob.posterior.settings import Positions
from carob.posterior.source_model import SourceModel

SURE = 2.0  # standard errors between a source's agreement with the rest and none at all


def found_signs(moments: Moments, model: SourceModel, pairs: Positions) -> Ints:
    """+1 for sources that vote with the class and -1 for those that vote against it, shape (m,).

    Triplets give accuracies up to sign. The signs that make all pairs agree best are those of the leading
    eigenvector of the agreements beyond chance. Turning all of them is another answer that explains the votes
    as well; the one in which most of the strength is on the side of the class is taken. Refused where a source's
    agreement with the rest is within two standard errors of none, or where the two sides are about as strong.
    """
    excess, error = excess_agreement(moments)
    for i, j in pairs:  # what known pairs share is not only the class
        excess[i, j] = excess[j, i] = error[i, j] = error[j, i] = 0
    _, vectors = np.linalg.eigh(excess)
    leading = vectors[:, -1]
    sign = np.where(leading >= 0, 1, -1)
    strength = np.array([(excess[i] * sign).sum() * sign[i] for i in range(len(sign))])
    noise = np.sqrt((error**2).sum(axis=1))
    if (strength * sign).sum() < 0:
        sign = -sign
    score = strength / noise
    open_ones = np.flatnonzero(score < SURE)
    if len(open_ones):
        named = ", ".join(f"{moments.sources[i]!r} ({score[i]:.1f})" for i in open_ones[:5])
        more = f" and {len(open_ones) - 5} more" if len(open_ones) > 5 else ""
        raise NotIdentifiedError(
            f"the data do not tell whether {named}{more} vote with the class or against it: in standard errors, as in "
            f"brackets, agreement with the side they are on is not above {SURE:g}. Drop them (drop=; --drop), bring "
            "more points, or take all sources to be better than chance (signs='positive').",
            estimate=model,
        )
    sides = strength[sign > 0].sum(), strength[sign < 0].sum()
    if sides[1] > sides[0] / 1.5:
        raise NotIdentifiedError(
            "the data do not tell which half of the sources votes with the class: two camps of about equal strength "
            f"({sides[0]:.2g} against {sides[1]:.2g}) contradict each other. Gold labels would tell.",
            estimate=model,
        )
    return sign


def surely_telling(moments: Moments, sign: Ints, pairs: Positions, errors: float = SURE) -> Bools:
    """Sources that agree with the rest, each turned by its sign, more than random votes do, shape (m,).

    Of the others nobody knows whether they tell anything: of random votes, triplets make accuracies above chance.

    `errors`: how many standard errors more.
    """
    excess, error = excess_agreement(moments)
    for i, j in pairs:
        excess[i, j] = excess[j, i] = error[i, j] = error[j, i] = 0
    return sign * (excess @ sign) > errors * np.sqrt((error**2).sum(axis=1))


def excess_agreement(moments: Moments) -> tuple[Floats, Floats]:
    """Agreement beyond chance of every pair, and its standard error if there were none; both (m, m), diagonal 0.

    Two votes count 1 where they agree, -1 / (K - 1) where they do not, and 0 where one is an abstain; for two
    classes this is the covariance of votes written as -1, 0 and 1, and of scores as their grades between these.
    """
    n, K = moments.n, len(moments.classes)
    if K == 2:
        excess = moments.grade_covariances.copy()
        spread = np.maximum(np.diagonal(excess), 0)
        error = np.sqrt(np.outer(spread, spread) / n)
    else:
        score = agreement_score(K)
        p = moments.single / n
        together = moments.agree - (moments.together - moments.agree) / (K - 1)
        excess = together / n - p @ score @ p.T
        # Var(z_i . z_j) of independent votes z with covariances C is tr(C_i C_j); score is the Gram matrix of the z.
        varied = score @ (np.einsum("iu,uv->iuv", p, np.eye(K)) - np.einsum("iu,iv->iuv", p, p))
        error = np.sqrt(np.maximum(np.einsum("iuv,jvu->ij", varied, varied), 0) / n)
    np.fill_diagonal(excess, 0)
    np.fill_diagonal(error, 0)
    return excess, error


def agreement_score(K: int) -> Floats:
    """What two votes count: 1 where they agree, -1 / (K - 1) where they do not, shape (K, K)."""
    return np.where(np.eye(K, dtype=bool), 1, -1 / (K - 1))
