"""What all kinds of sources have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carob._types import Bools, Floats, Group, Ints, Places
from carob.count.moments import Moments
from carob.count.statistics import TripleSums
from carob.posterior.source_model import SourceModel, accuracy
from carob.votes import GoldPoints, Outputs

Positions = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Features:
    """What triplets are taken of: features with parameters x such that products of two are seen in the votes."""

    source: Places  # shape (f,): the source of each feature
    output: Places  # shape (f,): where a feature is an output of its source: which one, by its place in `Outputs`
    allowed: Bools  # shape (f, f): pairs that a triplet may use
    limit: float | None  # bound of a single estimate before it is aggregated


class Kind(ABC):
    """How a source's outputs depend on the class, in terms of parameters x of features with ``b_fg = x_f x_g``."""

    words: str  # what is learned of a source

    def suits(self, moments: Moments) -> bool:
        """Whether the votes look as if of this kind."""
        return True

    def refuses(self, K: int) -> str:
        """Why this kind cannot be learned with K classes; empty where it can."""
        return ""

    @abstractmethod
    def features(self, moments: Moments, pairs: Positions) -> Features:
        """What triplets are taken of; `pairs` are sources known to depend on each other."""

    @abstractmethod
    def products(self, moments: Moments, features: Features, balance: Floats) -> Floats:
        """The matrix b, shape (f, f), with ``b_fg = x_f x_g`` where f and g are independent given the class."""

    @abstractmethod
    def tables(self, moments: Moments, features: Features, x: Floats, balance: Floats) -> Floats:
        """Probability of every output given the class, shape (m, K, outputs), of sources that have these x."""

    def balance_triples(self, moments: Moments, pairs: Positions) -> tuple[Places, Ints, Places] | None:
        """Features, their signs and triples whose sums the class balance takes; None where pairs of outputs do."""
        return None

    @abstractmethod
    def class_balance(
        self, moments: Moments, triples: TripleSums | None, sums: Ints | None, pairs: Positions
    ) -> Floats:
        """The class balance from votes alone; `sums` are those of `triples` over the points of `moments`."""

    @abstractmethod
    def joint_table(self, joint: Ints, with_others: Ints, model: SourceModel, group: Group) -> Floats:
        """Table of a group of sources that are taken as one, from what the other sources say, shape (K, outputs...).

        `joint` and `with_others`: as in `GroupCounts`, over all points. `model`: of all sources, each by itself.
        """

    @abstractmethod
    def labeled_table(self, points: GoldPoints, group: Group, floor: float) -> Floats:
        """The same from gold, with no probability below `floor`."""

    def accuracy(self, outputs: Outputs, tables: Floats, balance: Floats) -> Floats:
        """How often each source is right where it says something, shape (m,), from its table."""
        return accuracy(tables, balance)

    def hint(self, moments: Moments) -> str:
        """A reason to add to a refusal, where there is one; starts with a semicolon."""
        return ""


def dependent(m: int, pairs: Positions) -> Bools:
    """True for pairs of sources that no triplet may use: a source with itself, and known pairs; shape (m, m)."""
    result = np.eye(m, dtype=bool)
    for i, j in pairs:
        result[i, j] = result[j, i] = True
    return result


def weighted_median(values: Floats, weights: Floats) -> Floats:
    """Median down the columns of `values`, shape (k, c), with a weight per row, or per cell.

    >>> weighted_median(np.array([[1.0], [5.0], [2.0]]), np.array([1.0, 1.0, 3.0]))
    array([2.])
    """
    if weights.ndim == 1:
        weights = np.broadcast_to(weights[:, None], values.shape)
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0) >= weights.sum(axis=0) / 2
    at = np.argmax(reached, axis=0)
    return np.take_along_axis(values, np.take_along_axis(order, at[None, :], axis=0), axis=0)[0]
