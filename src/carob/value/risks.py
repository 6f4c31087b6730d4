r"""Risks of three ways to label a user's points: gold alone, votes alone, and both, as `carob.LabelModel` learns them.

The base is the loss on gold points of fits that have not seen them: all that a fit learns, class balance and weights
among it, is learned anew without each of some parts of gold. That is right on average whatever the model, and noisy.
The best labels that there are take some of the noise away: by the probabilities p of votes and gold, a way that gives
probabilities q is expected to lose h = -sum p log q, which is known for all points, so that with l the losses on gold

    risk = mean(l) - power (mean of h on gold - mean of h over all points),    power = cov(l, h) / var(h)

where the power is what gold shows it to be, drawn to none where gold is little. That also tells in part of which gold
was learned from, by which few labels make gold alone better or worse. The interval is that of plain cross-validation:
on real sets the error that is left by the view looks smaller than it is. Where hardly a label on gold is wrong, what a
few more wrong ones would lose is not in these losses, and its upper end allows for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from carob._types import Floats, Group, Ints, Places, Progress
from carob.label.agreed import blind_fits, votes_alone, votes_and_gold
from carob.label.blind import Blind, information_of
from carob.label.independence import borne_out
from carob.model.fit import fit
from carob.paper.kinds import ClassConditional, Kind, Symmetric
from carob.posterior.groups import dependent_groups
from carob.posterior.intervals import student, weighted_share
from carob.posterior.losses import cross_entropy, log_losses
from carob.posterior.settings import Settings
from carob.value.gains import Prospects, prospects
from carob.value.gold_alone import GoldAlone, gold_alone, labeled_probabilities, left_out_probabilities
from carob.value.interval import Interval
from carob.votes import Gold, GoldPoints, Votes

FOLDS = 5  # parts of gold, each predicted by fits to the others
MOST_POINTS = 10_000  # that fits without a part of gold learn from: what more of them teach is too little to measure
FEWEST_FREE = 3  # degrees of freedom, however few points lose all
FEW_WRONG = 5  # labels on gold: where fewer are, some more could lose most of all that is lost
VIEW_CAUTION = 20.0  # gold labels from which on the model's own view counts for more than half of what it seems to

_SMALLEST = 1e-12  # probability that a label is wrong


@dataclass(frozen=True, eq=False)
class Measured:
    """One way to label, on gold that it has not seen.

    Parameters
    ----------
    losses, right : arrays, shape (g,)
        Log loss, and whether the label is right.
    view : array, shape (g,)
        What it is expected to lose, by votes and gold.
    everywhere : float
        The mean of that over all points.
    weights : array, shape (g,)
        How many points of a random sample each gold point stands for.
    confidence : array, shape (g,)
        The probability of the label that is given.
    """

    losses: Floats
    right: Floats
    view: Floats
    everywhere: float
    weights: Floats
    confidence: Floats

    @classmethod
    def of(cls, p: Floats, points: GoldPoints, believed: Floats) -> Measured:
        """From probabilities of all points, shape (n, K): gold points by fits that have not seen them.

        Parameters
        ----------
        believed : array, shape (n, K)
            The probabilities of votes and gold.
        """
        rows, truth = points.rows, points.truth
        expected = cross_entropy(believed, p)
        return cls(
            log_losses(p[rows, truth]),
            (p[rows].argmax(axis=1) == truth).astype(np.float64),
            expected[rows],
            float(expected.mean()),
            points.weights,
            p[rows].max(axis=1),
        )

    def loss(self, level: float) -> Interval:
        """Mean log loss over all points."""
        found = self._seen(level)
        low = min(max(found.low, self.least(level)), found.value)
        return replace(found, low=max(low, 0.0), high=found.high + self.unseen(level))

    def _seen(self, level: float) -> Interval:
        """The same, by losses on gold alone."""
        return controlled(self.losses, self.view, self.everywhere, self.weights, level)

    @property
    def hardly_wrong(self) -> bool:
        """Whether so few labels are wrong on gold that it shows little of what wrong ones lose."""
        return bool(np.count_nonzero(self.right == 0) < FEW_WRONG)

    def least(self, level: float) -> float:
        """What is lost at least, where hardly a label is wrong on gold: by right ones, and log 2 by each wrong one.

        Few that lose much make that of all losses uncertain downwards, too, though no less than this can be lost.
        """
        if not self.hardly_wrong:
            return 0.0
        by_right = controlled(self.losses * self.right, np.zeros(len(self.right)), 0.0, self.weights, level)
        return by_right.low + share_interval(1 - self.right, self.weights, level).low * np.log(2)

    def unseen(self, level: float) -> float:
        """How far above that the loss may be, where so many labels are wrong as their number on gold allows.

        Each of them loses what a wrong one is expected to. Where enough are wrong on gold, it is in their losses. As
        hardly less than `least` is lost, all that an interval may miss is above it.
        """
        if not self.hardly_wrong:
            return 0.0
        share = self.weights / self.weights.sum()
        doubt = np.maximum(1 - self.confidence, _SMALLEST)
        wrong_loses = float(share @ (-doubt * np.log(doubt)) / (share @ doubt))
        most_wrong = share_interval(1 - self.right, self.weights, max(2 * level - 1, 0.0)).high
        return max(0.0, float(share @ (self.losses * self.right)) + most_wrong * wrong_loses - self._seen(level).high)

    def accuracy(self, level: float) -> Interval:
        """Share of all points with the right label."""
        return share_interval(self.right, self.weights, level)


def controlled(values: Floats, view: Floats, everywhere: float, weights: Floats, level: float) -> Interval:
    """Mean over all points of something known on some, with a view of it that is known on all.

    Examples
    --------
    >>> view = np.array([0.1, 0.2, 0.3, 0.4] * 50)
    >>> found = controlled(view + 0.1, view, 0.5, np.ones(200), 0.9)  # a view that tells all but the level
    >>> round(found.value, 2)
    0.58
    """
    g = len(values)
    share = weights / weights.sum()
    mean, view_mean = float(share @ values), float(share @ view)
    centred, seen = values - mean, view - view_mean
    spread = float(share @ seen**2)
    power = 0.0
    if spread > 0:
        power = float(share @ (centred * seen)) / spread * g / (g + VIEW_CAUTION)
    value = mean - power * (view_mean - everywhere)
    # As few points lose much, the variance itself is not well known: a sum of squares of kurtosis k is as one of
    # 2 g / (k - 1) normal ones.
    variance = float(share @ centred**2)
    kurtosis = float(share @ centred**4) / variance**2 if variance > 0 else 1.0
    freedom = int(np.clip(2 * g / max(kurtosis - 1, 1e-9), FEWEST_FREE, max(g - 1, FEWEST_FREE)))
    half = student(level, freedom) * float(np.sqrt((share**2 @ centred**2) * g / max(g - 1, 1)))
    return Interval.around(value, half)


def share_interval(right: Floats, weights: Floats, level: float) -> Interval:
    """Mean over all points of shares that are known on some: Wilson's interval, which has a width where all are right.

    >>> share_interval(np.ones(20), np.ones(20), 0.9).low < 0.9
    True
    """
    return Interval(*weighted_share(right, weights, level))


@dataclass(frozen=True, eq=False)
class Risks:
    """Everything that advice rests on.

    Parameters
    ----------
    votes : Votes
    points : GoldPoints
    settings : Settings
    both, votes_alone, gold_alone : Measured
        Votes and gold; votes alone, with the same class balance; gold alone.
    gold_curve : GoldAlone
        Gold alone, by the number of labels.
    by_labels, by_points : float
        What the probabilities of votes and gold vary by over draws of gold labels, and of unlabeled points, in nats.
    n : int
        Number of points, of which the votes may be a sample.
    borne_out : bool
        Whether sources work on their own, as far as votes and gold tell: then votes alone tell nearly all that there is
        to learn.
    """

    votes: Votes
    points: GoldPoints
    settings: Settings
    both: Measured
    votes_alone: Measured
    gold_alone: Measured
    gold_curve: GoldAlone
    by_labels: float
    by_points: float
    n: int
    borne_out: bool = False

    @property
    def prospects(self) -> Prospects:
        """What more data would bring."""
        return prospects(len(self.points), self.n, self.by_labels, self.by_points, self.borne_out)


def measure_risks(
    votes: Votes, points: GoldPoints, settings: Settings, progress: Progress | None = None, n: int | None = None
) -> Risks:
    """Measure all three on votes with gold on some points; the votes may be a sample of those on n points."""
    n = len(votes) if n is None else n
    tell = progress or (lambda done, total: None)
    stages = FOLDS + 3
    rng = settings.generator()
    fold = rng.permutation(len(points)) % FOLDS
    rows = _some_points(len(votes), points, rng)
    some, placed = votes.take(rows), replace(points, rows=np.searchsorted(rows, points.rows))
    found = blind(some, placed, fold, settings, lambda part: tell(part, stages))
    both = found.probabilities
    alone, independent = alone_probabilities(votes, points, settings)
    tell(FOLDS + 1, stages)
    by_points = points_variation(some, placed, settings, rng) * len(some) / n
    tell(FOLDS + 2, stages)
    groups: tuple[Group, ...] = dependent_groups(len(votes.sources), settings.pairs(votes.sources))
    kind: Kind = Symmetric() if settings.symmetric else ClassConditional()
    given = settings.given_balance(votes.classes)
    by_gold = labeled_probabilities(points, np.ones((1, len(points)), dtype=bool), given, kind, groups, some)[0]
    by_gold[placed.rows] = left_out_probabilities(points, given, kind, groups, rng)
    curve = gold_alone(points, given, kind, groups, rng)
    tell(stages, stages)
    return Risks(
        votes,
        points,
        settings,
        Measured.of(both, placed, both),
        Measured.of(alone[rows], placed, both),
        Measured.of(by_gold, placed, both),
        curve,
        found.variation,
        by_points,
        n,
        bears_out(points, alone, independent),
    )


def _some_points(n: int, points: GoldPoints, rng: np.random.Generator) -> Places:
    """All points, or of very many some, with all gold."""
    if n <= max(MOST_POINTS, 2 * len(points)):
        return np.arange(n)
    others = rng.permutation(np.setdiff1d(np.arange(n), points.rows))
    return np.sort(np.concatenate([points.rows, others[: max(MOST_POINTS - len(points), len(points))]]))


def blind(
    votes: Votes, points: GoldPoints, fold: Ints, settings: Settings, tell: Callable[[int], None] | None = None
) -> Blind:
    """Probabilities of all points by fits that have not seen their labels; `tell` hears how many are done."""
    fits: Iterable[Floats]
    if settings.takes_triplets:
        rests = (points.take(np.flatnonzero(fold != part)) for part in np.unique(fold))
        fits = (both_probabilities(votes, rest, settings, votes) for rest in rests)
    else:
        fits = blind_fits(votes, points, fold, settings)
    return Blind.of_fits(fits if tell is None else _told(fits, tell), points, fold)


def _told(fits: Iterable[Floats], tell: Callable[[int], None]) -> Iterator[Floats]:
    for done, found in enumerate(fits):
        tell(done + 1)
        yield found


def points_variation(votes: Votes, points: GoldPoints, settings: Settings, rng: np.random.Generator) -> float:
    """What probabilities vary by over draws of the unlabeled points, as a mean divergence in nats.

    Of fits to two halves of the points without gold, each with all gold.
    """
    others = rng.permutation(np.setdiff1d(np.arange(len(votes)), points.rows))
    placed = replace(points, rows=np.arange(len(points)))
    first, second = (
        both_probabilities(votes.take(np.concatenate([points.rows, half])), placed, settings, votes)
        for half in np.array_split(others, 2)
    )
    return max(0.0, (information_of(first) + information_of(second)) / 2 - information_of((first + second) / 2))


def both_probabilities(votes: Votes, points: GoldPoints, settings: Settings, asked: Votes) -> Floats:
    """Probabilities of the points asked for, shape (a, K), by votes and gold."""
    if not settings.takes_triplets:
        return votes_and_gold(votes, points, settings).posterior(asked)
    return fit(votes, _gold(votes, points), replace(settings, method="combined", replicates=0)).posterior(asked)


def alone_probabilities(votes: Votes, points: GoldPoints, settings: Settings) -> tuple[Floats, bool]:
    """Probabilities of all points by votes alone, shape (n, K); gold helps with the class balance.

    Besides, whether the votes show no dependence between sources; not asked of triplets, which take that for granted.
    """
    if not settings.takes_triplets:
        pool, independent = votes_alone(votes, points, settings)
        return pool.posterior(votes), independent
    alone = fit(votes, _gold(votes, points), replace(settings, method="triplets", replicates=0))
    return alone.posterior(votes), False


def bears_out(points: GoldPoints, alone: Floats, independent: bool) -> bool:
    """Whether gold bears out what votes alone say of all points, shape (n, K), where they show no dependence."""
    return independent and borne_out(alone[points.rows], points.truth)


def _gold(votes: Votes, points: GoldPoints) -> Gold:
    values = np.full(len(votes), -1, dtype=np.int8)
    values[points.rows] = points.truth
    return Gold(values, votes.classes)
