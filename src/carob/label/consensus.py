r"""Sources learned from what all votes on a point say together.

Every point gets a first guess by counting its votes. A source is as good as its votes agree with the guesses; the
guesses are made again by weighing each vote by its source; and so on for a few steps. These are the likelihood steps of
Dawid and Skene, and what keeps them from running away is that there are few of them, that sources are drawn towards
what all sources do, and that the classes keep their shares. Points with gold keep their class throughout.

What is learned is the precision of every vote: how the classes are distributed among the points on which a source gives
it. A vote then speaks for class y by log P(y | vote) - log P(y), whether its source votes for many classes or for one,
and so does a score, bin by bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from carob._kernels import threads
from carob._kernels.counting import add_weights
from carob._types import Codes, Floats, Group, Ints, Places, cached_property
from carob.count.sampling import learned_from, row_hashes
from carob.posterior.naive_bayes import log_likelihoods, log_odds, softmax
from carob.posterior.score_shares import smoothed_log_shares
from carob.votes import Votes
from carob.votes.outputs import SILENT, joint_output
from carob.votes.storage import Sparse

STEPS = 5  # from the count of votes on
SCORE_STEPS = 20  # the same where some sources give scores, whose ranks are a poorer start
SOURCE_WORTH = 5.0  # votes that what all sources do counts for in the accuracy of one
VOTE_WORTH = 100.0  # votes that the accuracy of a source counts for in what one of its votes means
PSEUDO_VOTES = 2.0  # added to the votes on a point, by the class balance
BALANCE_STEP = 0.3  # of the way that a class balance that is not given goes in a step towards what the guesses say
EVEN = 0.1  # share of the class balance that stays evenly spread, where it is not given
_MATCHED = 5_000  # points that class shares are matched on
_SMALLEST = 1e-9  # probability that a vote leaves to a class
_FEW_CELLS = 1 << 20  # that are counted before threads would have started


@dataclass(frozen=True, eq=False)
class Evidence:
    """What every vote of every source says about the class.

    Parameters
    ----------
    log_odds : array, shape (m, V, K)
        ``log_odds[i, v, y]``: how much output v + 1 of source i, such as a vote for class v, speaks for class y; 0
        where a source has fewer outputs than others.
    sizes : tuple of int
        How many outputs each source has, "nothing said" among them.
    groups : tuple of tuples of int
        Sources whose votes on a point count as one vote, their mean; each source is in one group.
    silence : array, shape (m, K), or None
        How much it speaks for each class that a source says nothing where others vote; None where that says nothing.
    """

    log_odds: Floats
    sizes: tuple[int, ...]
    groups: tuple[Group, ...]
    silence: Floats | None = None

    @cached_property
    def tables(self) -> list[Floats]:
        """What each joint output of each group adds for each class, shape (K, outputs)."""
        m, V, K = self.log_odds.shape
        padded = np.zeros((m, K, V + 1))
        padded[:, :, SILENT + 1 :] = self.log_odds.transpose(0, 2, 1)
        if self.silence is not None:
            padded[:, :, SILENT] = self.silence
        alone = [padded[i, :, :size] for i, size in enumerate(self.sizes)]
        return [
            alone[group[0]] if len(group) == 1 else _mean_table([alone[i] for i in group], self.silence is not None)
            for group in self.groups
        ]

    def of(self, votes: Votes) -> Floats:
        """What all votes on each point say together, shape (n, K)."""
        return log_likelihoods(votes, self.groups, self.tables)

    def by_group(self, votes: Votes) -> Floats:
        """What each group of sources says of each point, shape (n, K, groups)."""
        given, sizes = votes.values + np.int64(1), votes.outputs.sizes
        said = [
            table[:, joint_output([given[:, i] for i in group], [sizes[i] for i in group])].T
            for group, table in zip(self.groups, self.tables, strict=True)
        ]
        return np.stack(said, axis=2)

    def times(self, of_groups: Floats) -> Evidence:
        """The same with what each group says multiplied by a number of its own, shape (groups,)."""
        of_sources = np.empty(len(self.log_odds))
        for group, number in zip(self.groups, of_groups, strict=True):
            of_sources[list(group)] = number
        silence = None if self.silence is None else of_sources[:, None] * self.silence
        return replace(self, log_odds=of_sources[:, None, None] * self.log_odds, silence=silence)


def _mean_table(tables: Sequence[Floats], silence_tells: bool) -> Floats:
    """Of sources that count as one: the mean over those of them that tell something, for every joint output."""
    sizes = [table.shape[1] for table in tables]
    outputs = np.indices(sizes).reshape(len(tables), -1)
    said = np.sum([table[:, output] for table, output in zip(tables, outputs, strict=True)], axis=0)
    order = joint_output(list(outputs), sizes)
    result = np.empty((len(tables[0]), len(order)))
    telling = len(tables) if silence_tells else np.maximum((outputs != SILENT).sum(axis=0), 1)
    result[:, order] = said / telling
    return result


def majority(tally: Ints | Floats, class_balance: Floats) -> Floats:
    """Probabilities from a count of votes, with a few votes more by the class balance, shape (n, K)."""
    counted = tally + PSEUDO_VOTES * class_balance
    return np.asarray(counted / counted.sum(axis=1, keepdims=True))


def matching_shift(scores: Floats, class_balance: Floats) -> Floats:
    """What to add to scores so that on average the classes are as common as they should be, shape (K,).

    Newton's method, in steps of bounded size: on very sure scores the shares hardly move, and then all at once.
    """
    columns = np.ascontiguousarray(scores[:: max(1, len(scores) // _MATCHED)].T)
    target = np.log(class_balance)
    shift = target.copy()
    for _ in range(20):
        p = columns + shift[:, None]
        p -= p.max(axis=0)
        np.exp(p, out=p)
        p /= p.sum(axis=0)
        share = p.mean(axis=1)
        wrong = class_balance - share
        if np.abs(wrong).max() < 1e-4:
            break
        slope = np.diag(share) - np.einsum("kt,lt->kl", p, p) / p.shape[1]  # too little for threads of a matrix product
        shift += np.clip(np.linalg.solve(slope + 1e-4 * np.diag(class_balance) + 1e-9, wrong), -1, 1)
    return np.asarray(shift - (shift - target).mean())


@dataclass(frozen=True, eq=False)
class Ballots:
    """The votes that sources are learned from, and what is known of the points.

    Parameters
    ----------
    votes : Votes
    truth : array of int8, shape (n,)
        The class where it is known, else -1.
    groups : tuple of tuples of int
        As in `Evidence`.
    """

    votes: Votes
    truth: Codes
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, votes: Votes, groups: tuple[Group, ...], rows: Places, truth: Codes) -> Ballots:
        """Points with gold, and as many of the others as have enough votes to learn from."""
        known = np.full(len(votes), -1, dtype=np.int8)
        known[rows] = truth
        kept = learned_from(row_hashes(np.arange(len(votes))), int(votes.number.sum()), len(votes.sources))
        if kept.all():
            return cls(votes, known, groups)
        kept[rows] = True
        places = np.flatnonzero(kept)
        return cls(votes.take(places), known[places], groups)

    @cached_property
    def tally(self) -> Floats:
        """Votes for each class, those of a group as one, and what scores lean to."""
        return self.votes.leanings(once=[group for group in self.groups if len(group) > 1])

    @cached_property
    def covered(self) -> Places:
        """The points on which somebody votes."""
        return np.flatnonzero(self.tally.sum(axis=1))

    @cached_property
    def shares(self) -> Floats:
        """How often each source gives each output, shape (m, V)."""
        return np.asarray(vote_counts(self.votes, np.ones((len(self.votes), 1)))[:, :, 0] / len(self.votes))

    @cached_property
    def some_covered(self) -> Places:
        """So many of these, evenly spread, as are enough to match class shares on."""
        return self.covered[:: max(1, len(self.covered) // _MATCHED)]

    def thinned(self, most: int) -> tuple[Ballots, int]:
        """All gold, and every k-th of the other points, so that about so many votes are left; and k."""
        k = -(-int(self.votes.number.sum()) // most)
        if k <= 1:
            return self, 1
        kept = self.truth >= 0
        kept[np.flatnonzero(~kept)[::k]] = True
        places = np.flatnonzero(kept)
        return Ballots(self.votes.take(places), self.truth[places], self.groups), k

    def without(self, places: Places) -> Ballots:
        """The same, not knowing the class of some points."""
        truth = self.truth.copy()
        truth[places] = -1
        found = Ballots(self.votes, truth, self.groups)
        same = ("tally", "covered", "some_covered")  # whatever is known
        vars(found).update({name: getattr(self, name) for name in same})
        return found


@dataclass(frozen=True, eq=False)
class Consensus:
    """What was learned.

    Parameters
    ----------
    evidence : Evidence
    class_balance : array, shape (K,)
    votes : Votes
        That were learned from.
    """

    evidence: Evidence
    class_balance: Floats
    votes: Votes

    @cached_property
    def scores(self) -> Floats:
        """What the votes on the points learned from say together, shape (n, K)."""
        return self.evidence.of(self.votes)


def learn(ballots: Ballots, class_balance: Floats | None, unlabeled: float = 1.0) -> Consensus:
    """Learn the sources.

    Parameters
    ----------
    class_balance : array, shape (K,), or None
        Learned from the votes where not given.
    unlabeled : float
        What a point without gold counts for where one with gold counts 1; 0 learns from gold alone.
    """
    covered, truth = ballots.covered, ballots.truth
    K = len(ballots.votes.classes)
    even = np.full(K, 1 / K)
    if class_balance is None:
        counted = majority(ballots.tally[covered], even).mean(axis=0) if len(covered) else even
        balance = _evened(counted, 2 * EVEN)
    else:
        balance = class_balance
    gold = truth >= 0
    importance = np.where(gold, 1.0, unlabeled)
    guess = majority(ballots.tally, balance)
    if ballots.votes.scored.any() and len(covered):  # which class a score leans to is its rank, whatever the shares
        guess = softmax(np.log(guess) + matching_shift(np.log(guess[covered]), balance))
    steps = (SCORE_STEPS if ballots.votes.scored.any() else STEPS) if unlabeled > 0 else 1
    places = np.flatnonzero(gold) if unlabeled == 0 else slice(None)
    learned_from = ballots if unlabeled > 0 else Ballots(ballots.votes.take(places), truth[places], ballots.groups)
    for step in range(steps):
        guess[gold] = np.eye(K)[truth[gold]]
        weighed = guess if unlabeled == 1 else guess[places] * importance[places, None]
        evidence = _weigh(learned_from, weighed, balance)
        if class_balance is not None and step == steps - 1:
            break  # nobody asks for guesses by what was learned last
        scores = evidence.of(ballots.votes)
        if class_balance is None and len(covered):
            said = softmax(np.log(balance) + scores[covered]).mean(axis=0)
            balance = _evened(balance + BALANCE_STEP * (said - balance), EVEN)
        if len(covered):
            guess = softmax(scores + matching_shift(scores[ballots.some_covered], balance))
    return Consensus(evidence, balance, ballots.votes)


def _evened(balance: Floats, share: float) -> Floats:
    return np.asarray((1 - share) * balance + share / len(balance))


def _weigh(ballots: Ballots, guess: Floats, class_balance: Floats) -> Evidence:
    """What every vote means, from guesses of the classes of all points, shape (n, K), times what each counts for."""
    weights = np.ascontiguousarray(guess.T)
    silent = len(ballots.covered) < len(guess)
    among = (weights[:, ballots.covered] if silent else weights).sum(axis=1) + class_balance
    votes, K = ballots.votes, len(class_balance)
    usual = np.log(among / among.sum())
    counts, scored = vote_counts(votes, weights.T), votes.scored
    log_odds = np.zeros_like(counts)
    if not scored.all():  # scores may have fewer outputs than there are classes
        precision = _shrunk(counts[~scored, :K], class_balance)
        log_odds[~scored, :K] = np.log(np.maximum(precision, _SMALLEST)) - usual
    for i, scale in zip(np.flatnonzero(scored), votes.scales.values(), strict=True):
        shares = smoothed_log_shares(counts[i, : scale.size], scale.leaning, class_balance)
        log_odds[i, : scale.size] = shares - usual
    return Evidence(log_odds, votes.outputs.sizes, ballots.groups)


def vote_counts(votes: Votes, guess: Floats) -> Floats:
    """How much of each class there is where each source gives each output, shape (m, V, K): source, output, class.

    V is K, or more where sources with scores have more outputs. Whatever the number of threads, the points are added in
    the same order.
    """
    m, V = len(votes.sources), max(votes.outputs.sizes) - 1
    storage = votes.storage
    weights = np.ascontiguousarray(guess.T)
    if isinstance(storage, Sparse):
        point, source, value = storage.entries(0, len(votes))
        place = source.astype(np.int64) * V + value
        return np.stack([np.bincount(place, w[point], minlength=m * V).reshape(m, V) for w in weights], axis=2)
    columns = storage.columns(0, len(votes))
    counts = np.zeros((m, V + 1, len(weights)))
    parts = threads.spans(m, threads.THREADS if m * len(votes) > _FEW_CELLS else 1, 4)
    threads.in_threads(lambda k: add_weights(columns[slice(*parts[k])], weights, counts[slice(*parts[k])]), len(parts))
    return counts[:, SILENT + 1 :]


def _shrunk(counts: Floats, class_balance: Floats) -> Floats:
    """P(class | vote) of every source and vote, shape (m, K, K).

    What a vote means is drawn towards what it means from all sources, made better or worse by the accuracy of its own;
    that is drawn towards what is to be expected of a source with such votes.
    """
    K = len(class_balance)
    own = np.arange(K)
    votes = counts.sum(axis=2)
    total = votes.sum(axis=1)
    everyone = counts.sum(axis=0) + 0.3 * class_balance + 0.7 * np.eye(K)
    everyone /= everyone.sum(axis=1, keepdims=True)
    usual = np.clip(everyone[own, own], _SMALLEST, 1 - 1e-6)
    expected = np.where(total > 0, votes @ usual / np.maximum(total, 1e-12), usual.mean())
    right = counts[:, own, own].sum(axis=1)
    accuracy = np.clip((right + SOURCE_WORTH * expected) / (total + SOURCE_WORTH), 1e-6, 1 - 1e-6)
    better = log_odds(accuracy) - log_odds(expected)
    hit = 1 / (1 + np.exp(-(log_odds(usual) + better[:, None])))
    miss = everyone * (1 - np.eye(K))
    miss /= np.maximum(miss.sum(axis=1, keepdims=True), 1e-12)
    centre = (1 - hit)[:, :, None] * miss
    centre[:, own, own] = hit
    return np.asarray((counts + VOTE_WORTH * centre) / (votes + VOTE_WORTH)[:, :, None])
