"""Accuracies of sources from gold, by counting."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob._types import Floats, Group
from carob.errors import InputError, examples
from carob.paper.kinds import ClassConditional, Kind, Symmetric
from carob.posterior.groups import check_groups
from carob.posterior.intervals import wilson
from carob.posterior.source_model import SourceModel, check_class_balance, gold_balance
from carob.votes import Gold, GoldPoints, Votes


def labeled(
    votes: Votes,
    gold: Gold | Any,
    class_balance: Any = None,
    symmetric: bool = False,
    groups: tuple[Group, ...] | None = None,
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
    if not gold.known.any():
        raise InputError("there is no gold label to learn from.")
    given = None if class_balance is None else check_class_balance(class_balance, votes.classes)
    kind: Kind = Symmetric() if symmetric else ClassConditional()
    if groups is None:
        groups = tuple((i,) for i in range(len(votes.sources)))
    check_groups(groups, votes.sources, votes.outputs)
    return learn_from_gold(GoldPoints.of(votes, gold), given, kind, groups)


def learn_from_gold(points: GoldPoints, given: Floats | None, kind: Kind, groups: tuple[Group, ...]) -> SourceModel:
    """As `labeled`, with everything checked; `given` is the class balance where the user says it."""
    votes = points.votes
    missing = [votes.classes[y] for y in np.flatnonzero(points.counts == 0)]
    if missing and not isinstance(kind, Symmetric):
        raise InputError(
            f"no gold label is of class {examples(missing)}, so nothing is known of the votes there. Bring gold of "
            "every class, or learn one accuracy per source (symmetric=True)."
        )
    floor = 1 / max(len(points), 2)
    tables = tuple(kind.labeled_table(points, group, floor) for group in groups)
    balance = gold_balance(points.counts) if given is None else given
    return SourceModel(votes.sources, votes.classes, balance, groups, tables)


def accuracy_interval(points: GoldPoints, class_balance: Floats, level: float) -> tuple[Floats, Floats]:
    """Interval of each source's accuracy under a class balance, from gold; 0 and 1 where a source has no gold vote.

    The accuracy is a mean over classes of the share right, weighted by the class balance and by how often the source
    votes. Wilson's interval, with as many points as would give the variance of that mean.
    """
    values, truth = points.votes.values, points.truth
    K = len(class_balance)
    cast = np.array([(values[truth == y] >= 0).sum(axis=0) for y in range(K)])
    right = np.array([(values[truth == y] == y).sum(axis=0) for y in range(K)])
    weight = class_balance[:, None] * cast / np.maximum(points.counts, 1)[:, None]
    weight = weight / np.maximum(weight.sum(axis=0), 1e-300)
    share = (right + 0.5) / (cast + 1)  # half a point of each kind, so that no variance is zero
    accuracy = (weight * share).sum(axis=0)
    variance = (weight**2 * share * (1 - share) / np.maximum(cast, 1)).sum(axis=0)
    number = np.where(cast.sum(axis=0) > 0, accuracy * (1 - accuracy) / np.maximum(variance, 1e-300), 0)
    return wilson(accuracy * number, number, level)
