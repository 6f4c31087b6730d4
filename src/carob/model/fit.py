"""The recipe of a fit: check, count, class balance, solve, intervals, gold, calibrate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from carob._types import Codes, Floats, Progress
from carob.count.digest import Digest
from carob.errors import InputError, examples
from carob.label.agreed import Agreed, agree, agree_on, known_groups
from carob.label.consensus import Ballots
from carob.label.cross_validation import CrossScore
from carob.label.pool import Pool
from carob.paper.check import check_shape, check_telling
from carob.paper.count import Counted, count
from carob.paper.gold_fit import accuracy_interval, learn_from_gold
from carob.paper.intervals import triplet_intervals
from carob.paper.kinds import ClassConditional, Kind, Symmetric
from carob.paper.recalibrate import Recalibration
from carob.paper.tensor_fit import TensorFit
from carob.paper.votes_fit import VotesFit, fit_votes
from carob.paper.with_gold import WithGold, add_gold
from carob.posterior.groups import check_groups, dependent_groups
from carob.posterior.intervals import Intervals, wilson
from carob.posterior.naive_bayes import posterior
from carob.posterior.settings import Method, Settings
from carob.posterior.source_model import SourceModel
from carob.votes import Gold, GoldPoints, Votes
from carob.votes.outputs import SILENT

ENOUGH_GOLD = 10  # fewer gold labels tell too little of the sources to take part beside triplets
FEW_VOTES = 5  # votes on points with other votes below which a source is taken to be as others are
IN_DOUBT = 0.3  # share of votes from sources that seem worse than chance from which on they may be the better ones


@dataclass(frozen=True)
class Origin:
    """Where a model comes from.

    Parameters
    ----------
    method : {"consensus", "triplets", "labeled", "combined", "tensors"}
    points, gold : int
        How many were learned from.
    aggregate, kind : str
        How triplets were aggregated, or triples of views, and what was learned of each source.
    unknown : tuple of str
        Sources that no triplet tells of, which gold alone speaks of.
    gold_weight : float
        "combined" and "tensors": the mean share of gold in what was learned.
    readings : tuple of pairs of str and float
        "consensus": the weight of each way to weigh the votes.
    by_gold : bool
        "consensus": whether gold gave these weights.
    balance_guessed : bool
        "consensus": whether the class balance comes from votes alone.
    copies : tuple of pairs of str
        "consensus": sources that repeat each other, and count as one.
    worse : tuple of str
        "consensus": sources that are worse than chance, whose votes speak against what they say.
    by_prior : tuple of str
        "consensus": sources with too few votes beside others to tell, which are taken to be as others are.
    in_doubt : bool
        "consensus": whether the other reading, in which those are right who are thought wrong, is about as likely.
    views : int
        "tensors": the largest number of sources that a view is made of.
    """

    method: Method
    points: int
    gold: int
    aggregate: str = ""
    kind: str = ""
    unknown: tuple[str, ...] = ()
    gold_weight: float = 0.0
    readings: tuple[tuple[str, float], ...] = ()
    by_gold: bool = False
    balance_guessed: bool = False
    copies: tuple[tuple[str, str], ...] = ()
    worse: tuple[str, ...] = ()
    by_prior: tuple[str, ...] = ()
    in_doubt: bool = False
    views: int = 0


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model of the sources, how sure it is, and how its probabilities are corrected.

    Parameters
    ----------
    model : SourceModel
    intervals : Intervals
    recalibration : Recalibration or None
        None where no gold tells how sure the probabilities should be.
    origin : Origin or None
        None where the model was read from a file.
    pool : Pool or None
        Where the probabilities come from, if not from the model.
    accuracies : array, shape (m,), or None
        Of the sources, if not those of the model.
    scores : tuple of CrossScore
        How good labels are by gold that they were not learned from.
    reads_as : tuple of arrays
        The class that each bin of each source with scores speaks for most.
    """

    model: SourceModel
    intervals: Intervals
    recalibration: Recalibration | None
    origin: Origin | None = None
    pool: Pool | None = None
    accuracies: Floats | None = None
    scores: tuple[CrossScore, ...] = ()
    reads_as: tuple[Codes, ...] = ()

    @property
    def accuracy(self) -> Floats:
        """Probability that a vote is right, for each source, shape (m,)."""
        return self.model.accuracy if self.accuracies is None else self.accuracies

    def posterior(self, votes: Votes) -> Floats:
        """Probabilities of the points, shape (n, K)."""
        if self.pool is not None:
            return self.pool.posterior(votes)
        found = posterior(votes, self.model)
        return found if self.recalibration is None else self.recalibration.apply(found, votes, self.model.class_balance)


