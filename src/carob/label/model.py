r"""The model of labels: an average over three readings of the votes, which gold weighs and corrects.

Without gold the probabilities of a point are the average q of what the readings say (`carob.label.readings`), weighted
by how probable each is; beside the dependent reading stand a plain count of votes, and a share of points whose votes
follow something that is not the class, which no votes show.

Gold updates the weights of the readings by Bayes' rule, its log-likelihood counting for the share `EVIDENCE` of itself
(real points are not as independent as the rule takes them to be), and corrects q by

    log p_i(y) = (1 + t_1) log q_iy + t_2 log dependent_iy + t_3 log count_iy + t_4 sum_j log P_gold(v_ij | y)
                 + sum_k M_ky q_ik + sum_j s_j [v_ij = y]

up to a constant, with P_gold counted on gold (for a gold point on the others). On points without votes it is log q_iy +
b_y. Where the class balance is given, q is that balance on them, and the probabilities of the others are multiplied by
one number a class so that all points together meet it. All corrections are normal around 0; what multiplies their
standard deviations is one of `SCALES`, the smallest of which changes little and is as probable as the readings with
independent sources are. For each scale the corrections are at their mode on the gold points (Laplace's approximation),
and the scales are weighed by their marginal likelihood. The readings themselves never see gold, so that a fit without
some of the gold is a correction of the same readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from carob._kernels.threads import in_threads
from carob._types import Bools, Codes, Floats, Group, Places, cached_property
from carob.label.readings import Reading, learn_readings, smoothed_count
from carob.label.training import TrainingVotes, sums_of
from carob.posterior.groups import check_groups, dependent_groups
from carob.posterior.naive_bayes import softmax
from carob.posterior.settings import Settings
from carob.votes import Votes

COUNT = 0.25  # share of a count of votes beside the dependent reading
MISLED = 0.05  # share of points whose votes follow something else than the class
EVIDENCE = 0.3  # what the log-likelihood of gold counts for in the weights of the readings
GOLD_VOTES = 10.0  # gold labels of a class that what a source does without gold counts for
SLOPE = 0.5  # standard deviation of t
SHIFT = 1.0  # standard deviation of b
MATRIX = 1.0  # standard deviation of M over sqrt(K - 1)
OWN = 0.8  # standard deviation of s
SCALES = (0.125, 0.25, 0.5, 1.0, 2.0)  # of which one multiplies these standard deviations
COUNTED = 2.0  # pseudo-votes in the count
_LEAST = 1e-4  # probability in a component that gold corrects; weight of a scale that is left out
_STEPS = 30  # of Newton's method, of the weights, and of meeting a class balance
_BLOCK = 1 << 16  # points at a time


@dataclass(frozen=True, eq=False)
class Correction:
    """What gold changes, at one scale."""

    weight: float
    slopes: Floats  # shape (3,): t_1 to t_3, with 1 for log q
    silent: Floats  # shape (K,): b
    matrix: Floats  # shape (K, K): M
    own: Floats  # shape (m, V, K): what each output of each source adds: s and t_4


@dataclass(frozen=True, eq=False)
class Mixture:
    """Probabilities of any votes of the same sources."""

    readings: tuple[Reading, ...]
    weights: Floats  # shape (3,)
    groups: tuple[Group, ...]  # sources whose votes count as one
    counts_for: Floats  # shape (m, V, K): how far each output of each source is a vote for each class
    corrections: tuple[Correction, ...]  # None without gold
    given: Floats | None  # shape (K,): the class balance, which points without votes have
    # shape (K,): what probabilities of the others are multiplied by to meet it; ones where none is given
    offset: Floats

    def posterior(self, votes: Votes) -> Floats:
        """Probability of each class for each point, shape (n, K)."""
        tables, silence = self._columns
        sums = sums_of(votes, self.groups, tables, silence)
        voted = votes.number > 0
        result = np.empty((len(votes), len(self.offset)))

        def fill(block: int) -> None:
            rows = slice(block * _BLOCK, (block + 1) * _BLOCK)
            result[rows] = self.probabilities(self.components(sums[rows], voted[rows]), voted[rows])

        in_threads(fill, -(-len(votes) // _BLOCK))
        return result

    @cached_property
    def _columns(self) -> tuple[Floats, Floats]:
        """Tables and silence of all sums that the posterior takes, side by side."""
        parts = [reading.columns for reading in self.readings]
        parts.append((self.counts_for, np.zeros(self.counts_for[:, 0].shape)))
        parts += [(correction.own, parts[-1][1]) for correction in self.corrections]
        return np.concatenate([part[0] for part in parts], axis=2), np.concatenate([part[1] for part in parts], axis=1)

    def components(self, sums: Floats, voted: Bools) -> Components:
        """What readings and a count say of points, from sums over their votes and whether anybody votes on them."""
        K = len(self.offset)
        ends = np.cumsum([2 * K if reading.before_hard is not None else K for reading in self.readings])
        of_readings = [
            reading.posterior_of(sums[:, end - width : end])[0]
            for reading, end, width in zip(self.readings, ends, np.diff(ends, prepend=0), strict=True)
        ]
        tally = sums[:, ends[-1] : ends[-1] + K]
        own = [sums[:, ends[-1] + (k + 1) * K :][:, :K] for k in range(len(self.corrections))]
        *of_readings, count = of_silent([*of_readings, smoothed_count(tally, COUNTED)], voted, self.given)
        return Components.of(of_readings, self.readings[0].shares, count, own)

    def probabilities(self, components: Components, voted: Bools) -> Floats:
        """Probabilities of points, shape (n, K), from their components and whether anybody votes on them."""
        mixed = components.mixed(self.weights)
        p = mixed
        if self.corrections:
            bases, before = components.bases(mixed, voted)
            p = np.zeros_like(mixed)
            for correction, own in zip(self.corrections, components.own, strict=True):
                score = sum((t * base for t, base in zip(correction.slopes, bases, strict=True)), own + before)
                shift = np.where(voted[:, None], mixed @ correction.matrix, correction.silent)
                p += correction.weight * softmax(score + shift)
        p = np.where(voted[:, None], p * self.offset, p)
        return np.asarray(p / p.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Components:
    """What is averaged and corrected, of some points."""

    averaged: tuple[Floats, ...]  # shape (n, K): the dependent reading with a count and some doubt, and the two others
    # dependent, count: shape (n, K)
    dependent: Floats
    count: Floats
    own: Sequence[Floats]  # shape (n, K): votes times what gold says of each source, for each correction

    @classmethod
    def of(cls, of_readings: Sequence[Floats], shares: Floats, count: Floats, own: Sequence[Floats] = ()) -> Components:
        """From what each reading and a count of votes say; `shares` are those of the classes."""
        dependent, *others = of_readings
        doubted = (1 - COUNT) * ((1 - MISLED) * dependent + MISLED * shares) + COUNT * count
        return cls((doubted, *others), dependent, count, own)

    def mixed(self, weights: Floats) -> Floats:
        """The average q."""
        return np.asarray(sum(weight * p for weight, p in zip(weights, self.averaged, strict=True)))

    def bases(self, mixed: Floats, voted: Bools) -> tuple[list[Floats], Floats]:
        """Log probabilities of points with votes, that gold gives slopes to, and those of points without."""
        logs = [np.log(np.maximum(p, _LEAST)) for p in (mixed, self.dependent, self.count)]
        heard = voted[:, None]
        return [heard * (log - log.mean(axis=1, keepdims=True)) for log in logs], np.where(heard, 0.0, logs[0])

    def take(self, rows: Places) -> Components:
        """Those of some points."""
        return Components(
            tuple(p[rows] for p in self.averaged),
            self.dependent[rows],
            self.count[rows],
            [own[rows] for own in self.own],
        )


@dataclass(frozen=True, eq=False)
class Learned:
    """What votes say without gold, ready to be corrected by any gold."""

    training: TrainingVotes
    readings: tuple[Reading, ...]
    prior: Floats  # shape (3,): weights of the readings
    components: Components  # of the points learned from
    given: Floats | None  # shape (K,): the class balance

    def fit_gold(self, truth: Codes) -> GoldFit:
        """What gold, -1 where it is not known, says of the weights of the readings and of the corrections."""
        training, rows = self.training, np.flatnonzero(truth >= 0)
        of_gold, labels = self.components.take(rows), truth[rows].astype(np.intp)
        likelihood = np.stack([p[np.arange(len(rows)), labels] for p in of_gold.averaged], axis=1)
        evidence = EVIDENCE * np.log(np.maximum(likelihood, _LEAST)).sum(axis=0)
        weights = softmax((np.log(self.prior + 1e-300) + evidence)[None])[0]
        usual = np.exp(self.readings[1].tables)
        return _fit_corrections(training.take(rows), of_gold, weights, labels, float(self.prior[0]), usual)

    def with_gold(self, truth: Codes) -> Mixture:
        """The mixture that gold weighs and corrects."""
        if not (truth >= 0).any():
            return self.mixture(self.prior, ())
        found = self.fit_gold(truth)
        kept = found.share > _LEAST
        share = found.share[kept] / found.share[kept].sum()
        return self.mixture(
            found.weights, [found.correction(w, mode) for w, mode in zip(share, found.modes[kept], strict=True)]
        )

    def mixture(self, weights: Floats, corrections: Sequence[Correction]) -> Mixture:
        """A mixture of the readings, which meets the class balance that is given."""
        training, offset = self.training, np.ones(self.training.K)
        plain = Mixture(
            self.readings, weights, training.groups, training.counts_for, tuple(corrections), self.given, offset
        )
        if self.given is None:
            return plain
        everyone = self.probabilities(plain)
        p = everyone[training.voted]
        due = np.maximum(self.given * training.n - everyone.sum(axis=0) + p.sum(axis=0), 1e-9)  # of points with votes
        due /= due.sum()
        for _ in range(_STEPS):
            moved = p * offset
            share = (moved / moved.sum(axis=1, keepdims=True)).mean(axis=0)
            offset = offset * due / np.maximum(share, 1e-9)
        return replace(plain, offset=offset / offset.sum())

    def probabilities(self, mixture: Mixture) -> Floats:
        """What a mixture of these readings says of the points learned from, shape (n, K)."""
        own = [self.training.sums(correction.own) for correction in mixture.corrections]
        return mixture.probabilities(replace(self.components, own=own), self.training.votes.number > 0)


def of_silent(of_readings: Sequence[Floats], voted: Bools, given: Floats | None) -> list[Floats]:
    """What readings say, with the class balance that is given for points without votes."""
    return [p if given is None else np.where(voted[:, None], p, given) for p in of_readings]


def learn_votes(votes: Votes, settings: Settings) -> Learned:
    """What votes say without gold, ready to be corrected by any gold."""
    groups = dependent_groups(len(votes.sources), settings.pairs(votes.sources))
    check_groups(groups, votes.sources, votes.outputs)
    training, given = TrainingVotes(votes, groups), settings.given_balance(votes.classes)
    readings, prior = learn_readings(training, given)
    of_readings = [reading.posterior(training.votes, training.groups)[0] for reading in readings]
    count = smoothed_count(training.tally, COUNTED)
    *of_readings, count = of_silent([*of_readings, count], training.votes.number > 0, given)
    components = Components.of(of_readings, readings[0].shares, count)
    return Learned(training, readings, prior, components, given)


@dataclass(frozen=True, eq=False)
class GoldFit:
    """The posterior of what gold changes."""

    weights: Floats  # shape (3,): of the readings
    share: Floats  # shape (S,): of each scale
    modes: Floats  # shape (S, q): of the corrections at each scale
    curvature: Floats  # shape (S, q, q): of their log posterior, whose inverse is their covariance
    used: Places  # the sources that vote on gold points
    # counts_for, counted: shape (m, V, K): how far an output is a vote for a class, and how often each class has
    # it on gold, as logarithms
    counts_for: Floats
    counted: Floats

    def correction(self, weight: float, at: Floats) -> Correction:
        """That with these numbers."""
        K = self.counted.shape[2]
        slopes, counted, silent, matrix, of_used = np.split(at, np.cumsum([3, 1, K, K * K]))
        own = counted * self.counted
        own[self.used] += of_used[:, None, None] * self.counts_for[self.used]
        return Correction(float(weight), slopes, silent, matrix.reshape(K, K), own)


def _fit_corrections(
    gold: TrainingVotes, components: Components, weights: Floats, labels: Places, doubt: float, usual: Floats
) -> GoldFit:
    """The corrections at each scale that gold points call for.

    `doubt`: the prior weight of the dependent reading. `usual`, shape (m, V, K): P(output | class) of each source
    without gold.
    """
    K = gold.K
    mixed = components.mixed(weights)
    used = np.flatnonzero(gold.cast.sum(axis=1))
    bases, before = components.bases(mixed, gold.votes.number > 0)
    table = gold.counts(np.eye(K)[labels])
    counted = np.log((table + GOLD_VOTES * usual) / (table.sum(axis=1, keepdims=True) + GOLD_VOTES))
    features = _features(gold, bases, mixed, used, _counted_without(gold, labels, table, usual))
    spread = np.repeat([SLOPE, SHIFT, MATRIX * np.sqrt(K - 1), OWN], [4, K, K * K, len(used)])
    centre = np.eye(1, len(spread))[0]
    found = [_mode(features, before, labels, centre, scale * spread) for scale in SCALES]
    prior = [doubt / len(SCALES) + (1 - doubt) * (scale == SCALES[0]) for scale in SCALES]
    share = softmax(np.array([evidence for _, evidence, _ in found]) + np.log(prior))
    modes, _, curvature = zip(*found, strict=True)
    return GoldFit(weights, share, np.array(modes), np.array(curvature), used, gold.counts_for, counted)


def _counted_without(gold: TrainingVotes, labels: Places, table: Floats, usual: Floats) -> Floats:
    """Sums of log P(output | class) counted on gold, for each gold point on the others, less their mean; (g, K)."""
    point, source, output = gold.entries
    itself = np.eye(gold.K)[labels[point]]
    there = table[source, output] - itself + GOLD_VOTES * usual[source, output]
    of_class = table.sum(axis=1)[source] - itself + GOLD_VOTES
    said = (np.log(there) - np.log(of_class)) * gold.parts[:, None]
    sums = np.stack([np.bincount(point, said[:, y], minlength=gold.n) for y in range(gold.K)], axis=1)
    return np.asarray(sums - sums.mean(axis=1, keepdims=True))


def _features(gold: TrainingVotes, bases: Sequence[Floats], mixed: Floats, used: Places, counted: Floats) -> Floats:
    """The derivative of the scores of gold points by each correction, shape (g, K, parameters)."""
    g, K = mixed.shape
    voted = (gold.votes.number > 0)[:, None, None]
    matrix = ((voted[:, 0] * mixed)[:, None, :, None] * np.eye(K)[None, :, None, :]).reshape(g, K, K * K)
    place = np.full(gold.m, -1)
    place[used] = np.arange(len(used))
    own = np.zeros((g, len(used), K))
    point, source, output = gold.entries
    own[point, place[source]] = gold.counts_for[source, output] * gold.parts[:, None]
    return np.concatenate(
        [np.stack([*bases, counted], axis=2), ~voted * np.eye(K), matrix, own.transpose(0, 2, 1)], axis=2
    )


def _mode(
    features: Floats, before: Floats, labels: Places, centre: Floats, spread: Floats
) -> tuple[Floats, float, Floats]:
    """The mode of a multinomial logistic regression with a normal prior, its log evidence and its curvature."""
    mode, wanted = centre.copy(), np.eye(features.shape[1])[labels]
    flat, precision = features.reshape(-1, features.shape[2]), spread**-2.0

    def loss(at: Floats) -> float:
        score = before + features @ at
        lost = np.logaddexp.reduce(score, axis=1) - (score * wanted).sum(axis=1)
        return float(lost.sum() + 0.5 * ((at - centre) ** 2 * precision).sum())

    now, bend = loss(mode), np.diag(precision)
    for _ in range(_STEPS):
        p = softmax(before + features @ mode)
        slope = (p - wanted).reshape(-1) @ flat + (mode - centre) * precision
        mean = np.einsum("gk,gkq->gq", p, features)
        bend = (flat * p.reshape(-1, 1)).T @ flat - mean.T @ mean + np.diag(precision)
        step, size = np.linalg.solve(bend, slope), 1.0
        while (tried := loss(mode - size * step)) > now and size > 1e-3:
            size /= 2
        mode, gain, now = mode - size * step, now - tried, tried
        if gain < 1e-6:
            break
    return mode, -now - 0.5 * float(np.linalg.slogdet(bend)[1]) - float(np.log(spread).sum()), bend
