r"""Accuracies of sources without gold, from triplets of sources.

Where sources i, j, k are independent given the class, a parameter x_i of each source satisfies ``b_ij = x_i x_j``, so
``x_i^2 = b_ij b_ik / b_jk`` (the paper's equation (triplet)). What x and b are depends on the kind of source: see
`carob.paper.kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carob._types import Floats, Ints, Places
from carob.count.moments import Moments
from carob.errors import NotIdentifiedError, examples
from carob.paper.aggregate import aggregate_triplets
from carob.paper.count import check_sources
from carob.paper.kinds import Features, Kind, Symmetric, choose_kind
from carob.paper.settings import Aggregate, Negative, Signs, TripletSettings
from carob.paper.signs import found_signs
from carob.posterior.settings import Pairs, Positions
from carob.posterior.source_model import SourceModel, check_class_balance


@dataclass(frozen=True, eq=False)
class Problem:
    """What the triplets are taken of: a matrix b with ``b_fg = x_f x_g``, and what x means."""

    kind: Kind
    moments: Moments
    features: Features
    b: Floats  # shape (f, f)

    @classmethod
    def of(cls, kind: Kind, moments: Moments, balance: Floats, pairs: Positions) -> Problem:
        """Set up the triplets of all sources."""
        features = kind.features(moments, pairs)
        b = kind.products(moments, features, balance)
        return cls(kind, moments, features, np.where(b == 0, 1 / moments.n, b))

    def sizes(
        self, settings: TripletSettings, rng: np.random.Generator, partners: Places | None = None
    ) -> tuple[Floats, Ints]:
        """The size of x of every feature, and how many triplets it rests on; see `aggregate_triplets`."""
        features = self.features
        return aggregate_triplets(
            self.b, features.allowed, settings.aggregate, settings.negative, features.limit, rng, partners
        )

    def tables(self, x: Floats, balance: Floats) -> Floats:
        """Probability of every output given the class, of sources that have these x."""
        return self.kind.tables(self.moments, self.features, x, balance)

    def accuracies(self, x: Floats, balance: Floats) -> Floats:
        """How often sources that have these x are right, shape (m,)."""
        return self.kind.accuracy(self.moments.outputs, self.tables(x, balance), balance)

    def source_model(self, x: Floats, balance: Floats) -> SourceModel:
        """The model that has these x."""
        moments = self.moments
        tables = [t[:, :size] for t, size in zip(self.tables(x, balance), moments.outputs.sizes, strict=True)]
        return SourceModel.independent(moments.sources, moments.classes, balance, tables)


@dataclass(frozen=True, eq=False)
class Solution:
    """Solved triplets."""

    problem: Problem
    x: Floats  # shape (f,): signed parameters of the features
    sign: Ints  # shape (m,)
    class_balance: Floats  # shape (K,)
    settings: TripletSettings  # how the triplets were solved

    @property
    def model(self) -> SourceModel:
        """The source model that has these parameters, every source by itself."""
        return self.problem.source_model(self.x, self.class_balance)


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
    >>> import carob
    >>> votes = carob.paper.datasets.load_imdb()
    >>> model = triplets(Moments.of(votes), class_balance=0.5)
    >>> dict(zip(model.sources, model.accuracy.round(3).tolist()))["great"]
    0.609
    """
    if not isinstance(moments, Moments):
        raise TypeError(f"triplets takes Moments, as Moments.of(votes) gives them, not {type(moments).__name__}.")
    settings = TripletSettings(
        aggregate=aggregate,
        class_balance=class_balance,
        symmetric=symmetric,
        known_pairs=known_pairs,
        negative=negative,
        signs=signs,
        rng=rng,
    )
    balance = check_class_balance(class_balance, moments.classes)
    check_sources(moments, settings.pairs(moments.sources))
    return solve(moments, balance, settings).model


def solve(moments: Moments, balance: Floats, settings: TripletSettings) -> Solution:
    """As `triplets`, with the class balance known and the sources checked."""
    kind = choose_kind(settings.symmetric, moments)
    pairs = settings.pairs(moments.sources)
    problem = Problem.of(kind, moments, balance, pairs)
    source = problem.features.source
    size, usable = problem.sizes(settings, settings.generator())
    unknown = [moments.sources[i] for i in np.unique(source[usable == 0])]
    if unknown:
        raise NotIdentifiedError(
            f"no triplet can be used for {examples(unknown)}: with every pair of other sources, agreements contradict "
            f"each other or never occur{kind.hint(moments)}. Drop the source (drop=; --drop), name dependent pairs "
            "(known_pairs=; --known-pair), or bring more points.",
            estimate=np.where(usable == 0, 0.0, size),
        )
    sign = np.ones(len(moments.sources), dtype=np.int64)
    if settings.signs == "data":
        sign = found_signs(moments, problem.source_model(size, balance), pairs)
    return Solution(problem, size * sign[source], sign, balance, settings)


@dataclass(frozen=True, eq=False)
class TripletSpread:
    """Estimates of the accuracy of one source, one by every pair of other sources."""

    source: str
    accuracies: Floats  # shape (t,): in increasing order; as sources that are right equally often in all classes
    negative: int  # triplets that contradict themselves, which give no estimate

    @property
    def median(self) -> float:
        """What is taken for the accuracy."""
        return float(np.median(self.accuracies))

    @property
    def width(self) -> float:
        """Between a quarter and three quarters of the estimates."""
        low, high = np.quantile(self.accuracies, [0.25, 0.75])
        return float(high - low)


def widest_spread(moments: Moments, pairs: Positions = ()) -> TripletSpread | None:
    """The source whose triplets differ most; None where no source has three triplets or more.

    `pairs`: sources known to depend on each other, which are in no triplet together.
    """
    kind = Symmetric()
    K = len(moments.classes)
    problem = Problem.of(kind, moments, np.full(K, 1 / K), pairs)
    found = [_spread(problem, i) for i in range(len(moments.sources))]
    told = [spread for spread in found if len(spread.accuracies) >= 3]
    return max(told, key=lambda spread: spread.width, default=None)


def _spread(problem: Problem, i: int) -> TripletSpread:
    b, allowed, K = problem.b, problem.features.allowed, len(problem.moments.classes)
    others = np.flatnonzero(allowed[i])
    place = np.triu_indices(len(others), 1)
    j, k = others[place[0]], others[place[1]]
    j, k = j[allowed[j, k]], k[allowed[j, k]]
    ratio = b[i, j] * b[i, k] / b[j, k]
    x = np.sort(np.minimum(np.sqrt(ratio[ratio > 0]), 1))
    return TripletSpread(problem.moments.sources[i], (1 + (K - 1) * x) / K, int((ratio <= 0).sum()))
