"""Sources that depend on each other beyond what the class explains: finding them."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from carob._types import Floats
from carob.count.moments import Moments
from carob.errors import InputError, a_number, of_kind
from carob.paper.signs import agreement_score, excess_agreement, surely_telling
from carob.posterior.settings import Pairs, pair_positions
from carob.posterior.source_model import SourceModel, source_model_of
from carob.votes.outputs import SILENT


@dataclass(frozen=True)
class DependentPair:
    """Two sources that agree more, or less, than the class explains.

    Parameters
    ----------
    first, second : str
    correlation : float
        Correlation of their votes that the model leaves over; positive where they copy each other.
    z : float
        The same in standard errors.
    """

    first: str
    second: str
    correlation: float
    z: float


def dependent_pairs(
    moments: Moments, model: Any, smallest: float = 0.05, error_rate: float = 0.01, known_pairs: Pairs = ()
) -> list[DependentPair]:
    """Pairs of sources whose agreement the model does not explain, the strongest first.

    Parameters
    ----------
    moments : Moments
    model : SourceModel or fitted LabelModel
        Estimated with the median, which is right for most sources even where some depend on each other.
    smallest : float
        Correlations below this are left out, however sure: with many points everything is a little dependent.
    error_rate : float
        Probability of any false alarm among all pairs.
    known_pairs : sequence of pairs of source names or positions
        Pairs known to depend on each other, which are not named again.

    Examples
    --------
    >>> import carob
    >>> votes = carob.paper.datasets.load_imdb()
    >>> moments = carob.Moments.of(votes)
    >>> pairs = dependent_pairs(moments, carob.paper.triplets(moments))
    >>> pairs[0].first, pairs[0].second, round(pairs[0].correlation, 2)
    ('good', 'bad', -0.14)
    """
    of_kind("moments", moments, Moments)
    model = source_model_of(model)
    error_rate, smallest = a_number("error_rate", error_rate), a_number("smallest", smallest)
    if moments.sources != model.sources or moments.classes != model.classes:
        raise InputError(
            "the moments and the model must have the same classes and the same sources, in the same order."
        )
    if not 0 < error_rate < 1:
        raise InputError(f"error_rate must be strictly between 0 and 1, not {error_rate!r}.")
    m = len(moments.sources)
    if m < 2:
        return []
    correlation, z = unexplained(moments, model)
    enough = -NormalDist().inv_cdf(error_rate / (m * (m - 1)))
    news = np.ones((m, m), dtype=bool)
    for i, j in pair_positions(known_pairs, moments.sources):
        news[i, j] = news[j, i] = False
    found = np.argwhere(np.triu((np.abs(z) > enough) & (np.abs(correlation) >= smallest) & news, 1))
    found = found[np.argsort(-np.abs(correlation[tuple(found.T)]), kind="stable")]
    return [
        DependentPair(moments.sources[i], moments.sources[j], float(correlation[i, j]), float(z[i, j]))
        for i, j in found
    ]


def unexplained(moments: Moments, model: SourceModel) -> tuple[Floats, Floats]:
    """Correlation of the votes of every pair that the model leaves over, and the same in standard errors."""
    n = moments.n
    excess, error = excess_agreement(moments)
    explained = _explained(moments, model)
    # Of a source that may well tell nothing, the model may explain too much: from nothing to that, all is explained.
    sign = np.where(explained.sum(axis=1) < np.diag(explained), -1, 1)
    sure = surely_telling(moments, sign, ())
    unsure = np.where(np.outer(sure, sure), explained, 0)
    residual = excess - np.clip(excess, np.minimum(explained, unsure), np.maximum(explained, unsure))
    z = np.divide(residual, error, out=np.zeros_like(error), where=error > 0)
    # In units of the votes' own spread; for two classes exactly z / sqrt(n).
    return z / np.sqrt(n * (len(moments.classes) - 1)), z


def _explained(moments: Moments, model: SourceModel) -> Floats:
    """Agreement beyond chance of every pair that the model has, shape (m, m)."""
    if len(moments.classes) == 2:
        tables, grades = model.source_tables, np.split(moments.outputs.grades, moments.outputs.first[1:])
        by_class = np.array([table[:, SILENT + 1 :] @ grade for table, grade in zip(tables, grades, strict=True)])
        shift = by_class[:, 1] - by_class[:, 0]
        return np.asarray(model.class_balance.prod() * np.outer(shift, shift))
    score = agreement_score(len(moments.classes))
    votes = model.conditionals[:, :, SILENT + 1 :]
    joint = np.einsum("y,iyu,uv,jyv->ij", model.class_balance, votes, score, votes, optimize=True)
    alone = np.einsum("y,iyu->iu", model.class_balance, votes)
    return np.asarray(joint - alone @ score @ alone.T)
