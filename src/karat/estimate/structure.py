"""Sources that depend on each other beyond what the class explains: finding them, and taking them as one."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.errors import InputError, NotIdentifiedError
from karat.estimate.checks import Pairs, pair_positions
from karat.estimate.signs import agreement_score, excess_agreement
from karat.moments import Moments
from karat.source_model import LARGEST_TABLE, Floats, SourceModel, learned
from karat.votes import Votes


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
    >>> import karat
    >>> votes = karat.datasets.load_imdb()
    >>> moments = karat.Moments.of(votes)
    >>> pairs = dependent_pairs(moments, karat.triplets(moments))
    >>> pairs[0].first, pairs[0].second, round(pairs[0].correlation, 2)
    ('like', 'bad', -0.24)
    """
    model = learned(model)
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
    enough = NormalDist().inv_cdf(1 - error_rate / (m * (m - 1)))
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
    score = agreement_score(len(moments.classes))
    votes = model.conditionals[:, :, 1:]
    joint = np.einsum("y,iyu,uv,jyv->ij", model.class_balance, votes, score, votes, optimize=True)
    alone = np.einsum("y,iyu->iu", model.class_balance, votes)
    residual = excess - (joint - alone @ score @ alone.T)
    z = np.divide(residual, error, out=np.zeros_like(error), where=error > 0)
    # In units of the votes' own spread; for two classes exactly z / sqrt(n).
    return z / np.sqrt(n * (len(score) - 1)), z


def dependent_groups(m: int, pairs: list[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Sources that known pairs connect, directly or through others; every other source alone.

    >>> dependent_groups(5, [(0, 3), (3, 4)])
    ((0, 3, 4), (1,), (2,))
    """
    group = list(range(m))
    for i, j in pairs:
        old, new = max(group[i], group[j]), min(group[i], group[j])
        group = [new if g == old else g for g in group]
    return tuple(tuple(i for i in range(m) if group[i] == g) for g in sorted(set(group)))


def check_groups(groups: tuple[tuple[int, ...], ...], sources: tuple[str, ...], K: int) -> None:
    """Refuse groups whose joint outputs are too many to learn."""
    for group in groups:
        if len(group) > 1 and (K + 1) ** len(group) > LARGEST_TABLE:
            names = ", ".join(repr(sources[i]) for i in group)
            raise InputError(
                f"the known pairs tie {len(group)} sources together ({names}), whose joint outputs number "
                f"{(K + 1) ** len(group):,}; at most {LARGEST_TABLE:,} can be taken as one. Drop some of them instead."
            )


def merge_groups(votes: Votes, model: SourceModel, groups: tuple[tuple[int, ...], ...]) -> SourceModel:
    """Take dependent sources as one source with a joint table, learned without gold; for two classes.

    A joint output of the group is a 0/1 feature x like any other, so ``cov(x, f) = pi (1 - pi) D_x D_f`` with every
    feature f of a source outside the group. D_f is known from `model`; D_x is the median of the ratios, weighted by
    how well each is known.
    """
    if len(votes.classes) != 2:
        raise InputError("dependent sources can be merged without gold for two classes only; there are more.")
    check_groups(groups, votes.sources, 2)
    tables = tuple(
        model.conditionals[group[0]] if len(group) == 1 else _joint_table(votes, model, group) for group in groups
    )
    return SourceModel(model.sources, model.classes, model.class_balance, groups, tables)


def _joint_table(votes: Votes, model: SourceModel, group: tuple[int, ...]) -> Floats:
    n, shape = len(votes), (3,) * len(group)
    output = np.ravel_multi_index(tuple(votes.values[:, i] + 1 for i in group), shape)
    size = int(np.prod(shape))
    p = np.bincount(output, minlength=size) / n
    pi = model.class_balance[1]
    ratios, weights = [], []
    for i in range(len(votes.sources)):
        if i in group:
            continue
        counts = np.bincount(output * 3 + (votes.values[:, i] + 1), minlength=size * 3).reshape(size, 3) / n
        for v in (1, 2):
            share = counts[:, v].sum()
            D = model.conditionals[i, 1, v] - model.conditionals[i, 0, v]
            if 0 < share < 1 and D != 0:
                ratios.append((counts[:, v] - p * share) / (pi * (1 - pi) * D))
                weights.append(D**2 / (share * (1 - share)))
    if not ratios:
        names = ", ".join(repr(votes.sources[i]) for i in group)
        raise NotIdentifiedError(
            f"the known pairs tie all sources together ({names}); none is left to tell how they vote as one."
        )
    D_x = _weighted_median(np.array(ratios), np.array(weights))
    table = np.stack([p - pi * D_x, p + (1 - pi) * D_x])
    table = np.where(p > 0, np.clip(table, 1 / n, 1 - 1 / n), 0)
    return (table / table.sum(axis=1, keepdims=True)).reshape(2, *shape)


def _weighted_median(values: Floats, weights: npt.NDArray[np.float64]) -> Floats:
    """Median down the columns of `values`, shape (k, c), with a weight per row.

    >>> _weighted_median(np.array([[1.0], [5.0], [2.0]]), np.array([1.0, 1.0, 3.0]))
    array([2.])
    """
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0) >= weights.sum() / 2
    at = np.argmax(reached, axis=0)
    return np.take_along_axis(values, np.take_along_axis(order, at[None, :], axis=0), axis=0)[0]
