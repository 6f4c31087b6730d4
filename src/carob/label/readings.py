"""Three readings of the votes: how votes may follow from the class, and how probable each is without any gold.

Point i has a class y_i of K; source j says v_ij or nothing.

- `spoken`: given that a source speaks, P(v | y) is its own table, sources are independent given the class, and that a
  source speaks tells nothing.
- `silent`: the same, and that it speaks tells as well: silence is one more thing to say.
- `dependent`: votes repeat each other. The log-likelihood of a vote of source j counts for 1 / (1 + d_j), with d_j how
  far its errors go together with all others' (a quasi-likelihood with a dispersion for each source). Points are easy,
  or hard with votes that are mostly noise. Tables are learned from labels that stay near a count of votes, the anchor:
  without it, sparse and one-sided votes run away.

Tables are P(y | v), Dirichlet around what all sources do at the accuracy of this one, learned by EM. How far votes are
from independence, D2, is what is left of the squared d_j beyond noise, shrunk to `USUAL_D2`; the prior odds of a
reading with independent sources against the dependent one are `ODDS` / (1 + D2 / D0^2)^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from carob._types import Floats, Group
from carob.label.training import TrainingVotes, sums_of
from carob.posterior.naive_bayes import log_odds, softmax
from carob.posterior.score_shares import smoothed_log_shares
from carob.votes import Votes

Kind = Literal["dependent", "spoken", "silent"]
KINDS: tuple[Kind, ...] = ("dependent", "spoken", "silent")
ANCHORED = 0.85  # share of the anchor in the labels that the dependent reading learns from
STEPS = 30  # of EM, at most
SOURCE_VOTES = 5.0  # pseudo-votes: what all sources do, in one number of one source
TABLE_VOTES = 25.0  # the same in each row of a source's table, for each class
SILENT_POINTS = 5.0  # pseudo-points on which a source speaks as often whatever the class
NOISE = 0.5  # share of noise in a vote on a hard point
SLIP = 0.07  # the same in a spoken vote
PRIOR_SAYS = 2.0  # how much more often than it does anyway a source is taken to say the class
ODDS = 150.0  # of a reading with independent sources, where votes show no dependence at all
D0 = 0.05  # dependence at which these odds are a quarter
USUAL_D2 = 0.053  # square of the dependence that sources usually have
_MOVED = 1e-3  # a step of EM that moves no probability by more is the last
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Reading:
    """What a vote adds to the score of each class, and what is there before any."""

    tables: Floats  # shape (m, V, K)
    silence: Floats  # shape (m, K): the same of saying nothing
    before: Floats  # shape (K,)
    hits: Floats  # shape (m, K): P(says y | y)
    if_hard: Floats | None = None  # shape (m, V, K): what a vote adds on a hard point, where points may be hard
    before_hard: Floats | None = None  # shape (K,)

    @property
    def columns(self) -> tuple[Floats, Floats]:
        """Tables and silence with a column for each sum that the posterior takes, shapes (m, V, C) and (m, C)."""
        if self.if_hard is None:
            return self.tables, self.silence
        return np.concatenate([self.tables, self.if_hard], axis=2), np.concatenate(
            [self.silence, np.zeros_like(self.silence)], axis=1
        )

    @property
    def shares(self) -> Floats:
        """Of the classes before any vote, shape (K,)."""
        return np.asarray(np.exp(self.before) / np.exp(self.before).sum())

    def posterior_of(self, sums: Floats) -> tuple[Floats, Floats]:
        """P(class) of each point, shape (n, K), and P(easy), from sums over its votes: the E-step."""
        K = len(self.before)
        easy = self.before + sums[:, :K]
        if self.before_hard is None:
            return softmax(easy), np.ones(len(sums))
        hard = self.before_hard + sums[:, K:]
        share = softmax(np.stack([np.logaddexp.reduce(easy, axis=1), np.logaddexp.reduce(hard, axis=1)], axis=1))
        return share[:, :1] * softmax(easy) + share[:, 1:] * softmax(hard), share[:, 0]

    def posterior(self, votes: Votes, groups: tuple[Group, ...]) -> tuple[Floats, Floats]:
        """The same of votes."""
        return self.posterior_of(sums_of(votes, groups, *self.columns))


def learn_reading(
    training: TrainingVotes,
    kind: Kind,
    start: Floats,
    weight: Floats,
    given: Floats | None,
    anchor: Floats | None = None,
    times: Floats | None = None,
) -> tuple[Reading, Floats]:
    """EM from labels to start with: the reading, and the probabilities that it gives the points, shape (n, K).

    `weight`, shape (m,): what the votes of each source count for. `given`, shape (K,): the class balance. `anchor`,
    shape (n, K): labels that those which are learned from stay near. `times`, shape (n,): how often each point is
    there, in a bootstrap.
    """
    p, easy = start, np.ones(training.n)
    for _ in range(STEPS):
        guess = p if anchor is None else ANCHORED * anchor + (1 - ANCHORED) * p
        guess = guess if times is None else guess * times[:, None]
        reading = _m_step(training, kind, guess, easy, weight, given)
        before = p
        p, easy = reading.posterior(training.votes, training.groups)
        if np.abs(p - before).max(initial=0) < _MOVED:
            break
    return reading, p


def _m_step(
    training: TrainingVotes, kind: Kind, guess: Floats, easy: Floats, weight: Floats, given: Floats | None
) -> Reading:
    """The tables of a reading, from labels as they are believed and how surely points are easy."""
    K, some, voted = training.K, max(len(training.voted), 1), training.voted
    sure = guess * easy[:, None]
    found, among = training.counts(sure), sure[voted].sum(axis=0)
    usual = (among + 1 / K) / (among.sum() + 1)
    shares = (guess[voted].sum(axis=0) + 1) / (guess[voted].sum() + K) if given is None else given
    before = np.log(shares)
    told, cast = _precisions(training, found, usual), training.cast
    total = cast.sum(axis=1)
    says_class = told / usual * training.counts_for  # of each output, as far as it is a vote for the class
    if kind == "spoken":
        says = (cast + TABLE_VOTES * K * _usual_outputs(training)) / (total + TABLE_VOTES * K)[:, None]
        table = told * says[:, :, None] / usual
        scale = np.maximum(table.sum(axis=1, keepdims=True), _TINY)
        hits = (says_class * says[:, :, None]).sum(axis=1) / scale[:, 0]
        said = np.log((1 - SLIP) * table / scale + SLIP * says[:, :, None] + _TINY)
        return Reading(weight[:, None, None] * said, np.zeros((training.m, K)), before, hits)
    by_class, cover = found.sum(axis=1), total / some
    speaks = (by_class + SILENT_POINTS * cover[:, None]) / (among + SILENT_POINTS)
    at_all = (by_class.sum(axis=1) + SILENT_POINTS * cover) / (among.sum() + SILENT_POINTS)
    quiet = np.log(np.clip(1 - speaks, 1e-6, 1)) - np.log(np.clip(1 - at_all, 1e-6, 1))[:, None]
    said = np.log(np.maximum(told, _TINY)) - np.log(usual)
    hits = np.clip((says_class * (cast / some)[:, :, None]).sum(axis=1), 0, 1)
    full, silence = weight[:, None, None] * said, weight[:, None] * quiet
    if kind == "silent":
        return Reading(full, silence, before, hits)
    hard = (1 + (1 - easy)[voted].sum()) / (2 + some)
    noisy = weight[:, None, None] * np.log((1 - NOISE) * np.exp(np.clip(said, -30, 30)) + NOISE)
    return Reading(full, silence, before, hits, noisy, before + float(log_odds(np.array(hard))))


def _usual_outputs(training: TrainingVotes) -> Floats:
    """How often a source says each thing, by what all sources vote; of scores, each number as often; shape (m, V)."""
    votes, scored = training.cast, training.votes.scored
    usual = np.zeros(votes.shape)
    usual[~scored, : training.K] = votes[~scored, : training.K].sum(axis=0) / max(votes[~scored].sum(), 1)
    for i in np.flatnonzero(scored):
        size = training.votes.outputs.sizes[i] - 1
        usual[i, :size] = 1 / size
    return usual


def _precisions(training: TrainingVotes, found: Floats, usual: Floats) -> Floats:
    """P(class | output) of each source, shape (m, V, K).

    That of a vote is shrunk to what it means from all sources, at the accuracy of its own; that of a score along its
    scale.
    """
    K, own, scored = len(usual), np.arange(len(usual)), training.votes.scored
    told = np.broadcast_to(usual, found.shape).copy()
    counts = found[~scored, :K]
    if len(counts):
        votes = counts.sum(axis=2)
        total = votes.sum(axis=1)
        everyone = counts.sum(axis=0) + np.eye(K)
        everyone /= everyone.sum(axis=1, keepdims=True)
        right = everyone[own, own]
        expected = np.where(total > 0, votes @ right / np.maximum(total, _TINY), right.mean())
        accuracy = (counts[:, own, own].sum(axis=1) + SOURCE_VOTES * expected) / (total + SOURCE_VOTES)
        better = _finite_log_odds(accuracy) - _finite_log_odds(expected)
        hit = 1 / (1 + np.exp(-(_finite_log_odds(right) + better[:, None])))
        miss = everyone * (1 - np.eye(K))
        centre = (1 - hit)[:, :, None] * miss / np.maximum(miss.sum(axis=1, keepdims=True), _TINY)
        centre[:, own, own] = hit
        told[~scored, :K] = (counts + TABLE_VOTES * K * centre) / (votes + TABLE_VOTES * K)[:, :, None]
    for i, scale in zip(np.flatnonzero(scored), training.votes.scales.values(), strict=True):
        told[i, : scale.size] = np.exp(smoothed_log_shares(found[i, : scale.size], scale.leaning, usual))
    return told


def _finite_log_odds(p: Floats) -> Floats:
    return log_odds(np.clip(p, 1e-6, 1 - 1e-6))


def _dependence(
    training: TrainingVotes, hits: Floats, guess: Floats, with_silence: bool
) -> tuple[Floats, Floats, Floats]:
    """Of each source: how its residual goes together with the sum of all others', given the class, its variance, noise.

    A residual is how far what a source says is a vote for y, less P(says y | y), on points where it speaks, or on all.
    """
    point, source, output = training.entries
    together, alone, noise = np.zeros((3, training.m))
    group, parts = training.group_votes, training.parts  # sources that count as one are no others to each other
    for y in range(training.K):
        p, says, sure = hits[:, y], training.counts_for[source, output, y], guess[:, y]
        if with_silence:  # sums over the votes, and over all points as if nobody had spoken
            rest = np.bincount(point, says, minlength=training.n) - p.sum()
            first, second, points = sure * rest, sure * rest**2, sure.sum()
            mine = training.per_source(says * sure[point])
            with_rest = training.per_source(says * first[point])
            together += with_rest - p * first.sum() - mine * (1 - 2 * p) - p**2 * points
            alone += points * p * (1 - p)
            noise += training.per_source(says * second[point]) * (1 - 2 * p) + p**2 * second.sum()
        else:
            residual, of_vote = says - p[source], sure[point]
            rest = np.bincount(point, residual * parts, minlength=training.n)[point]
            rest -= np.bincount(group, residual * parts)[group]
            together += training.per_source(of_vote * residual * rest)
            alone += training.per_source(of_vote * (p * (1 - p))[source])
            noise += training.per_source(of_vote * (residual * rest) ** 2)
    return together, alone, noise


def source_weights(training: TrainingVotes, guess: Floats) -> Floats:
    """1 / (1 + d_j): what a vote counts for where sources repeat each other."""
    point, source, output = training.entries
    says = training.counts_for[source, output]
    of_class = np.stack([training.per_source(guess[point, y]) for y in range(training.K)], axis=1)
    right = np.stack([training.per_source(guess[point, y] * says[:, y]) for y in range(training.K)], axis=1)
    usual = (right.sum(axis=0) + 1) / (of_class.sum(axis=0) + 2)
    together, alone, _ = _dependence(training, (right + 2 * usual) / (of_class + 2), guess, False)
    common = together.sum() / max(alone.sum(), _TINY)
    return np.asarray(1 / (1 + np.maximum((together + SOURCE_VOTES * common) / (alone + SOURCE_VOTES), 0)))


def _odds(training: TrainingVotes, reading: Reading, guess: Floats, with_silence: bool) -> float:
    """Odds of a reading with independent sources against the dependent one."""
    together, alone, noise = _dependence(training, reading.hits, guess, with_silence)
    alone = np.maximum(alone, _TINY)
    d, error = together / alone, noise / alone**2
    share = (noise > 0) * alone / (error + USUAL_D2)
    share /= max(share.sum(), _TINY)
    of_all, error_of_all = together.sum() / alone.sum(), 2 * noise.sum() / alone.sum() ** 2
    left = max((share * (d**2 - error)).sum() + of_all**2 - error_of_all, 0)
    spread = np.sqrt(2 * ((share * error) ** 2).sum() + 2 * error_of_all**2) if noise.any() else np.inf
    speaking = np.exp(_entropies(training.cast)).sum() / training.K  # sources for each class
    free = max(speaking - 3, 0) / max(speaking - 1, 1)  # three sources fit anything
    known = free * USUAL_D2 / max(spread, _TINY)
    return float(ODDS / (1 + (left * known + USUAL_D2) / (known + 1) / D0**2) ** 2)


def smoothed_count(tally: Floats, more: float) -> Floats:
    """Shares of the votes on each point, with some more votes spread evenly."""
    return np.asarray((tally + more / tally.shape[1]) / (tally.sum(axis=1, keepdims=True) + more))


def _anchor(training: TrainingVotes, weight: Floats) -> Floats:
    """A count of weighted votes, and one part in K of what votes say beyond what a source says anyway."""
    K, total, scored = training.K, training.cast.sum(axis=1), training.votes.scored
    level = weight * total.sum() / max(weight @ total, _TINY)
    count = smoothed_count(training.sums(level[:, None, None] * training.counts_for), 1.0)
    votes = np.where(scored[:, None], 0, training.cast[:, :K])
    everyone = (votes.sum(axis=0) + 1) / (votes.sum() + K)
    habit = (votes + SOURCE_VOTES * everyone) / (votes.sum(axis=1) + SOURCE_VOTES)[:, None]
    table = habit[:, :, None] * np.where(np.eye(K) > 0, PRIOR_SAYS, 1.0)
    said = np.zeros(training.counts_for.shape)
    said[~scored, :K] = np.log(table / table.sum(axis=1, keepdims=True))[~scored]
    beyond = softmax(training.sums(weight[:, None, None] * said))
    return np.asarray(count + (beyond - count) / K)


def _two_sided(training: TrainingVotes) -> float:
    """How much of the spread of votes is left within sources: 0 where each has but one thing to say."""
    total = training.cast.sum(axis=1)
    within, whole = total @ _entropies(training.cast), total.sum() * _entropies(training.cast.sum(axis=0)[None])[0]
    return float(np.clip(within / max(whole, _TINY), 0, 1))


def _entropies(cast: Floats) -> Floats:
    """Of what each source says, in nats, shape (m,)."""
    share = cast / np.maximum(cast.sum(axis=1, keepdims=True), _TINY)
    return -np.asarray((share * np.log(np.maximum(share, _TINY))).sum(axis=1))


def learn_readings(training: TrainingVotes, given: Floats | None) -> tuple[tuple[Reading, ...], Floats]:
    """The three readings in the order of `KINDS`, and their prior weights, shape (3,)."""
    count = smoothed_count(training.tally, 1.0)
    even = np.ones(training.m)
    dependent, guess = learn_reading(training, "dependent", count, even, given, count)
    for _ in range(2):
        weight = source_weights(training, guess)
        anchor = _anchor(training, weight)
        dependent, guess = learn_reading(training, "dependent", anchor, weight, given, anchor)
    start = guess**2 / (guess**2).sum(axis=1, keepdims=True)  # sharper, so that rare classes stay rare
    spoken, if_spoken = learn_reading(training, "spoken", start, even, given)
    silent, if_silent = learn_reading(training, "silent", start, even, given)
    odds = [
        1.0,
        _odds(training, spoken, if_spoken, False) * _two_sided(training) ** 2,
        _odds(training, silent, if_silent, True),
    ]
    return (dependent, spoken, silent), np.array(odds) / sum(odds)