def fit(votes: Votes, gold: Gold | None, settings: Settings, progress: Progress | None = None) -> Fitted:
    """Learn from votes, and from gold where there is some."""
    points = None if gold is None or not gold.known.any() else GoldPoints.of(votes, gold)
    method = chosen_method(settings, points)
    if method == "consensus":
        if settings.strict:
            check_telling(votes.counts, settings.pairs(votes.sources))
        return fit_consensus(votes, points, settings)
    if votes.scored.any() and method not in ("triplets", "combined"):
        names = list(votes.scales)
        raise InputError(
            f"method={method!r} learns from votes, and {examples(names)} give{'s' if len(names) == 1 else ''} scores. "
            "Use the default (method='consensus'), triplets, or read them as votes (kinds=; --kind)."
        )
    if method == "labeled":
        return fit_labeled(_needed(points, method), settings)
    if method == "tensors":
        return fit_tensors(votes, points, settings, progress)
    check_shape(len(votes), len(votes.sources))
    counted = count(votes, settings)
    if method == "combined":
        found = fit_combined(counted, _needed(points, method), settings, progress)
    else:
        found = fit_triplets(counted, points, settings, progress)
    return _with_accuracies(found, votes)


def _with_accuracies(found: Fitted, votes: Votes) -> Fitted:
    """The same with accuracies, of scores as votes for the class that each bin speaks for most."""
    model = found.model
    reads_as = tuple(
        (model.class_balance[:, None] * model.source_tables[i][:, SILENT + 1 :]).argmax(axis=0).astype(np.int8)
        for i in np.flatnonzero(votes.scored)
    )
    accuracies = model.as_voted(votes.scored, reads_as).accuracy
    intervals = found.intervals.holding(accuracies, model.class_balance)
    return replace(found, intervals=intervals, accuracies=accuracies, reads_as=reads_as)


def chosen_method(settings: Settings, points: GoldPoints | None) -> Method:
    """What "auto" comes to: the consensus, unless something was asked for that only triplets have."""
    if settings.method != "auto":
        return settings.method
    if not settings.takes_triplets:
        return "consensus"
    return "combined" if points is not None and len(points) >= ENOUGH_GOLD else "triplets"


def _needed(points: GoldPoints | None, method: str) -> GoldPoints:
    """The gold that a method cannot do without."""
    if points is None:
        raise InputError(f"method={method!r} learns from gold labels; give some, or use method='triplets'.")
    return points


def fit_consensus(votes: Votes, points: GoldPoints | None, settings: Settings) -> Fitted:
    """Learn from what all votes say together, and from gold where there is some."""
    return _consensus(agree(votes, points, settings), len(votes), points, settings)


def fit_digest(digest: Digest, settings: Settings) -> Fitted:
    """The same from a digest of the votes, with the gold that is in it."""
    method, points, kept = chosen_method(settings, digest.points), digest.points, digest.kept
    if method != "consensus":
        raise InputError(
            f"method={method!r} counts all votes anew for what it needs, and a digest is all that is left of them. Use "
            "the default (method='consensus'; --method consensus), or votes that fit into memory."
        )
    if settings.strict:
        check_telling(digest.told, settings.pairs(digest.sources))
    truth = np.full(len(kept), -1, dtype=np.int8) if kept.gold is None else kept.gold.values
    ballots = Ballots(kept, truth, known_groups(kept, settings))
    return _consensus(agree_on(ballots, points, settings), len(digest), points, settings)


def _consensus(found: Agreed, n: int, points: GoldPoints | None, settings: Settings) -> Fitted:
    return Fitted(
        found.model,
        found.intervals,
        None,
        _consensus_origin(found, n, points, settings),
        found.pool,
        found.accuracy,
        found.scores,
        tuple(found.reads_as),
    )


def _consensus_origin(found: Agreed, n: int, points: GoldPoints | None, settings: Settings) -> Origin:
    names = found.model.sources
    sources = np.array(names)
    worse = found.worse
    heard = found.votes * np.maximum(found.accuracy, 1 - found.accuracy)
    return Origin(
        "consensus",
        n,
        0 if points is None else len(points),
        readings=tuple(found.readings.items()),
        by_gold=len(found.pool.evidence) > 1,
        balance_guessed=points is None and settings.class_balance is None,
        copies=tuple((names[i], names[j]) for i, j in found.copies),
        worse=tuple(sources[worse].tolist()),
        by_prior=tuple(sources[found.votes < FEW_VOTES].tolist()),
        in_doubt=points is None and bool(heard[worse].sum() > IN_DOUBT * heard.sum()),
    )


