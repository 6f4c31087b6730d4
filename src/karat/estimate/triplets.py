r"""Accuracies of sources without gold, from triplets of sources.

Where sources i, j, k are independent given the class, a quantity x_i of each source satisfies
``b_ij = x_i x_j``, so ``x_i^2 = b_ij b_ik / b_jk`` (the paper's equation (triplet)). Two choices of b:

symmetric
    One accuracy per source. With K classes and A_ij the share of agreement where both vote,
    ``b_ij = (K A_ij - 1) / (K - 1)`` and ``x_i = (K p_i - 1) / (K - 1)`` for accuracy p_i. For two classes
    and votes of -1 and +1 this is the paper's ``E[l_i l_j]`` and ``a_i = E[l_i Y]``.
class-conditional
    For two classes. Any 0/1 feature f of an output has ``cov(f, g) = pi (1 - pi) D_f D_g``, with
    ``D_f = P(f | Y = 1) - P(f | Y = 0)`` and pi = P(Y = 1); so b is the covariance over pi (1 - pi). An
    abstain is an output like any other, and a source that only ever votes for one class is a source like
    any other. This is the paper's quadratic system in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.errors import NotIdentifiedError, examples
from karat.estimate.aggregate import Aggregate, Bools, Negative, aggregate_triplets
from karat.estimate.checks import Pairs, Signs, check_choices, check_sources, pair_positions, resolve_symmetric
from karat.estimate.signs import found_signs
from karat.moments import Moments
from karat.source_model import Floats, SourceModel, check_class_balance, symmetric_table


def triplets(
    moments: Moments,
    aggregate: Aggregate = "median",
    class_balance: Any = None,
    symmetric: bool | None = None,
    known_pairs: Pairs = (),
    *,
    negative: Negative = "drop",
    signs: Signs = "positive",
    rng: np.random.Generator | int | None = None,
) -> SourceModel:
    """Estimate how every source votes, without gold.

    Parameters
    ----------
    moments : Moments
    aggregate : {"median", "mean", "random"}
        How the estimates of all pairs of other sources become one. The median is the paper's correction for
        sources that depend on each other.
    class_balance : float or sequence of float, optional
        Probability of the second of two classes, or of every class. Balanced where not given.
    symmetric : bool, optional
        One accuracy per source, or one per source and class. Where not given: class-conditional for two classes unless
        most sources both abstain and vote for either class, as crowd workers do; symmetric for more classes.
    known_pairs : sequence of pairs of source names or positions
        Pairs known to depend on each other: left out of every triplet.
    negative : {"drop", "absolute"}
        What to do where ``b_ij b_ik / b_jk`` is negative: leave the triplet out, as the paper's figures do, or
        take the absolute value, as its text does.
    signs : {"positive", "data"}
        Take every source to be better than chance, or find out from which sources agree; see `found_signs`.
    rng : numpy Generator or int, optional
        For ``aggregate="random"``.

    Raises
    ------
    InputError
        Fewer than three sources, a source that never varies, identical sources, more sources than points.
    NotIdentifiedError
        No usable triplet for a source, or a sign that the data leave open.

    Examples
    --------
    >>> import karat
    >>> votes = karat.datasets.load_imdb()
    >>> model = triplets(Moments.of(votes), class_balance=0.5)
    >>> dict(zip(model.sources, model.accuracy.round(3).tolist()))["great"]
    0.609
    """
    if not isinstance(moments, Moments):
        raise TypeError(f"triplets takes Moments, as Moments.of(votes) gives them, not {type(moments).__name__}.")
    check_choices(aggregate, negative, signs)
    balance = check_class_balance(class_balance, moments.classes)
    pairs = pair_positions(known_pairs, moments.sources)
    check_sources(moments, pairs)
    symmetric = resolve_symmetric(symmetric, moments)
    return solve(moments, aggregate, balance, symmetric, pairs, negative, signs, rng).model


def solve(
    moments: Moments,
    aggregate: Aggregate,
    class_balance: Floats,
    symmetric: bool,
    known_pairs: list[tuple[int, int]],
    negative: Negative = "drop",
    signs: Signs = "positive",
    rng: np.random.Generator | int | None = None,
    partial: bool = False,
) -> Solution:
    """As `triplets`, with all choices made and checked; returns the parameters of every feature besides the model.

    Parameters
    ----------
    partial : bool
        Leave a parameter that no triplet tells of at 0, where votes say nothing of the class, instead of refusing.
    """
    problem = Problem.of(moments, class_balance, symmetric, known_pairs)
    size, usable = problem.solve(aggregate, negative, np.random.default_rng(rng))
    bad = tuple(moments.sources[i] for i in np.unique(problem.source[usable == 0]))
    size = np.where(usable == 0, 0.0, size)
    if bad and not partial:
        raise NotIdentifiedError(
            f"no triplet can be used for {examples(bad)}: with every pair of other sources, agreements contradict each "
            f"other or never occur{problem.one_sided_hint()}. Drop the source (drop=; --drop), name dependent pairs "
            "(known_pairs=; --known-pair), or bring more points.",
            estimate=size,
        )
    sign = np.ones(len(moments.sources), dtype=np.int64)
    if signs == "data":
        sign = found_signs(moments, problem.source_model(size, class_balance), known_pairs)
    return Solution(problem, size * sign[problem.source], sign, class_balance, aggregate, negative, known_pairs, bad)


@dataclass(frozen=True, eq=False)
class Solution:
    """Solved triplets.

    Parameters
    ----------
    problem : Problem
    x : array, shape (F,)
        Signed parameters of the features.
    sign : array of int, shape (m,)
    class_balance : array, shape (K,)
    aggregate, negative, known_pairs
        How the triplets were solved.
    unknown : tuple of str
        Sources with a parameter that no triplet tells of.
    """

    problem: Problem
    x: Floats
    sign: npt.NDArray[np.int64]
    class_balance: Floats
    aggregate: Aggregate
    negative: Negative
    known_pairs: list[tuple[int, int]]
    unknown: tuple[str, ...]

    @property
    def model(self) -> SourceModel:
        """The source model that has these parameters."""
        return self.problem.source_model(self.x, self.class_balance)

    def again(self, moments: Moments, rng: np.random.Generator) -> Solution:
        """The same triplets, with the same choices and signs, of other points."""
        problem = Problem.of(moments, self.class_balance, self.problem.symmetric, self.known_pairs)
        size, usable = problem.solve(self.aggregate, self.negative, rng)
        x: Floats = np.where(usable == 0, 0.0, size) * self.sign[problem.source]
        return replace(self, problem=problem, x=x)


@dataclass(frozen=True, eq=False)
class Problem:
    """What the triplets are taken of: a matrix b with ``b_fg = x_f x_g``, and what x means.

    Parameters
    ----------
    b : array, shape (F, F)
    allowed : array of bool, shape (F, F)
        Pairs that a triplet may use.
    limit : float or None
        Bound of a single estimate before it is aggregated.
    source : array of int, shape (F,)
        The source of each feature.
    vote : array of int, shape (F,)
        Class-conditional: feature f is ``1[vote of source[f] = vote[f]]``. Symmetric: not used.
    """

    b: Floats
    allowed: Bools
    limit: float | None
    source: npt.NDArray[np.intp]
    vote: npt.NDArray[np.intp]
    symmetric: bool
    moments: Moments

    @classmethod
    def of(cls, moments: Moments, balance: Floats, symmetric: bool, known: list[tuple[int, int]]) -> Problem:
        """Set up the triplets of all sources."""
        n, m, K = moments.n, len(moments.sources), len(moments.classes)
        if symmetric:
            source, vote = np.arange(m), np.zeros(m, dtype=np.intp)
            # Two sources that each vote for one class only agree always or never, whatever the truth.
            one_sided = (moments.single > 0).sum(axis=1) == 1
            allowed, limit = (moments.together > 0) & ~np.outer(one_sided, one_sided), 1 - 1 / n
        else:
            # A source that always votes has one feature: its vote for class 0 is the rest.
            always = moments.coverage == n
            used = (moments.single > 0) & ~(always[:, None] & (np.arange(K) == 0))
            source, vote = np.nonzero(used)
            allowed, limit = np.ones((len(source), len(source)), dtype=bool), None
        dependent = np.eye(m, dtype=bool)
        for i, j in known:
            dependent[i, j] = dependent[j, i] = True
        allowed &= ~dependent[np.ix_(source, source)]
        b = products(moments, balance, symmetric, source, vote)
        return cls(np.where(b == 0, 1 / n, b), allowed, limit, source, vote, symmetric, moments)

    def one_sided_hint(self) -> str:
        """A reason to add to a refusal, where sources that vote for one class only are in the way."""
        count = int(((self.moments.single > 0).sum(axis=1) == 1).sum())
        if not self.symmetric or count == 0:
            return ""
        return (
            f"; {count} of the sources vote for one class only, so that their agreement with each other tells nothing"
        )

    def solve(
        self, aggregate: Aggregate, negative: Negative, rng: np.random.Generator | None = None
    ) -> tuple[Floats, npt.NDArray[np.int64]]:
        """The size of x of every feature, and how many triplets it rests on; see `aggregate_triplets`."""
        return aggregate_triplets(self.b, self.allowed, aggregate, negative, self.limit, rng)

    def source_model(self, x: Floats, balance: Floats) -> SourceModel:
        """The model that has these x."""
        conditionals = self.conditionals(x, balance)
        return SourceModel.independent(self.moments.sources, self.moments.classes, balance, conditionals)

    def conditionals(self, x: Floats, balance: Floats) -> Floats:
        """Output probabilities, shape (m, K, K + 1), of sources that have these x."""
        single, n = self.moments.single, self.moments.n
        if self.symmetric:
            K = len(balance)
            right = np.clip((1 + (K - 1) * x) / K, 1 / n, 1 - 1 / n)
            return symmetric_table(right, self.moments.coverage / n, K)
        # P(f | Y = 1) = P(f) + (1 - pi) D_f and P(f | Y = 0) = P(f) - pi D_f.
        floor, m = 1 / n, len(single)
        table = np.zeros((m, 2, 3))
        p = single[self.source, self.vote] / n
        D = np.where(self.vote == 1, x, -x)
        table[self.source, 0, self.vote + 1] = np.clip(p - balance[1] * D, floor, 1 - floor)
        table[self.source, 1, self.vote + 1] = np.clip(p + balance[0] * D, floor, 1 - floor)
        # What is left is the output without a feature: an abstain, or class 0 where the source always votes.
        always = self.moments.coverage == n
        table[np.arange(m), :, np.where(always, 1, 0)] = np.maximum(1 - table.sum(axis=2), floor)
        return table / table.sum(axis=2, keepdims=True)


def products(
    moments: Moments, balance: Floats, symmetric: bool, source: npt.NDArray[np.intp], vote: npt.NDArray[np.intp]
) -> Floats:
    """The matrix with ``b_fg = x_f x_g`` where features f and g are independent given the class."""
    if symmetric:
        K = len(balance)
        return (K * moments.agree / np.maximum(moments.together, 1) - 1) / (K - 1)
    return covariances(moments, source, vote) / (balance[0] * balance[1])


def covariances(moments: Moments, source: npt.NDArray[np.intp], vote: npt.NDArray[np.intp]) -> Floats:
    """Covariances of the features ``1[vote of source f = vote f]``, turned so that they are positive under triplets.

    A vote for class 0 counts negatively: its feature is rarer where the class is 1.
    """
    n = moments.n
    p = moments.single[source, vote] / n
    pair = moments.pair[source, vote][:, source, vote]
    turn = np.where(vote == 1, 1, -1)
    return (pair / n - np.outer(p, p)) * np.outer(turn, turn)
