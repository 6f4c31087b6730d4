r"""How common each class is, from votes and a few gold labels, with an interval that holds whatever the model.

The probabilities f of a fit are taken over all N points, and gold says by how much they are off (prediction-powered
inference with power tuning; in surveys, a regression estimator). With y = 1 on gold points of the class, weights w
that say how many points of a random sample each gold point stands for, and f from fits that have not seen its label,

    share = mean_w(y) + power (mean of f over all points - mean_w(f)),    power = cov_w(y, f) / var_w(f)

A power of 0 is gold alone, and is taken where votes do not help. Its variance is that of y - power f on gold. The
interval is Wilson's for as many labels as give that variance: it has a width also where gold shows no point of a class,
or only those. Few points of a class tell little of how well votes find them, so that half a gold label that the votes
tell nothing of is counted in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carob._types import AnyArray, Floats, Label, Shown
from carob.errors import InputError, NotIdentifiedError, plural
from carob.label.cross_validation import cross_validate
from carob.label.model import learn_votes
from carob.model.label_model import LabelModel
from carob.posterior.intervals import student
from carob.posterior.settings import Settings
from carob.value.data_value import check_method
from carob.votes import Gold, GoldPoints, Votes
from carob.votes.messages import Message

FEWEST_GOLD = 10  # labels below which nothing is said of a rate
UNHELPED = 0.5  # gold labels that votes tell nothing of, counted into the variance of a share


@dataclass(frozen=True)
class ClassRate:
    """How common a class is.

    `label`: the class. `value`, `low`, `high`: its share, from votes and gold, with the interval. `gold_value`,
    `gold_low`, `gold_high`: the same from gold alone. `power`: what the votes count for: 0 where they do not help, 1
    where they are taken as they are.
    """

    label: Label
    value: float
    low: float
    high: float
    gold_value: float
    gold_low: float
    gold_high: float
    power: float


@dataclass(frozen=True)
class GroupRate:
    """How common each class is among all points, or those of a group.

    `group`: what the points have in common; None where they are all points. `shares`: empty where there is too little
    gold. `worth`: the number of random gold labels that would tell as much without votes; NaN where there is too little
    gold.
    """

    group: Any
    n_points: int
    n_gold: int
    shares: tuple[ClassRate, ...] = ()
    worth: float = float("nan")

    @property
    def told(self) -> bool:
        """Whether there is enough gold to tell."""
        return bool(self.shares)


@dataclass(frozen=True)
class Rate(Shown):
    """How common each class is, and what votes were worth for it.

    `overall`: of all points. `groups`: of points that have something in common, where that was asked for. `level`: of
    the intervals. `beyond`: whether they are for points like these, rather than for these points. `messages`: what of
    the data was dropped, what was guessed, and what to look at first.
    """

    overall: GroupRate
    groups: tuple[GroupRate, ...]
    level: float
    beyond: bool
    messages: tuple[Message, ...] = ()

    @property
    def verdict(self) -> str:
        """What the votes were worth, in one sentence."""
        return worth_words(self.overall)

    def to_dict(self) -> dict[str, Any]:
        """All of it, by plain names."""
        return {
            "level": self.level,
            "beyond": self.beyond,
            **_as_dict(self.overall),
            "groups": [{"group": group.group, **_as_dict(group)} for group in self.groups],
            "messages": [vars(message) for message in self.messages],
        }


def _as_dict(group: GroupRate) -> dict[str, Any]:
    return {
        "n_points": group.n_points,
        "n_gold": group.n_gold,
        "worth": group.worth,
        "shares": {str(share.label): {k: v for k, v in vars(share).items() if k != "label"} for share in group.shares},
    }


def worth_words(found: GroupRate) -> str:
    """What labels and votes are worth together.

    >>> worth_words(GroupRate(None, 50_200, 200, worth=640.2))
    'Your 200 gold labels and 50,200 points with votes are worth 640 random gold labels.'
    """
    labels = plural(found.n_gold, "gold label")
    if found.n_gold == found.n_points:
        return f"All {plural(found.n_points, 'point')} have gold: the shares are those of gold."
    if not round(found.worth) > found.n_gold:
        return f"Your {labels} tell all there is to tell here: the votes add nothing to them."
    together = f"{labels} and {plural(found.n_points, 'point')} with votes"
    return f"Your {together} are worth {found.worth:,.0f} random gold labels."


def rate(
    votes: Any,
    gold: Any = None,
    *,
    by: Any = None,
    chances: Any = None,
    beyond: bool = False,
    model: LabelModel | None = None,
) -> Rate:
    """How common each class is among the points, such as the pass rate of a system that noisy judges rate.

    Parameters
    ----------
    votes, gold
        As in `carob.LabelModel.fit`; where gold is not given, that which came with the votes.
    by : array, shape (n,), optional
        What to tell points apart by, such as the system; every group gets its own rates. Where not given, that which
        was read with the votes.
    chances : array, shape (n,), optional
        For gold points that `carob.pick` chose: their chances as it said. Gold points without are taken to be random.
    beyond : bool
        Intervals for all points like these, of which these are a random sample, rather than for these points.
    model : LabelModel, optional
        How to learn.

    Raises
    ------
    NotIdentifiedError
        Fewer than ten gold labels.

    Examples
    --------
    >>> import carob
    >>> votes = carob.paper.datasets.load_imdb()
    >>> few = np.where(np.random.default_rng(1).permutation(len(votes)) < 200, votes.gold.values, -1)
    >>> found = carob.rate(votes, few)
    >>> share = found.overall.shares[1]
    >>> round(share.low, 2), round(share.high, 2)
    (0.45, 0.56)
    >>> print(found.verdict)
    Your 200 gold labels and 50,000 points with votes are worth 237 random gold labels.
    """
    model = LabelModel() if model is None else model
    data, truth = model.read(votes, gold, chances)
    if truth is None and data.gold is not None:
        truth = data.code_gold(data.gold, chances)
    return rate_votes(data, truth, data.by if by is None else np.asarray(by), model.settings(), beyond)


def rate_votes(votes: Votes, gold: Gold | None, by: AnyArray | None, settings: Settings, beyond: bool = False) -> Rate:
    """As `rate`, of votes that were read, with settings that were checked."""
    if gold is None or not gold.known.any():
        raise InputError(
            "a rate needs gold labels, and there are none. `carob pick` says which points to label (gold=; --gold)."
        )
    if by is not None and len(by) != len(votes):
        raise InputError(f"by has {len(by):,} entries for {len(votes):,} points; give one per point.")
    n_gold = int(gold.known.sum())
    if n_gold < FEWEST_GOLD:
        raise NotIdentifiedError(
            f"{plural(n_gold, 'gold label')} tell no rate; {FEWEST_GOLD} are the least. `carob pick` says which points "
            "to label."
        )
    check_method(settings)
    aside, settings = settings.set_aside(votes)
    points = GoldPoints.of(aside.votes, gold)
    predicted = cross_validate(learn_votes(aside.votes, settings), points, settings).everyone
    everyone = np.zeros(len(votes), dtype=np.intp)
    overall = group_rates(points, predicted, everyone, [None], settings.level, beyond)
    groups: tuple[GroupRate, ...] = ()
    if by is not None:
        names, group = np.unique(_words(by), return_inverse=True)
        groups = group_rates(points, predicted, group, names.tolist(), settings.level, beyond)
    return Rate(overall[0], groups, settings.level, beyond, aside.messages)


def _words(by: AnyArray) -> AnyArray:
    """Groups as text, an empty one where nothing is said, unless all are numbers."""
    return by if by.dtype.kind in "iub" else np.array(["" if value is None else str(value) for value in by.tolist()])


def group_rates(
    points: GoldPoints, predicted: Floats, group: AnyArray, names: Sequence[Any], level: float, beyond: bool
) -> tuple[GroupRate, ...]:
    """Rates in each group of points.

    `predicted`, shape (n, K): probabilities of all points, those of gold points from fits that have not seen their
    label. `group`, shape (n,): the place of each point's group in `names`.
    """
    found = []
    of_gold = group[points.rows]
    for place, name in enumerate(names):
        members, own = group == place, points.take(np.flatnonzero(of_gold == place))
        n_points, n_gold = int(members.sum()), len(own)
        if n_gold < FEWEST_GOLD and n_gold < n_points:
            found.append(GroupRate(name, n_points, n_gold))
            continue
        mean = predicted[members].mean(axis=0)
        parts = [
            _Part.of((own.truth == k).astype(np.float64), predicted[own.rows, k], own.weights, float(mean[k]), n_points)
            for k in range(len(mean))
        ]
        shares = tuple(part.rate(label, level, beyond) for part, label in zip(parts, own.votes.classes, strict=True))
        worth = _labels(sum(part.spread for part in parts), sum(part.variance for part in parts), n_points)
        found.append(GroupRate(name, n_points, n_gold, shares, worth))
    return tuple(found)


def _labels(spread: float, variance: float, n_points: int) -> float:
    """How many labels of random points among so many, none twice, have a mean of this variance."""
    return spread / (variance + spread / n_points)


@dataclass(frozen=True)
class _Part:
    """The estimate of one share."""

    # value, gold_value: the share, from votes and gold, and from gold alone
    value: float
    gold_value: float
    # variance, gold_variance: of both, with `UNHELPED` counted in
    variance: float
    gold_variance: float
    spread: float  # variance of a single point, with `UNHELPED` counted in
    power: float
    freedom: int  # of the variance
    n_points: int

    @classmethod
    def of(cls, y: Floats, f: Floats, weights: Floats, mean: float, n_points: int) -> _Part:
        """Estimate a share.

        `y`, `f`, `weights`, shape (g,): whether each gold point is of the class, how probable that is, and how many
        points it stands for. `mean`: of the probabilities of all points.
        """
        n = len(y)
        share = weights / weights.sum()
        # Of n gold points each was one with the chance n / (N w): what is known of it has no variance.
        part = share**2 * (1 - np.minimum(n / (n_points * weights / weights.mean()), 1))
        y_mean, f_mean = float(share @ y), float(share @ f)
        y_left, f_left = y - y_mean, f - f_mean
        total = float(part @ y_left**2)
        both, spread = float(part @ (y_left * f_left)), float(part @ f_left**2)
        power = max(both / spread, 0.0) if spread > 0 else 0.0
        gold_variance = total * n / max(n - 1, 1)
        variance = (total - power * (2 * both - power * spread)) * n / max(n - 2, 1)
        if power == 0 or variance >= gold_variance:
            power, variance = 0.0, gold_variance
        more = UNHELPED / n * float(part.sum())
        return cls(
            float(np.clip(y_mean + power * (mean - f_mean), 0, 1)),
            y_mean,
            variance + more,
            gold_variance + more,
            y_mean * (1 - y_mean) + UNHELPED / n,
            power,
            n - (2 if power else 1),
            n_points,
        )

    def rate(self, label: Label, level: float, beyond: bool) -> ClassRate:
        """The share with its interval, and that of gold alone."""
        both = self._interval(self.value, self.variance, level, beyond)
        gold = self._interval(self.gold_value, self.gold_variance, level, beyond)
        return ClassRate(label, self.value, *both, self.gold_value, *gold, self.power)

    def _interval(self, value: float, variance: float, level: float, beyond: bool) -> tuple[float, float]:
        """Wilson's interval, as wide as Student's t makes it, for as many labels as have this variance."""
        variance += self.spread / self.n_points if beyond else 0
        # Wilson's interval is (value + u / 2 -+ t sqrt(variance + u / 4n)) / (1 + u), u = t^2 / n, n labels.
        t = student(level, max(self.freedom, 1))
        one = variance / self.spread  # over n
        u = t**2 * one
        half = t * np.sqrt(variance + u * one / 4)
        low, high = (value + u / 2 - half) / (1 + u), (value + u / 2 + half) / (1 + u)
        return float(max(low, 0)), float(min(high, 1))
