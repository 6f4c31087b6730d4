"""Accuracies of sources from gold, by counting."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.errors import InputError, examples
from karat.estimate.wilson import wilson
from karat.source_model import Floats, SourceModel, check_class_balance, symmetric_table
from karat.votes import Gold, Votes


def labeled(
    votes: Votes,
    gold: Gold | Any,
    class_balance: Any = None,
    symmetric: bool = False,
    groups: tuple[tuple[int, ...], ...] | None = None,
) -> SourceModel:
    """Estimate how every source votes, from the points whose class is known.

    Parameters
    ----------
    votes : Votes
    gold : Gold, or array of labels, shape (n,)
    class_balance : float or sequence of float, optional
        The share of each class in gold, with one point more of each, where not given.
    symmetric : bool
        One accuracy per source instead of one per source and class.
    groups : tuple of tuples of int, optional
        Sources known to depend on each other, each group with a joint table; every source alone where not given.

    Notes
    -----
    As in the paper, probabilities are cut to [1/n, 1 - 1/n], with n the number of gold labels.

    Examples
    --------
    >>> votes = Votes.from_array([[0, 1], [0, 0], [1, 1], [1, 0]], gold=[0, 0, 1, -1])
    >>> labeled(votes, votes.gold, symmetric=True).accuracy.round(3)
    array([0.667, 0.667])
    """
    if not isinstance(votes, Votes):
        raise TypeError(f"labeled takes Votes, not {type(votes).__name__}.")
    gold = votes.code_gold(gold)
    known = gold.known
    n = int(known.sum())
    if n == 0:
        raise InputError("there is no gold label to learn from.")
    balance = mixed_balance(gold.counts) if class_balance is None else check_class_balance(class_balance, votes.classes)
    missing = [votes.classes[y] for y in np.flatnonzero(gold.counts == 0)]
    if missing and not symmetric:
        raise InputError(
            f"no gold label is of class {examples(missing)}, so nothing is known of the votes there. Bring gold of "
            "every class, or learn one accuracy per source (symmetric=True; --symmetric)."
        )
    values, truth = votes.values[known], gold.values[known]
    floor = 1 / max(n, 2)
    if symmetric:
        if groups is not None and any(len(group) > 1 for group in groups):
            raise InputError(
                "dependent sources have a joint table per class; they cannot be learned with symmetric=True."
            )
        return SourceModel.independent(
            votes.sources, votes.classes, balance, _symmetric(values, truth, len(balance), floor)
        )
    groups = groups or tuple((i,) for i in range(len(votes.sources)))
    tables = tuple(_table(values[:, list(group)], truth, gold.counts, floor) for group in groups)
    return SourceModel(votes.sources, votes.classes, balance, groups, tables)


def mixed_balance(counts: npt.NDArray[np.int64], prior: Floats | None = None, weight: float = 0.0) -> Floats:
    """Class balance of gold with one point more of each class, so that no class is impossible.

    Parameters
    ----------
    counts : array of int, shape (K,)
        Gold labels of each class.
    prior : array, shape (K,), optional
        In place of those points, `weight` points with this balance.
    """
    more = np.ones(len(counts)) if prior is None else weight * prior
    return (counts + more) / (counts.sum() + more.sum())


def accuracy_interval(votes: Votes, gold: Gold, class_balance: Floats, level: float) -> tuple[Floats, Floats]:
    """Interval of each source's accuracy under a class balance, from gold; 0 and 1 where a source has no gold vote.

    The accuracy is a mean over classes of the share right, weighted by the class balance and by how often the source
    votes. Wilson's interval, with as many points as would give the variance of that mean.
    """
    values, truth = votes.values[gold.known], gold.values[gold.known]
    K = len(gold.classes)
    cast = np.array([(values[truth == y] >= 0).sum(axis=0) for y in range(K)])
    right = np.array([(values[truth == y] == y).sum(axis=0) for y in range(K)])
    weight = class_balance[:, None] * cast / np.maximum(gold.counts, 1)[:, None]
    weight = weight / np.maximum(weight.sum(axis=0), 1e-300)
    share = (right + 0.5) / (cast + 1)  # half a point of each kind, so that no variance is zero
    accuracy = (weight * share).sum(axis=0)
    variance = (weight**2 * share * (1 - share) / np.maximum(cast, 1)).sum(axis=0)
    points = np.where(cast.sum(axis=0) > 0, accuracy * (1 - accuracy) / np.maximum(variance, 1e-300), 0)
    return wilson(accuracy * points, points, level)


def _table(
    values: npt.NDArray[np.int8], truth: npt.NDArray[np.int8], counts: npt.NDArray[np.int64], floor: float
) -> Floats:
    """Joint distribution of the outputs of a group given the class, shape (K, K + 1, ...)."""
    K = len(counts)
    shape = (K, *[K + 1] * values.shape[1])
    place = np.ravel_multi_index((truth, *(values.T + 1)), shape)
    table = np.bincount(place, minlength=int(np.prod(shape))).reshape(shape) / counts.reshape(
        -1, *[1] * (len(shape) - 1)
    )
    # An output that gold shows in no class stays impossible: it then says nothing about the class.
    table = np.where(table.any(axis=0), np.clip(table, floor, 1 - floor), 0)
    return table / table.sum(axis=tuple(range(1, table.ndim)), keepdims=True)


def _symmetric(values: npt.NDArray[np.int8], truth: npt.NDArray[np.int8], K: int, floor: float) -> Floats:
    votes = (values >= 0).sum(axis=0)
    right = (values == truth[:, None]).sum(axis=0)
    # A source that never votes on a gold point is taken to be at chance.
    p = np.where(votes > 0, right / np.maximum(votes, 1), 1 / K)
    return symmetric_table(np.clip(p, floor, 1 - floor), votes / len(values), K)
