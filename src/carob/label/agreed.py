"""What votes, and gold where there is some, agree on: sources, class balance, and probabilities of labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from carob._types import Bools, Codes, Floats, Group, Ints, cached_property
from carob.errors import InputError, NotIdentifiedError
from carob.label.consensus import Ballots, Consensus, learn, matching_shift, vote_counts
from carob.label.gold_evidence import gold_evidence
from carob.label.near_copies import MOST_SOURCES, near_copies
from carob.label.pool import Pool, without_gold
from carob.label.source_accuracy import Seen, SourceAccuracies, source_accuracies, told_of
from carob.label.stack import OWN_SLOPES_OF, UNLABELED, GoldReadings, read_gold, weigh_readings
from carob.paper.balance import class_balance
from carob.posterior.groups import check_groups, dependent_groups
from carob.posterior.intervals import Intervals, wilson
from carob.posterior.losses import log_losses
from carob.posterior.naive_bayes import softmax
from carob.posterior.settings import Positions, Settings
from carob.posterior.source_model import SourceModel, gold_balance
from carob.votes import GoldPoints, Votes
from carob.votes.outputs import LARGEST_TABLE

BALANCE_WORTH = 10.0  # gold labels that a class balance found in the votes counts for, for each class
BALANCE_SURE = 6.0  # gold labels that are as sure as it
SURE = 2.0  # standard errors below random votes from which on a source is called worse
_FEW = 5  # gold labels of a class, or of all others, below which what it is drawn to weighs too much
_LARGEST = 1 - 1e-6


@dataclass(frozen=True, eq=False)
class Agreed:
    """What was found.

    Parameters
    ----------
    model : SourceModel
    accuracy : array, shape (m,)
        How often each source is right, from votes and gold.
    worse : array of bool, shape (m,)
        Sources that are surely worse than random votes.
    votes : array, shape (m,)
        Votes of each source that tell of it: on points on which others vote too, or with gold.
    intervals : Intervals
    pool : Pool
        Gives the probabilities.
    copies : tuple of pairs of int
        Sources that repeat each other, and count as one.
    readings : dict of float
        Weight of each kind of reading.
    bin_classes : list of arrays
        The class that each bin of each source with scores speaks for most.
    """

    model: SourceModel
    accuracy: Floats
    worse: Bools
    votes: Floats
    intervals: Intervals
    pool: Pool
    copies: Positions
    readings: dict[str, float]
    bin_classes: list[Codes]


def ballots_of(votes: Votes, points: GoldPoints | None, settings: Settings) -> Ballots:
    """What is learned from: the votes, and the class of points that have gold."""
    truth = np.full(len(votes), -1, dtype=np.int8)
    if points is not None:
        truth[points.rows] = points.truth
    return Ballots(votes, truth, known_groups(votes, settings))


def agree_on(ballots: Ballots, points: GoldPoints | None, settings: Settings) -> Agreed:
    """The same from what is learned from, which may be a part of the data."""
    alone, copies = _learned_alone(ballots, points, settings)
    found, pool = alone.consensus, alone.pool
    if points is not None:
        pool = _with_gold(alone, points, settings)
    seen, flattered = _seen(alone, points)
    sources = source_accuracies(seen, settings.level)
    balance_interval = _balance_interval(alone, points, settings)
    intervals = Intervals(sources.low, sources.high, *balance_interval, "agreement")
    return Agreed(
        _source_model(ballots.votes, _votes_cast(alone.ballots) / len(alone.ballots.votes), found, pool),
        sources.accuracy,
        _surely_worse(seen, flattered, sources),
        _votes_cast(alone.ballots, beside=1).sum(axis=1) + seen.judged,
        intervals.holding(sources.accuracy, found.class_balance),
        pool,
        copies,
        pool.kinds,
        alone.bin_classes,
    )


def votes_and_gold(votes: Votes, points: GoldPoints, settings: Settings) -> Pool:
    """What votes and gold say together: the probabilities of `agree`, without all else that it finds."""
    return _with_gold(_learned_alone(ballots_of(votes, points, settings), points, settings)[0], points, settings)


def votes_alone(votes: Votes, settings: Settings) -> Pool:
    """What votes say without any gold."""
    return _learned_alone(ballots_of(votes, None, settings), None, settings)[0].pool


def _learned_alone(ballots: Ballots, points: GoldPoints | None, settings: Settings) -> tuple[_VotesAlone, Positions]:
    """What votes say without gold, and the near copies among the sources."""
    votes = ballots.votes
    given = settings.given_balance(votes.classes)
    known = settings.pairs(votes.sources)
    counts = np.zeros(len(votes.classes)) if points is None else points.weighted_counts
    alone = _votes_alone(ballots, given, counts)
    copies = _copies(alone, known)
    if copies:
        merged = _votes_alone(replace(ballots, groups=_groups(votes, (*known, *copies))), given, counts)
        if merged.gold_loss <= alone.gold_loss:
            alone = merged
        else:
            copies = ()
    return alone, copies


def blind_fits(votes: Votes, points: GoldPoints, fold: Ints, settings: Settings) -> Iterator[Floats]:
    """Probabilities of all points, shape (n, K), by a fit without each part of gold.

    What needs no gold is learned once.

    Parameters
    ----------
    fold : array of int, shape (g,)
        The part of gold that each gold point is in.
    """
    given, known = settings.given_balance(votes.classes), settings.pairs(votes.sources)
    nothing = np.zeros(len(votes.classes))
    ballots = ballots_of(votes, points, settings)
    gold = np.flatnonzero(ballots.truth >= 0)
    starts = [_votes_alone(ballots.without(gold), given, nothing)]
    copies = _copies(starts[0], known)
    if copies:
        groups = _groups(votes, (*known, *copies))
        starts.append(_votes_alone(replace(starts[0].ballots, groups=groups), given, nothing))
    for part in np.unique(fold):
        rest = points.take(np.flatnonzero(fold != part))
        seen = ballots.without(gold[fold == part])
        fits = [_seeing(start, seen, rest, given) for start in starts]
        alone = min(reversed(fits), key=lambda fit: fit.gold_loss)
        yield _with_gold(alone, rest, settings).posterior(votes)


def _seeing(start: _VotesAlone, ballots: Ballots, points: GoldPoints, given: Floats | None) -> _VotesAlone:
    """What votes say, with some gold for the class balance and to be compared to."""
    balance = start.consensus.class_balance
    if given is None:
        balance = _balance_with(points.weighted_counts, balance)
    return replace(start, ballots=replace(ballots, groups=start.ballots.groups)).given(balance)


def _with_gold(alone: _VotesAlone, points: GoldPoints, settings: Settings) -> Pool:
    """What votes say, and gold where it is of two classes: labels of one favour who always says it."""
    if np.count_nonzero(points.counts) < 2:
        return alone.pool
    return _gold_pool(alone, read_gold(alone.ballots, alone.consensus, settings.generator()), settings)


def _gold_pool(alone: _VotesAlone, readings: GoldReadings, settings: Settings) -> Pool:
    """Readings of the votes, weighed by gold, that meet a class balance that is given.

    A few gold labels tell less of how common classes are than whoever gives the class balance.
    """
    balance = alone.consensus.class_balance
    learned = {worth: learn(alone.ballots, balance, worth).evidence for worth in UNLABELED}
    gold = np.flatnonzero(alone.ballots.truth >= 0)
    counted = gold_evidence(alone.ballots, alone.ballots.votes.take(gold), readings.truth)
    weighed = weigh_readings(readings, alone.pool)
    own = (learned[OWN_SLOPES_OF].times(slopes) for slopes in weighed.slopes)
    pool = weighed.pool.taking((alone.consensus.evidence, *learned.values(), counted, *own))
    if settings.class_balance is None:
        return pool
    return pool.meeting_balance(alone.ballots)[0]


@dataclass(frozen=True, eq=False)
class _VotesAlone:
    """What votes say without gold, which they may know but do not learn from.

    Parameters
    ----------
    ballots : Ballots
    blind : Ballots
        The same without gold.
    consensus : Consensus
    """

    ballots: Ballots
    blind: Ballots
    consensus: Consensus

    def given(self, balance: Floats) -> _VotesAlone:
        """The same learned with a class balance."""
        return replace(self, consensus=learn(self.blind, balance))

    @cached_property
    def pool(self) -> Pool:
        """Gives the probabilities."""
        return without_gold(self.consensus, self.blind)

    @cached_property
    def bin_classes(self) -> list[Codes]:
        """The class that each bin of each source with scores speaks for most; gold has a say where it is of several."""
        if not self.ballots.votes.scored.any():
            return []
        truth, balance = self.ballots.truth, self.consensus.class_balance
        several = np.count_nonzero(np.bincount(truth[truth >= 0], minlength=len(balance))) > 1
        learned = learn(self.ballots, balance, OWN_SLOPES_OF) if several else self.consensus
        return read_as_classes(self.ballots.votes, learned)

    @cached_property
    def voted(self) -> Ballots:
        """The ballots, with scores as the votes that they come to."""
        votes = self.ballots.votes
        return replace(self.ballots, votes=votes.as_voted(self.bin_classes)) if votes.scored.any() else self.ballots

    @cached_property
    def in_full(self) -> Floats:
        """Probabilities of the classes of all points, all votes counting in full."""
        found, covered = self.consensus, self.ballots.covered
        if not len(covered):
            return np.tile(found.class_balance, (len(self.ballots.truth), 1))
        return softmax(found.scores + matching_shift(found.scores[covered], found.class_balance))

    @cached_property
    def mixed(self) -> Floats:
        """Probabilities of the classes of all points."""
        return self.pool.mixed([self.consensus.scores], self.ballots.tally)

    @property
    def gold_loss(self) -> float:
        """Log loss on gold, 0 where there is none."""
        gold = np.flatnonzero(self.ballots.truth >= 0)
        return float(log_losses(self.mixed[gold, self.ballots.truth[gold]]).sum())


def _votes_alone(ballots: Ballots, given: Floats | None, gold_counts: Floats) -> _VotesAlone:
    """Learn from votes; gold, so much of each class, helps with the class balance where that is not given."""
    gold = np.flatnonzero(ballots.truth >= 0)
    blind = ballots.without(gold)
    found = _VotesAlone(ballots, blind, learn(blind, given))
    if given is not None:
        return found
    balance = _with_triplets(found)
    if len(gold):
        balance = _balance_with(gold_counts, balance)
    return found.given(balance)


def _balance_with(gold_counts: Floats, balance: Floats) -> Floats:
    """The class balance of gold, so much of each class, shrunk towards what votes say."""
    return gold_balance(gold_counts, len(balance) * BALANCE_WORTH * balance)


def _with_triplets(found: _VotesAlone) -> Floats:
    """The class balance of two classes, as a mean of what the consensus and what triplets of sources say.

    The consensus is drawn to even shares, and triplets are misled by sources that repeat each other.
    """
    votes, balance = found.voted.votes, found.consensus.class_balance
    pairs = [(group[0], group[1]) for group in found.ballots.groups if len(group) > 1]
    if len(balance) > 2 or not 3 <= len(votes.sources) <= min(MOST_SOURCES, len(votes)):
        return balance
    try:
        return np.asarray((balance + class_balance(votes, pairs)) / 2)
    except (InputError, NotIdentifiedError):  # triplets do not tell
        return balance


def known_groups(votes: Votes, settings: Settings) -> tuple[Group, ...]:
    """Sources that are known to depend on each other, and count as one."""
    return _groups(votes, settings.pairs(votes.sources))


def _groups(votes: Votes, pairs: Positions) -> tuple[Group, ...]:
    groups = dependent_groups(len(votes.sources), pairs)
    check_groups(groups, votes.sources, votes.outputs)
    return groups


def _copies(alone: _VotesAlone, known: Positions) -> Positions:
    """Sources that repeat each other, as far as they can be taken as one."""
    return _joinable(alone.ballots.votes, known, near_copies(alone.voted, (alone.in_full + alone.mixed) / 2))


def _joinable(votes: Votes, known: Positions, copies: Positions) -> Positions:
    """Those near copies that can be taken as one beside the known pairs: joint outputs must not be too many."""
    kept: Positions = ()
    for pair in copies:
        groups = dependent_groups(len(votes.sources), (*known, *kept, pair))
        if all(votes.outputs.number(group) <= LARGEST_TABLE for group in groups if pair[0] in group):
            kept = (*kept, pair)
    return kept


def _seen(alone: _VotesAlone, points: GoldPoints | None) -> tuple[Seen, Floats]:
    """What votes and gold show of each source, and how often each is right by the reading that flatters it most.

    Votes in full flatter sources that share a weakness, and the mixture of readings belittles sources that share none:
    sources seem to be what the mean of the two says.
    """
    cast, beside = _votes_cast(alone.voted), _votes_cast(alone.voted, beside=1).sum(axis=1)
    number = np.maximum(cast.sum(axis=1), 1)
    counts = [vote_counts(alone.voted.votes, guess) for guess in (alone.in_full, alone.mixed)]
    in_full, mixed = (np.trace(one, axis1=1, axis2=2) / number for one in counts)
    correct, judged = np.zeros(len(number), dtype=np.int64), np.zeros(len(number), dtype=np.int64)
    if points is not None:
        values = points.votes.as_voted(alone.bin_classes).values
        correct = (values == points.truth[:, None]).sum(axis=0)
        judged = (values >= 0).sum(axis=0)
    seen = Seen(
        (in_full + mixed) / 2,
        cast @ alone.consensus.class_balance / number,
        cast.sum(axis=1),
        told_of(cast, beside, len(alone.ballots.groups)),
        correct,
        judged,
        0 if points is None else len(points),
    )
    return seen, np.maximum(in_full, mixed)


def _surely_worse(seen: Seen, flattered: Floats, sources: SourceAccuracies) -> Bools:
    """Sources whose intervals, or the readings of their votes, end below what random votes would get."""
    by_votes = flattered + SURE * np.sqrt(0.25 / np.maximum(seen.votes, 1))
    return np.asarray(np.minimum(np.maximum(by_votes, sources.accuracy), sources.high) < seen.chance)


def _balance_interval(alone: _VotesAlone, points: GoldPoints | None, settings: Settings) -> tuple[Floats, Floats]:
    """Around the class balance; without gold it holds what a majority vote says, and a rare class what gold alone says.

    The class balance is drawn to even shares, which would leave no room for a class of one point in a thousand.
    """
    balance = alone.consensus.class_balance
    if settings.class_balance is not None:
        return balance, balance
    gold = 0.0 if points is None else points.effective
    worth = np.full(len(balance), BALANCE_SURE + gold)
    low, high = wilson(balance * worth, worth, settings.level)
    if points is None:
        shares = _majority_shares(alone.ballots)
        least, most = wilson(shares * worth, worth, settings.level)  # it is no surer than the consensus
        least, most = np.where(shares < low, least, low), np.where(shares > high, most, high)
    else:
        shares = points.weighted_counts / points.weighted_counts.sum()
        least, most = wilson(shares * gold, np.full(len(balance), gold), settings.level)
        least = np.where(points.counts < _FEW, least, low)
        most = np.where(len(points) - points.counts < _FEW, most, high)
    return np.maximum(np.minimum(low, least), 0), np.minimum(np.maximum(high, most), 1)


def _majority_shares(ballots: Ballots) -> Floats:
    """Shares of the classes by majority vote, halves where two are level; even shares where nobody votes."""
    K = ballots.tally.shape[1]
    if not len(ballots.covered):
        return np.full(K, 1 / K)
    tally = ballots.tally[ballots.covered]
    first = tally == tally.max(axis=1, keepdims=True)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))


def _votes_cast(ballots: Ballots, beside: int = 0) -> Floats:
    """How often each source gives each output, shape (m, V), on points with so many votes besides."""
    counted = (ballots.tally.sum(axis=1) > beside).astype(np.float64)
    K = ballots.tally.shape[1]
    return vote_counts(ballots.votes, np.tile(counted[:, None] / K, (1, K))).sum(axis=2)


def _source_model(votes: Votes, share: Floats, found: Consensus, pool: Pool) -> SourceModel:
    """How each source votes given the class, by the evidence that has most weight.

    Parameters
    ----------
    share : array, shape (m, V)
        Of the points on which each source gives each output.
    """
    best = int(np.bincount(pool.learned, pool.weight * (pool.slope > 0), minlength=len(pool.evidence)).argmax())
    said = share[:, :, None] * np.exp(np.clip(pool.evidence[best].log_odds, -20, 20))
    said = said.transpose(0, 2, 1)
    said /= np.maximum(said.sum(axis=2, keepdims=True) / _LARGEST, 1)
    silence = 1 - said.sum(axis=2, keepdims=True)
    padded = np.concatenate([silence, said], axis=2)
    tables = [table[:, :size] for table, size in zip(padded, votes.outputs.sizes, strict=True)]
    return SourceModel.independent(votes.sources, votes.classes, found.class_balance, tables)


def read_as_classes(votes: Votes, consensus: Consensus) -> list[Codes]:
    """The class that each bin of each source with scores speaks for most, in the order of these sources."""
    score = consensus.evidence.log_odds + np.log(consensus.class_balance)
    return [score[i, : votes.outputs.sizes[i] - 1].argmax(axis=1).astype(np.int8) for i in np.flatnonzero(votes.scored)]
