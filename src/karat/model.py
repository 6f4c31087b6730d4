"""`LabelModel`: fit on votes and perhaps gold, then label points. scikit-learn's conventions, without importing it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from karat.coding import Coding, Label
from karat.errors import InputError, NotFittedError, NotIdentifiedError
from karat.estimate.balance import ThirdMoments
from karat.estimate.intervals import Estimator, Intervals, Progress, triplet_intervals
from karat.estimate.labeled import accuracy_interval, gold_balance, labeled
from karat.estimate.signs import found_signs
from karat.estimate.structure import check_groups, dependent_groups, merge_groups
from karat.estimate.triplets import (
    Aggregate,
    Negative,
    Pairs,
    Signs,
    check_choices,
    check_shape,
    check_sources,
    one_of,
    pair_positions,
    resolve_symmetric,
    triplets,
)
from karat.estimate.wilson import wilson
from karat.moments import Moments
from karat.naive_bayes import posterior
from karat.source_model import Floats, SourceModel, check_class_balance
from karat.source_table import SourceTable
from karat.tables import as_votes, votes_for
from karat.votes import Gold, Votes

Method = Literal["triplets", "labeled"]
_VOTES_WORTH = 25.0  # gold labels that the class balance found in the votes counts for


class LabelModel:
    """Learn how good each source is and label points by the votes on them.

    Parameters
    ----------
    aggregate : {"median", "mean", "random"}
        How estimates of all triplets become one; the median withstands sources that depend on each other.
    method : {"triplets", "labeled"}
        Learn the sources from all votes without gold, or from the points with gold alone.
    class_balance : float or sequence of float, optional
        Probability of the second of two classes, or of every class. Where not given it comes from the votes, and from
        gold where there is some.
    symmetric : bool, optional
        One accuracy per source, or one per source and class; chosen by the data where not given, see
        `karat.triplets`.
    known_pairs : sequence of pairs
        Pairs of sources, by name or position, known to depend on each other. They are left out of every triplet and,
        for two classes, taken as one source when points are labeled.
    negative : {"drop", "absolute"}
        What to do with triplets whose ratio is negative.
    signs : {"positive", "data"}
        Take every source to be better than chance, or find out from which sources agree.
    classes, abstain
        The classes in order and the value that means "no vote", for votes that are arrays or frames; found where not
        given.
    level : float
        Probability that an interval should cover.
    replicates : int
        Bootstrap replicates behind the intervals; 0 leaves the intervals out.
    rng : numpy Generator or int, optional
        Randomness of the bootstrap and of ``aggregate="random"``.

    Attributes
    ----------
    source_model_ : SourceModel
        What was learned.
    sources_ : data frame
        One row per source: polarity, coverage, overlaps, conflicts, correct, incorrect, empirical_accuracy, accuracy,
        low, high.
    source_table_ : SourceTable
        The same without a data frame library.
    class_balance_, class_balance_low_, class_balance_high_ : arrays, shape (K,)
    classes_ : array, shape (K,)
    n_features_in_ : int
        Number of sources.

    Examples
    --------
    >>> import karat
    >>> votes = karat.datasets.load_imdb()
    >>> model = karat.LabelModel(class_balance=0.5).fit(votes)
    >>> model.predict_proba(votes)[[0, -1]].round(3)
    array([[1.   , 0.   ],
           [0.002, 0.998]])
    >>> model.score(votes, votes.gold)
    0.66396
    """

    def __init__(
        self,
        aggregate: Aggregate = "median",
        *,
        method: Method = "triplets",
        class_balance: Any = None,
        symmetric: bool | None = None,
        known_pairs: Pairs = (),
        negative: Negative = "drop",
        signs: Signs = "positive",
        classes: Sequence[Label] | None = None,
        abstain: Label | float | None = None,
        level: float = 0.9,
        replicates: int = 200,
        rng: np.random.Generator | int | None = 0,
    ) -> None:
        self.aggregate = aggregate
        self.method = method
        self.class_balance = class_balance
        self.symmetric = symmetric
        self.known_pairs = known_pairs
        self.negative = negative
        self.signs = signs
        self.classes = classes
        self.abstain = abstain
        self.level = level
        self.replicates = replicates
        self.rng = rng

    def fit(self, votes: Any, gold: Any = None, *, progress: Progress | None = None) -> Self:
        """Learn from votes, and from gold where there is some.

        Parameters
        ----------
        votes : Votes, array, data frame or path
            What `karat.read_votes` and `Votes.from_array` take.
        gold : Gold or array, shape (n,), optional
            True classes, written as the votes are; None, NaN, -1 or an empty text where unknown.
        progress : callable, optional
            Called with how many steps of the intervals are done and how many there are.
        """
        one_of("method", self.method, ("triplets", "labeled"))
        check_choices(self.aggregate, self.negative, self.signs)
        if self.replicates < 0:
            raise InputError(f"replicates must be 0 or more, not {self.replicates!r}.")
        if not 0 < self.level < 1:
            raise InputError(f"level must be between 0 and 1, not {self.level!r}.")
        data = as_votes(votes, classes=self.classes, abstain=self.abstain, gold=gold)
        truth = None if gold is None else data.code_gold(gold)
        pairs = pair_positions(self.known_pairs, data.sources)
        groups = dependent_groups(len(data.sources), pairs)
        check_groups(groups, data.sources, len(data.classes))
        if self.method == "labeled":
            learned, intervals = self._labeled(data, truth, groups)
        else:
            learned, intervals = self._triplets(data, truth, pairs, groups, progress)
        table = SourceTable.of(data, truth, learned.accuracy, intervals.low, intervals.high)
        return self._set(learned, data.coding, table, intervals)

    def _set(self, model: SourceModel, coding: Coding, table: SourceTable, intervals: Intervals) -> Self:
        """Store what was learned."""
        self.source_model_ = model
        self.coding_ = coding
        self.source_table_ = table
        self.class_balance_ = model.class_balance
        self.class_balance_low_, self.class_balance_high_ = intervals.balance_low, intervals.balance_high
        self.interval_method_ = intervals.method
        return self

    def _labeled(
        self, votes: Votes, gold: Gold | None, groups: tuple[tuple[int, ...], ...]
    ) -> tuple[SourceModel, Intervals]:
        if gold is None:
            raise InputError("method='labeled' learns from gold labels; give some, or use method='triplets'.")
        model = labeled(
            votes, gold, self.class_balance, bool(self.symmetric), groups if len(self.known_pairs) else None
        )
        balance = model.class_balance
        shares = self._gold_shares(gold) if self.class_balance is None else (balance, balance)
        found = Intervals(*accuracy_interval(votes, gold, balance, self.level), *shares, "wilson")
        return model, found.holding(model.accuracy, balance)

    def _triplets(
        self,
        votes: Votes,
        gold: Gold | None,
        pairs: list[tuple[int, int]],
        groups: tuple[tuple[int, ...], ...],
        progress: Progress | None,
    ) -> tuple[SourceModel, Intervals]:
        check_shape(len(votes), len(votes.sources))
        moments = Moments.of(votes)
        check_sources(moments, pairs)
        symmetric = resolve_symmetric(self.symmetric, moments)
        given = None if self.class_balance is None else check_class_balance(self.class_balance, votes.classes)
        third = ThirdMoments.of(moments, pairs) if given is None and len(votes.classes) == 2 else None
        sums = None if third is None else third.sums(votes.patterns.values, votes.patterns.counts[None, :])[0]
        rng = np.random.default_rng(self.rng)
        sign = np.ones(len(votes.sources), dtype=np.int64)
        estimator = Estimator(self.aggregate, self.negative, symmetric, pairs, given, sign, third)
        if given is None and gold is not None and gold.known.any():
            given = _balance_with_gold(estimator, moments, sums, gold)
            estimator = replace(estimator, balance=given, third=None)
            sums = None
        balance = estimator.class_balance(moments, sums)
        model = triplets(
            moments, self.aggregate, balance, symmetric, pairs, negative=self.negative, signs=self.signs, rng=rng
        )
        if self.signs == "data":
            estimator = replace(estimator, sign=found_signs(moments, model))
        if self.replicates > 0:
            intervals = triplet_intervals(votes, moments, estimator, self.level, self.replicates, rng, progress)
        else:
            nothing = np.full(len(votes.sources), np.nan), np.full(len(balance), np.nan)
            intervals = Intervals(nothing[0], nothing[0], nothing[1], nothing[1], "none")
        if self.class_balance is None and given is not None and gold is not None:
            low, high = self._gold_shares(gold)
            intervals = replace(intervals, balance_low=low, balance_high=high)
        if pairs and len(votes.classes) == 2:
            model = merge_groups(votes, model, groups)
        return model, intervals.holding(model.accuracy, model.class_balance)

    def _gold_shares(self, gold: Gold) -> tuple[Floats, Floats]:
        """Interval of the share of each class in gold."""
        return wilson(gold.counts, np.full(len(gold.classes), gold.counts.sum()), self.level)

    def predict_proba(self, votes: Any) -> Floats:
        """Probability of each class for each point, shape (n, K), columns as in `classes_`."""
        model = self._fitted()
        return posterior(votes_for(votes, model.sources, self.coding_), model)

    def predict(self, votes: Any) -> npt.NDArray[Any]:
        """The most probable class of each point, as the user wrote it; the first of equally probable ones."""
        return self.classes_[self.predict_proba(votes).argmax(axis=1)]

    def score(self, votes: Any, gold: Any) -> float:
        """Share of points with gold whose most probable class is right."""
        data = votes_for(votes, self._fitted().sources, self.coding_)
        truth = data.code_gold(gold)
        if not truth.known.any():
            raise InputError("there is no gold label to score against.")
        return float((self.predict_proba(data).argmax(axis=1) == truth.values)[truth.known].mean())

    @property
    def sources_(self) -> Any:
        """The table of sources as a data frame."""
        self._fitted()
        return self.source_table_.to_frame()

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes as the user wrote them."""
        return np.array(self._fitted().classes)

    @property
    def n_features_in_(self) -> int:
        """Number of sources."""
        return len(self._fitted().sources)

    def _fitted(self) -> SourceModel:
        if not hasattr(self, "source_model_"):
            raise NotFittedError("this LabelModel is not fitted yet; call fit(votes) first.")
        return self.source_model_

    def save(self, path: str | Path) -> None:
        """Write the fitted model as JSON; the file appears whole or not at all."""
        from karat.model_file import write_model

        self._fitted()
        write_model(path, self)

    # What scikit-learn asks of an estimator.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments."""
        return {name: getattr(self, name) for name in parameters()}

    def set_params(self, **params: Any) -> Self:
        """Set constructor arguments by name."""
        for name, value in params.items():
            if name not in parameters():
                raise InputError(f"LabelModel has no parameter {name!r}; it has {', '.join(parameters())}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(LabelModel).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"LabelModel({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "source_model_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=False),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(categorical=True, string=True, sparse=True),
        )


def _balance_with_gold(estimator: Estimator, moments: Moments, sums: Floats | None, gold: Gold) -> Floats:
    """Class balance from gold and, as if it were `_VOTES_WORTH` more gold labels, from the votes where they tell."""
    try:
        return gold_balance(gold, estimator.class_balance(moments, sums), _VOTES_WORTH)
    except NotIdentifiedError:
        return gold_balance(gold)


def parameters() -> Sequence[str]:
    """Names of the constructor's arguments."""
    return list(inspect.signature(LabelModel).parameters)


def load(path: str | Path) -> LabelModel:
    """Read a model that `LabelModel.save` wrote.

    Raises
    ------
    InputError
        Where the file is damaged, is no model, or was written by a newer karat.
    """
    from karat.model_file import read_model

    return read_model(path)
