"""Answers to two questions: what is a gold label worth on this data, and how should a budget be spent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from carob._types import Progress
from carob.count.digest import Digest
from carob.errors import InputError, NotIdentifiedError
from carob.label.fit import digest_of
from carob.model.label_model import LabelModel
from carob.posterior.settings import Settings
from carob.value.advice import DataValue, conclude
from carob.value.decision import FEWEST_GOLD, check_worth
from carob.value.plan import Plan, best_plan, check_costs
from carob.value.risks import Risks, measure_risks
from carob.value.votes_alone import VotesAlone, votes_alone
from carob.votes import GoldPoints


def data_value(
    votes: Any,
    gold: Any = None,
    *,
    model: LabelModel | None = None,
    worth: float | None = None,
    progress: Progress | None = None,
) -> DataValue | VotesAlone:
    """What unlabeled points and gold labels are worth on this data, and what to do next.

    Parameters
    ----------
    votes, gold
        As in `carob.LabelModel.fit`.
    model : LabelModel, optional
        How to learn; what is weighed is the fit that it makes, of votes alone and of votes and gold.
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
    >>> found = data_value(votes, few, model=carob.LabelModel(class_balance=0.5))
    >>> found.equivalent_labels.value > 42  # by triplets and all gold; the default makes more of the same votes
    True
    """
    model = LabelModel() if model is None else model
    return weigh(digest_of(*model.read(votes, gold), model.settings()), model.settings(), worth, progress)[0]


def plan(
    votes: Any,
    gold: Any,
    *,
    label_cost: float,
    point_cost: float,
    budget: float,
    model: LabelModel | None = None,
    progress: Progress | None = None,
) -> Plan:
    """How many gold labels and unlabeled points to buy, so that the combination of both has the least risk.

    Parameters
    ----------
    label_cost, point_cost : float
        Price of one gold label, on a point that you have or buy, and of one unlabeled point with its votes.
    budget : float
        What may be spent.
    votes, gold, model, progress
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
    >>> model = carob.LabelModel(class_balance=0.5)
    >>> found = plan(votes, few, label_cost=0.5, point_cost=0.001, budget=100, model=model)
    >>> found.buy_labels > 150 and found.cost <= 100
    True
    """
    model = LabelModel() if model is None else model
    digest = digest_of(*model.read(votes, gold), model.settings())
    return spend(digest, model.settings(), label_cost, point_cost, budget, progress)


def weigh(
    digest: Digest, settings: Settings, worth: float | None = None, progress: Progress | None = None
) -> tuple[DataValue | VotesAlone, Risks | None]:
    """As `data_value`, of a digest of votes and gold; and the risks that it rests on, where there is enough gold."""
    check_worth(worth)
    check_method(settings)
    points = digest.points
    if not _enough(points):
        return votes_alone(digest, settings), None
    risks = _risks(digest, points, settings, progress)
    return replace(conclude(risks, worth), messages=digest.messages), risks


def spend(
    digest: Digest,
    settings: Settings,
    label_cost: float,
    point_cost: float,
    budget: float,
    progress: Progress | None = None,
) -> Plan:
    """As `plan`, of a digest of votes and gold."""
    check_costs(label_cost, point_cost, budget)
    check_method(settings)
    points = digest.points
    if not _enough(points):
        raise NotIdentifiedError(
            f"a plan needs {FEWEST_GOLD} gold labels at least, of two classes or more, to predict what more would "
            "change. Label a few random points first."
        )
    risks = _risks(digest, points, settings, progress)
    return replace(best_plan(risks, label_cost, point_cost, budget), messages=digest.messages)


def check_method(settings: Settings) -> None:
    """Refuse methods of the paper, whose value is known where the distribution of the votes is."""
    if settings.method != "consensus":
        raise InputError(
            f"method={settings.method!r} is not weighed here: value, plan and rate are of the default "
            "(method='consensus'; --method consensus). carob.paper.known_curve and data_value_ratio weigh the paper's."
        )


def _risks(digest: Digest, points: GoldPoints, settings: Settings, progress: Progress | None) -> Risks:
    settings = settings.for_sources(digest.counts.sources, digest.sources)
    return measure_risks(digest.kept, points, settings, progress, len(digest))


def _enough(points: GoldPoints | None) -> TypeGuard[GoldPoints]:
    return points is not None and len(points) >= FEWEST_GOLD and bool(np.count_nonzero(points.counts) > 1)
