r"""The paper's ways to combine an estimate from votes with one from gold: ``alpha unlabeled + (1 - alpha) labeled``.

The weight alpha is given, or the best on a grid against a known truth or held-out gold, or that of Green and
Strawderman,

    alpha = min(r / ||a_L - a_U||^2, 1),    ||x||^2 = x' Sigma^-1 x,

with Sigma the covariance of the labeled estimate (the text lacks the square) and r between 0 and 2 (m - 2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from carob._types import Floats
from carob.errors import InputError, a_number, of_kind
from carob.posterior.losses import score
from carob.posterior.naive_bayes import posterior
from carob.posterior.source_model import SourceModel
from carob.votes import Gold, Votes


@dataclass(frozen=True, eq=False)
class Combination:
    """A combined model and the weight of its unlabeled part.

    Parameters
    ----------
    model : SourceModel
    weight : float
        alpha: 1 is the unlabeled estimate alone, 0 the labeled one.
    """

    model: SourceModel
    weight: float


def linear(unlabeled: SourceModel, labeled: SourceModel, weight: float) -> Combination:
    """Mix two models of the same sources with a given weight on the unlabeled one.

    The class balance is that of the unlabeled model.
    """
    if not 0 <= a_number("weight", weight) <= 1:
        raise InputError(f"a weight must be between 0 and 1, not {weight!r}.")
    _check_alike(unlabeled, labeled)
    tables = tuple(weight * u + (1 - weight) * v for u, v in zip(unlabeled.tables, labeled.tables, strict=True))
    mixed = SourceModel(
        unlabeled.sources, unlabeled.classes, unlabeled.class_balance, unlabeled.groups, tuple(map(_possible, tables))
    )
    return Combination(mixed, float(weight))


def _possible(table: Floats) -> Floats:
    """A mixture in which no output is impossible for one class only."""
    some = (table > 0).any(axis=0)
    table = np.where(some, np.maximum(table, 1e-12), 0)
    return table / table.sum(axis=tuple(range(1, table.ndim)), keepdims=True)


def _check_alike(unlabeled: SourceModel, labeled: SourceModel) -> None:
    of_kind("unlabeled", unlabeled, SourceModel)
    of_kind("labeled", labeled, SourceModel)
    if (unlabeled.sources, unlabeled.classes, unlabeled.groups) != (labeled.sources, labeled.classes, labeled.groups):
        raise InputError("only models of the same sources, classes and groups can be combined.")


def optimal_weight(
    unlabeled: SourceModel, labeled: SourceModel, loss: Callable[[SourceModel], float] | None = None,
    votes: Votes | None = None, gold: Gold | None = None,
) -> Combination:  # fmt: skip
    """The weight on a grid of 101 with the smallest loss.

    Parameters
    ----------
    loss : callable, optional
        Expected loss of a model, for instance under a known truth.
    votes, gold : Votes and Gold, optional
        Held-out points to measure the loss on, in place of `loss`.
    """
    _check_alike(unlabeled, labeled)
    if (loss is None) == (votes is None or gold is None):
        raise InputError("optimal_weight measures either by loss=, or on held-out votes= and gold=.")

    def measured(model: SourceModel) -> float:
        if loss is not None:
            return loss(model)
        of_kind("votes", votes, Votes)
        of_kind("gold", gold, Gold)
        if votes is None or gold is None:
            raise InputError("held-out points need both votes= and gold=.")
        return score(posterior(votes, model), gold).loss

    found = [linear(unlabeled, labeled, weight) for weight in np.linspace(0, 1, 101)]
    return min(found, key=lambda combination: measured(combination.model))


def green_strawderman(
    unlabeled: SourceModel,
    labeled: SourceModel,
    votes: Votes,
    gold: Gold,
    r: float | None = None,
    covariance: Literal["diagonal", "full"] = "diagonal",
    symmetric: bool = False,
) -> Combination:
    """Combine with the weight of Green and Strawderman.

    Parameters
    ----------
    unlabeled, labeled : SourceModel
    votes, gold : Votes and Gold
        The gold points that `labeled` was learned from; their votes give the covariance.
    r : float, optional
        m - 2 where not given; the paper's IMDB table uses 2 (m - 2).
    covariance : {"diagonal", "full"}
        Of the labeled estimate: of each accuracy alone, or of all of them together.
    symmetric : bool
        Compare one accuracy per source, or, for two classes, the probability of a vote for the second in either class.
    """
    _check_alike(unlabeled, labeled)
    of_kind("votes", votes, Votes)
    of_kind("gold", gold, Gold)
    known = gold.known
    values, truth = votes.values[known], gold.values[known]
    n, m = values.shape
    r = float(m - 2) if r is None else float(r)
    if not 0 <= r <= 2 * max(m - 2, 0):
        raise InputError(f"r must be between 0 and 2 (m - 2) = {2 * max(m - 2, 0)}, not {r!r}.")
    if symmetric:
        features = (values == truth[:, None]).astype(np.float64)
        a_u, a_l = unlabeled.accuracy, labeled.accuracy
        sigma = _covariance(features, a_l, covariance) / max(n, 1)
    else:
        if len(gold.classes) != 2:
            raise InputError("class-conditional accuracies are compared for two classes; use symmetric=True.")
        a_u, a_l = (
            np.concatenate([model.conditionals[:, 1, 2], model.conditionals[:, 0, 2]]) for model in (unlabeled, labeled)
        )
        parts = []
        for y, mean in ((1, a_l[:m]), (0, a_l[m:])):
            features = (values[truth == y] == 1).astype(np.float64)
            parts.append(_covariance(features, mean, covariance) / max(len(features), 1))
        sigma = np.block([[parts[0], np.zeros((m, m))], [np.zeros((m, m)), parts[1]]])
    difference = a_l - a_u
    norm = float(difference @ np.linalg.pinv(sigma, hermitian=True) @ difference)
    return linear(unlabeled, labeled, min(r / norm, 1.0) if norm > 0 else 1.0)


def _covariance(features: npt.NDArray[np.float64], mean: Floats, kind: str) -> Floats:
    """Covariance of 0/1 features of one point, with the variances of their (cut) means on the diagonal."""
    if kind not in ("diagonal", "full"):
        raise InputError(f"covariance must be 'diagonal' or 'full', not {kind!r}.")
    diagonal = np.diag(mean * (1 - mean))
    if kind == "diagonal" or len(features) < 2:
        return diagonal
    together = np.cov(features.T, bias=True)
    off = together - np.diag(np.diagonal(together))
    return diagonal + off
