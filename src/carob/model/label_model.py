"""`LabelModel`: fit on votes and perhaps gold, then label points. scikit-learn's conventions, without importing it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

import numpy as np

from carob._types import Abstains, AnyArray, Floats, Label, Progress, Shown
from carob.count.aside import set_aside_before
from carob.count.digest import Digest
from carob.errors import InputError, NotFittedError, examples, plural
from carob.label.fit import digest_of, fit_digest
from carob.model.content import fit_of, model_content
from carob.model.explanation import point_explanation
from carob.paper.fit import fit_paper
from carob.posterior.fit import Fit
from carob.posterior.settings import Method, Pairs, Settings
from carob.posterior.source_model import SourceModel
from carob.posterior.source_table import SourceTable
from carob.read import as_votes, votes_for
from carob.read.model_file import model_bytes, read_model, write_model
from carob.votes import Gold, Votes
from carob.votes.columns import names_array
from carob.votes.messages import Message


class LabelModel(Shown):
    """Learn how good each source is and label points by the votes on them.

    Parameters
    ----------
    method : {"consensus", "triplets", "labeled", "tensors"}
        "consensus" learns the sources from what all votes on a point say together, and from gold where there is some.
        The others are the paper's: "triplets" learns the sources from all votes, three at a time, and takes gold for
        the class balance alone; "labeled" learns from the points with gold alone; "tensors" a whole table of every
        source, for any number of classes, from triples of views, with gold added.
    class_balance : float or sequence of float, optional
        Probability of the second of two classes, or of every class. Where not given it comes from the votes, and from
        gold where there is some.
    known_pairs : sequence of pairs
        Pairs of sources, by name or position, known to depend on each other; they are taken as one source.
    classes, abstain
        The classes in order and the value that means "no vote", for votes that are arrays or frames; found where not
        given.
    level : float
        Probability that an interval should cover.
    replicates : int
        Bootstrap replicates behind the intervals of "triplets" and "tensors", fewer where they would take long; 0
        leaves the intervals out.
    rng : numpy Generator or int, optional
        Randomness of the bootstrap, and of the parts that gold is split into.
    strict : bool
        Refuse sources that never vote, that vote the same on every point, or that are copies of another, and columns
        that are no votes, rather than set them aside.

    Attributes
    ----------
    fit_ : Fit
        All that was found.
    source_model_ : SourceModel
        How each source votes given the class.
    sources_ : data frame
        One row per source: polarity, coverage, overlaps, conflicts, correct, incorrect, empirical_accuracy, accuracy,
        low, high.
    class_balance_, class_balance_low_, class_balance_high_ : arrays, shape (K,)
    classes_ : array, shape (K,)
    n_features_in_ : int
        Number of sources, those that were set aside among them.
    messages_ : tuple of Message
        What of the data was dropped, and what was guessed.

    Examples
    --------
    >>> import carob
    >>> votes = carob.paper.datasets.load_imdb()
    >>> model = carob.LabelModel(class_balance=0.5).fit(votes)
    >>> model.predict_proba(votes)[[0, -1]].round(3)
    array([[0.958, 0.042],
           [0.191, 0.809]])
    >>> model.score(votes, votes.gold)
    0.67726
    """

    def __init__(
        self,
        method: Method = "consensus",
        *,
        class_balance: Any = None,
        known_pairs: Pairs = (),
        classes: Sequence[Label] | None = None,
        abstain: Abstains = None,
        level: float = 0.9,
        replicates: int = 200,
        rng: np.random.Generator | int | None = 0,
        strict: bool = False,
    ) -> None:
        self.method = method
        self.class_balance = class_balance
        self.known_pairs = known_pairs
        self.classes = classes
        self.abstain = abstain
        self.level = level
        self.replicates = replicates
        self.rng = rng
        self.strict = strict

    def fit(self, votes: Any, gold: Any = None, *, progress: Progress | None = None) -> Self:
        """Learn from votes, and from gold where there is some.

        Parameters
        ----------
        votes : Votes, array, data frame, path or Digest
            What `carob.read_votes` and `Votes.from_array` take, or a digest of votes that are too many for memory.
        gold : Gold or array, shape (n,), optional
            True classes, written as the votes are; None, NaN, -1 or an empty text where unknown. Gold that came with
            the votes is not used unless it is given here, and a warning says so.
        progress : callable, optional
            Called with how many steps of the intervals are done and how many there are.
        """
        settings = self.settings()
        if isinstance(votes, Digest):
            return self._fit_digest(votes, gold, settings)
        data, truth = self.read(votes, gold)
        if gold is None:
            _warn_of_unused(data.gold)
        self.fit_: Fit
        if settings.method == "consensus":
            self.fit_ = fit_digest(digest_of(data, truth, settings), settings)
        else:
            self.fit_ = fit_paper(data, truth, settings, progress)
        return self

    def read(self, votes: Any, gold: Any = None, chances: Any = None) -> tuple[Votes, Gold | None]:
        """Votes and gold as `fit` takes them; chances are those with which `carob.pick` chose gold points."""
        data = as_votes(votes, classes=self.classes, abstain=self.abstain, gold=gold, strict=self.strict)
        return data, None if gold is None else data.code_gold(gold, chances)

    def _fit_digest(self, digest: Digest, gold: Any, settings: Settings) -> Self:
        if gold is not None:
            raise InputError("a digest holds the gold that it was made with; give none beside it.")
        if settings.method != "consensus":
            raise InputError(
                f"method={settings.method!r} counts all votes anew for what it needs, and a digest is all that is left "
                "of them. Use the default (method='consensus'; --method consensus), or votes that fit into memory."
            )
        self.fit_ = fit_digest(digest, settings)
        return self

    def update(self, more: Any, gold: Any = None) -> Self:
        """Learn from more votes of the same sources, without those that it has learned from before.

        Parameters
        ----------
        more : Votes, array, data frame, path, Digest, or another LabelModel
            Votes, coded as those before: the result is that of a fit to all of them. Or a digest of rows that follow
            those before, or a model of the same sources, learned from other points.
        gold : Gold or array, shape (n,), optional
            True classes of these points.
        """
        before = self.learned_digest()
        if isinstance(more, LabelModel):
            if gold is not None:
                raise InputError("a model holds the gold that it was learned from; give none beside it.")
            other = more.learned_digest()
            if (other.counts.sources, other.classes) != (before.counts.sources, before.classes):
                raise InputError("only models of the same sources and classes can be merged.")
            more = other.after(len(before))
        elif not isinstance(more, Digest):
            votes = votes_for(more, before.counts.sources, self.fit_.coding)
            truth = None if gold is None else votes.code_gold(gold)
            more = Digest.of(votes, truth, len(before), before.telling)
        dull = {*before.nothing.constant, *(copy for copy, _ in before.nothing.copies)}
        counts = before.counts + more.counts
        nothing = set_aside_before(counts, [])
        back = dull - {*nothing.constant} - {copy for copy, first in nothing.copies if copy != first}
        if back:
            raise InputError(
                f"{examples(sorted(back))} had nothing to tell when this model was learned, voting the same on every "
                "point or as another source does, and now has. Fit all votes again."
            )
        voting = counts.number > 0
        left = [name for name, votes in zip(counts.sources, voting, strict=True) if votes and name not in dull]
        return self._fit_digest(before.with_silent(left) + more.with_silent(left), None, self.settings())

    def learned_digest(self) -> Digest:
        """What is kept of all votes learned from; a model that keeps nothing is refused."""
        digest = self._fitted().digest
        if digest is None:
            raise InputError(
                "this model keeps nothing that more votes could be added to: it was not learned by the default "
                "(method='consensus'; --method consensus), learned from scores, or saved by an older version. Fit it "
                "again."
            )
        return digest

    def settings(self) -> Settings:
        """The constructor's arguments that a fit depends on, checked."""
        return Settings(**{field.name: getattr(self, field.name) for field in fields(Settings)})

    def explain(self, point: Any = None) -> str:
        """Say what went into the model, or which votes moved a point, and by how much.

        Parameters
        ----------
        point : sequence of votes, dict of votes by source, or Votes of one point, optional
        """
        fit = self._fitted()
        if point is None:
            return "\n".join(fit.notes)
        if isinstance(point, dict):
            votes = self._votes({name: [point.get(name)] for name in fit.model.sources})
        else:
            votes = self._votes(point if isinstance(point, Votes) else [list(point)])
        if len(votes) != 1:
            raise InputError(f"explain takes one point, not {len(votes):,}; votes.take([i]) is one of them.")
        return point_explanation(fit, votes)

    def predict_proba(self, votes: Any) -> Floats:
        """Probability of each class for each point, shape (n, K), columns as in `classes_`."""
        return self._fitted().posterior(self._votes(votes))

    def predict(self, votes: Any) -> AnyArray:
        """The most probable class of each point, as the user wrote it; the first of equally probable ones."""
        return self.classes_[self.predict_proba(votes).argmax(axis=1)]

    def score(self, votes: Any, gold: Any) -> float:
        """Share of points with gold whose most probable class is right."""
        data = self._votes(votes)
        truth = data.code_gold(gold)
        if not truth.known.any():
            raise InputError("there is no gold label to score against.")
        return float((self.predict_proba(data).argmax(axis=1) == truth.values)[truth.known].mean())

    @property
    def source_model_(self) -> SourceModel:
        """How each source votes given the class."""
        return self._fitted().model

    @property
    def source_table_(self) -> SourceTable:
        """The table of sources without a data frame library."""
        return self._fitted().sources

    @property
    def sources_(self) -> Any:
        """The table of sources as a data frame."""
        return self.source_table_.to_frame()

    @property
    def class_balance_(self) -> Floats:
        """The share of each class, shape (K,)."""
        return self._fitted().model.class_balance

    @property
    def class_balance_low_(self) -> Floats:
        """Lower ends of the intervals of the class balance."""
        return self._fitted().balance_low

    @property
    def class_balance_high_(self) -> Floats:
        """Upper ends of the intervals of the class balance."""
        return self._fitted().balance_high

    @property
    def classes_(self) -> AnyArray:
        """The classes as the user wrote them."""
        return names_array(self._fitted().model.classes)

    @property
    def n_features_in_(self) -> int:
        """Number of sources, those that were set aside among them."""
        return len(self._fitted().all_sources)

    @property
    def messages_(self) -> tuple[Message, ...]:
        """What of the data was dropped, and what was guessed."""
        return self._fitted().messages

    def _votes(self, votes: Any) -> Votes:
        """Votes of the sources that the model knows."""
        fit = self._fitted()
        return votes_for(votes, fit.model.sources, fit.coding, fit.all_sources)

    def _fitted(self) -> Fit:
        if not hasattr(self, "fit_"):
            raise NotFittedError("this LabelModel is not fitted yet; call fit(votes) first.")
        return self.fit_

    def save(self, path: str | Path) -> None:
        """Write the fitted model as JSON; the file appears whole or not at all."""
        write_model(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """What `save` writes."""
        return model_bytes(model_content(self.get_params(), self._fitted()))

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
        return hasattr(self, "fit_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=False),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(categorical=True, string=True, sparse=True),
        )


def _warn_of_unused(gold: Gold | None) -> None:
    """Warn of gold that came with the votes and was not handed over."""
    number = 0 if gold is None or gold.reference else int(gold.known.sum())
    if number:
        warnings.warn(
            f"the votes came with {plural(number, 'gold label')} that fit was not given; pass gold=votes.gold to learn "
            "from them",
            UserWarning,
            stacklevel=3,
        )


def parameters() -> Sequence[str]:
    """Names of the constructor's arguments."""
    return list(inspect.signature(LabelModel).parameters)


def load(path: str | Path) -> LabelModel:
    """Read a model that `LabelModel.save` wrote.

    Raises
    ------
    InputError
        Where the file is damaged, is no model, or was written by a newer version.
    """

    def make(content: dict[str, Any]) -> LabelModel:
        params, fit = fit_of(content, content["version"])
        model = LabelModel(**params)
        model.settings()  # which checks them
        model.fit_ = fit
        return model

    return read_model(path, make)