def fit_labeled(points: GoldPoints, settings: Settings) -> Fitted:
    """Learn from the gold points alone."""
    sources = points.votes.sources
    groups = dependent_groups(len(sources), settings.pairs(sources))
    check_groups(groups, sources, points.votes.outputs)
    kind: Kind = Symmetric() if settings.symmetric else ClassConditional()
    model = learn_from_gold(points, settings.given_balance(points.votes.classes), kind, groups)
    balance = model.class_balance
    shares = _gold_shares(points, settings.level) if settings.class_balance is None else (balance, balance)
    intervals = Intervals(*accuracy_interval(points, balance, settings.level), *shares, "wilson")
    return Fitted(model, intervals.holding(model.accuracy, balance), None, Origin("labeled", len(points), len(points)))


def fit_triplets(
    counted: Counted, points: GoldPoints | None, settings: Settings, progress: Progress | None = None
) -> Fitted:
    """Learn the sources from the votes alone; gold, where there is some, helps with the class balance."""
    votes_fit = fit_votes(counted, points, settings)
    return Fitted(
        votes_fit.model,
        _intervals(counted, votes_fit, points, settings, progress),
        None,
        _origin(votes_fit, 0 if points is None else len(points)),
    )


def fit_tensors(
    votes: Votes, points: GoldPoints | None, settings: Settings, progress: Progress | None = None
) -> Fitted:
    """Learn a table of every source from triples of views, with gold added to it where there is some."""
    found = TensorFit.of(votes, points, settings)
    model = found.model
    origin = Origin(
        "tensors",
        len(votes),
        0 if points is None else len(points),
        settings.averaging,
        gold_weight=0.0 if found.gold is None else found.gold.weight,
        views=max(map(len, found.counts.views.pools)),
    )
    intervals = found.intervals(progress).holding(model.accuracy, model.class_balance)
    return Fitted(model, intervals, None, origin)


def fit_combined(counted: Counted, points: GoldPoints, settings: Settings, progress: Progress | None = None) -> Fitted:
    """Learn the sources from votes and gold, and how sure the labels should be from gold."""
    votes_fit = fit_votes(counted, points, settings, partial=True)
    unlabeled = _intervals(counted, votes_fit, points, settings, progress)
    found = add_gold(votes_fit, points, settings.rng)
    low, high = _blend_interval(votes_fit, found, unlabeled, settings.level)
    intervals = replace(unlabeled, low=low, high=high, method=f"blend, {unlabeled.method}")
    origin = replace(
        _origin(votes_fit, len(points)),
        method="combined",
        gold_weight=float(found.blend.gold_weight.mean()),
    )
    return Fitted(found.model, intervals, found.recalibration, origin)


def _origin(votes_fit: VotesFit, gold: int) -> Origin:
    solution = votes_fit.solution
    kind, aggregate = solution.problem.kind, solution.settings.averaging
    return Origin("triplets", solution.problem.moments.n, gold, aggregate, kind.words, solution.unknown)


def _intervals(
    counted: Counted,
    votes_fit: VotesFit,
    points: GoldPoints | None,
    settings: Settings,
    progress: Progress | None,
) -> Intervals:
    """Intervals of triplets; of the class balance, from gold where there is some and it is not given."""
    gold = points if settings.class_balance is None else None
    found = triplet_intervals(counted, votes_fit.balance, votes_fit.solution, gold, progress)
    if gold is None:
        return found
    low, high = _gold_shares(gold, settings.level)
    return replace(found, balance_low=low, balance_high=high)


def _gold_shares(points: GoldPoints, level: float) -> tuple[Floats, Floats]:
    """Interval of the share of each class in gold."""
    return wilson(points.counts, np.full(len(points.counts), len(points)), level)


def _blend_interval(votes_fit: VotesFit, found: WithGold, unlabeled: Intervals, level: float) -> tuple[Floats, Floats]:
    """Interval of the blended accuracies: the blend's own error, and what is left of the noise of the votes."""
    problem, balance = votes_fit.solution.problem, votes_fit.solution.class_balance
    mixed = found.blend

    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = problem.accuracies(mixed.x, balance)
    ends = (problem.accuracies(mixed.x + z * mixed.error * sign, balance) for sign in (1, -1))
    half = np.abs(np.subtract(*ends)) / 2
    share = np.zeros(len(centre))
    np.maximum.at(share, problem.features.source, 1 - mixed.gold_weight)
    noise = share * abs(mixed.multiple) * (unlabeled.high - unlabeled.low) / 2
    half = np.hypot(half, np.nan_to_num(noise))
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
