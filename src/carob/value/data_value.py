"""Answers to two questions: what is a gold label worth on this data, and how should a budget be spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from carob._types import Abstains, Label, Progress
from carob.count.digest import Digest
from carob.errors import NotIdentifiedError, one_of
from carob.model.fit import fit
from carob.paper.check import check_shape
from carob.paper.count import count
from carob.paper.votes_fit import fit_votes
from carob.posterior.settings import Pairs, Settings, Signs
from carob.read import as_votes
from carob.value.advice import DataValue, conclude
from carob.value.decision import FEWEST_GOLD, check_worth
from carob.value.plan import Plan, best_plan, check_costs
from carob.value.risks import Risks, measure_risks
from carob.value.votes_alone import VotesAlone, votes_alone
from carob.votes import Gold, GoldPoints, Votes


def data_value(
    votes: Any,
    gold: Any = None,
    *,
    aggregate: str | None = None,
    class_balance: Any = None,
    symmetric: bool | None = None,
    known_pairs: Pairs = (),
    signs: Signs = "positive",
    classes: Sequence[Label] | None = None,
    abstain: Abstains = None,
    level: float = 0.9,
    worth: float | None = None,
    rng: np.random.Generator | int | None = 0,
    strict: bool = False,
    progress: Progress | None = None,
) -> DataValue | VotesAlone:
    """What unlabeled points and gold labels are worth on this data, and what to do next.

    Parameters
    ----------
    votes, gold
        As in `carob.LabelModel.fit`.
    aggregate, class_balance, symmetric, known_pairs, signs, classes, abstain, level, rng, strict
        As in `carob.LabelModel`: what is weighed is the fit that these make, of votes alone and of votes and gold.
        Where one of `aggregate`, `symmetric` and `signs` is said, that is the paper's, by triplets of sources.
    worth : float, optional
        What a gain must be to be worth buying, in the share of right labels; 0.0005 of log loss where not said.
    progress : callable, optional
        Called with how many steps are done and how many there are.

    Returns
    -------
    DataValue or VotesAlone
        The latter, which is weaker, with fewer than 20 gold labels or gold of a single class.

    Examples
    --------
    >>> import carob
    >>> votes = carob.paper.datasets.load_imdb()
    >>> few = np.where(np.random.default_rng(0).permutation(len(votes)) < 200, votes.gold.values, -1)
    >>> found = data_value(votes, few, class_balance=0.5, aggregate="median")
    >>> found.kind
    'buy labels'
    >>> found.equivalent_labels.low < 42 < found.equivalent_labels.high  # 42 with all gold
    True
    """
    data, truth = _read(votes, gold, classes, abstain, strict)
    settings = _settings(aggregate, class_balance, symmetric, known_pairs, signs, level, rng, strict)
    return weigh(data, truth, settings, worth, progress)


def plan(
    votes: Any,
    gold: Any,
    *,
    label_cost: float,
    point_cost: float,
    budget: float,
    aggregate: str | None = None,
    class_balance: Any = None,
    symmetric: bool | None = None,
    known_pairs: Pairs = (),
    signs: Signs = "positive",
    classes: Sequence[Label] | None = None,
    abstain: Abstains = None,
    level: float = 0.9,
    rng: np.random.Generator | int | None = 0,
    strict: bool = False,
    progress: Progress | None = None,
) -> Plan:
    """How many gold labels and unlabeled points to buy, so that the combination of both has the least risk.

    Parameters
    ----------
    label_cost, point_cost : float
        Price of one gold label, on a point that you have or buy, and of one unlabeled point with its votes.
    budget : float
        What may be spent.
    votes, gold, aggregate, class_balance, symmetric, known_pairs, signs, classes, abstain, level, rng, strict, progress
        As in `data_value`.

    Raises
    ------
    NotIdentifiedError
        Fewer than 20 gold labels, or gold of a single class: no risk can be predicted.

    Examples
    --------
    >>> import carob
    >>> votes = carob.paper.datasets.load_imdb()
    >>> few = np.where(np.random.default_rng(0).permutation(len(votes)) < 100, votes.gold.values, -1)
    >>> found = plan(votes, few, class_balance=0.5, label_cost=0.5, point_cost=0.001, budget=100)
    >>> found.buy_labels > 150 and found.cost <= 100
    True
    """
    data, truth = _read(votes, gold, classes, abstain, strict)
    settings = _settings(aggregate, class_balance, symmetric, known_pairs, signs, level, rng, strict)
    return spend(data, truth, settings, label_cost, point_cost, budget, progress)


def weigh(
    votes: Votes | Digest,
    gold: Gold | None,
    settings: Settings,
    worth: float | None = None,
    progress: Progress | None = None,
) -> DataValue | VotesAlone:
    """As `data_value`, with votes and settings made; a digest holds its gold.

    Where votes are very many, those are weighed that the default fit learns from.
    """
    check_worth(worth)
    if isinstance(votes, Votes) and settings.takes_triplets:
        return weigh_with_risks(votes, gold, settings, worth, progress)[0]
    digest, settings = _digest(votes, gold, settings)
    return _weighed(digest.kept, digest.points, settings, digest.lines, worth, progress, len(digest))[0]


def weigh_with_risks(
    votes: Votes, gold: Gold | None, settings: Settings, worth: float | None = None, progress: Progress | None = None
) -> tuple[DataValue | VotesAlone, Risks | None]:
    """As `weigh`, with the risks that it rests on, where there is enough gold: plans and more follow from them."""
    check_worth(worth)
    aside, settings = settings.set_aside(votes)
    points = _gold_points(aside.votes, gold, settings)
    return _weighed(aside.votes, points, settings, aside.lines, worth, progress, len(votes))


def _weighed(
    votes: Votes,
    points: GoldPoints | None,
    settings: Settings,
    aside: tuple[str, ...],
    worth: float | None,
    progress: Progress | None,
    n: int,
) -> tuple[DataValue | VotesAlone, Risks | None]:
    """Weigh gold against votes, which may be a sample of those on n points."""
    if not _enough(points):
        votes, settings, aside = _voted(votes, aside, settings)
        check_shape(len(votes), len(votes.sources))
        votes_fit = fit_votes(count(votes, settings), points, settings)
        alone = votes_alone(votes_fit, points, settings.generator())
        return replace(alone, n_unlabeled=n, aside=aside), None
    risks = measure_risks(votes, points, settings, progress, n)
    return replace(conclude(risks, worth), aside=aside), risks


def spend(
    votes: Votes | Digest,
    gold: Gold | None,
    settings: Settings,
    label_cost: float,
    point_cost: float,
    budget: float,
    progress: Progress | None = None,
) -> Plan:
    """As `plan`, with votes and settings made; of very many votes as in `weigh`."""
    check_costs(label_cost, point_cost, budget)
    if isinstance(votes, Votes) and settings.takes_triplets:
        aside, settings = settings.set_aside(votes)
        kept, n, lines = aside.votes, len(votes), aside.lines
        points = _gold_points(kept, gold, settings)
    else:
        digest, settings = _digest(votes, gold, settings)
        kept, n, lines, points = digest.kept, len(digest), digest.lines, digest.points
    if not _enough(points):
        raise NotIdentifiedError(
            f"a plan needs {FEWEST_GOLD} gold labels at least, of two classes or more, to predict what more would "
            "change. Label a few random points first."
        )
    risks = measure_risks(kept, points, settings, progress, n)
    return replace(best_plan(risks, label_cost, point_cost, budget), aside=lines)


def _digest(votes: Votes | Digest, gold: Gold | None, settings: Settings) -> tuple[Digest, Settings]:
    """A digest of the sources that tell something, and the settings for them."""
    one_of("aggregate", settings.averaging, ("median", "mean"))
    if isinstance(votes, Digest):
        return votes, settings.for_sources(votes.counts.sources, votes.sources)
    aside, settings = settings.set_aside(votes)
    return Digest.of(aside.votes, gold).reading(aside.lines), settings


def _read(
    votes: Any, gold: Any, classes: Sequence[Label] | None, abstain: Abstains, strict: bool
) -> tuple[Votes, Gold | None]:
    data = as_votes(votes, classes=classes, abstain=abstain, gold=gold, strict=strict)
    return data, None if gold is None else data.code_gold(gold)


def _voted(votes: Votes, aside: tuple[str, ...], settings: Settings) -> tuple[Votes, Settings, tuple[str, ...]]:
    """Votes for the paper's view of them: scores as the votes that they come to, and what is to be said of it."""
    if not votes.scored.any():
        return votes, settings, aside
    found = fit(votes, None, Settings(class_balance=settings.class_balance, known_pairs=settings.known_pairs))
    said = f"Scores, taken as the votes that they come to: {', '.join(votes.scales)}."
    voted, settings = settings.set_aside(replace(votes.as_voted(found.reads_as), aside=(*aside, said)))
    return voted.votes, settings, voted.lines


def _gold_points(votes: Votes, gold: Gold | None, settings: Settings) -> GoldPoints | None:
    """The points with gold, once it is sure that what was asked for can be answered at all."""
    one_of("aggregate", settings.averaging, ("median", "mean"))
    if settings.takes_triplets:
        check_shape(len(votes), len(votes.sources))
    return None if gold is None or not gold.known.any() else GoldPoints.of(votes, gold)


def _settings(
    aggregate: Any,
    class_balance: Any,
    symmetric: bool | None,
    known_pairs: Pairs,
    signs: Signs,
    level: float,
    rng: Any,
    strict: bool,
) -> Settings:
    return Settings(
        aggregate=aggregate,
        class_balance=class_balance,
        symmetric=symmetric,
        known_pairs=known_pairs,
        signs=signs,
        level=level,
        rng=rng,
        strict=strict,
    )


def _enough(points: GoldPoints | None) -> TypeGuard[GoldPoints]:
    return points is not None and len(points) >= FEWEST_GOLD and (points.counts > 0).sum() >= 2
