r"""Readings of the votes that gold chooses between.

The sources are learned with gold points in their places, and points without gold counting as much as those, a tenth, a
hundredth, or nothing at all; or their outputs are counted on gold alone, silence among them (`gold_evidence`). Each of
these, with every slope and repetition of a grid, is a reading (see `carob.label.pool`); its c and b are normal
around 0 and fitted on gold, from evidence that has not seen the point's own label. Where sources are not too many,
there are also readings in which each has a slope of its own, normal around that of the best reading. The readings are
averaged by how well each explains gold (Laplace's approximation); the mean of readings that needs no gold is one of
them, so that a few gold labels change little. What looks best on few gold labels is best by luck for a part: log
evidence is divided by a doubt, which leaves more weight to what explains gold almost as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from carob._types import Codes, Floats, Ints, Places
from carob.label.consensus import Ballots, Consensus, learn, majority
from carob.label.gold_evidence import gold_evidence
from carob.label.laplace import laplace
from carob.label.pool import Pool, discount

# What a point without gold may count for beside one with gold, and how probable that is beforehand.
UNLABELED = {1.0: 0.2, 0.1: 0.55, 0.01: 0.2, 0.0: 0.05}
COUNTED = (
    0.1  # how probable it is beforehand that sources are to be counted on gold: to the power of K - 1, as many shares
)
SLOPES = (0.35, 0.6, 1.0, 1.4)  # the grid of a
REPETITIONS = (0.0, 0.15, 0.4, 1.0, 3.0)  # the grid of r
OWN_SLOPES = {0.5: 0.1, 1.0: 0.1, 2.0: 0.1}  # standard deviation of a source's slope, over a, and how probable it is
OWN_SLOPES_OF = 0.1  # which of `UNLABELED` these readings take
MOST_SLOPES = 300  # more sources have no slopes of their own
COUNT_ERROR = 0.7  # standard deviation of c
SHIFT_ERROR = 0.2  # standard deviation of b
WITHOUT_GOLD = 0.2  # probability beforehand that gold is not needed
CAUTION = 2.0  # gold labels that readings without gold count for at the least
DOUBT = 1.3  # what log evidence of readings is divided by
FOLDS = 5  # parts of gold, each read by sources that were learned from the others
FOLD_VOTES = 100_000  # that sources are learned from for each part of gold: one of several points stands for all
SILENT_WORTH = 15.0  # gold labels that the class balance counts for on points without a vote
KEPT = 0.01  # readings below this share of the weight are left out
MOST_GOLD = 2_000  # gold points that are enough to choose between readings


@dataclass(frozen=True, eq=False)
class GoldReadings:
    """What gold points look like to every reading, from sources that have not seen their labels.

    Parameters
    ----------
    class_balance : array, shape (K,)
    truth : array of int8, shape (g,)
    plain : array, shape (g, K)
        What the votes say by sources that were learned without gold.
    said : array, shape (U + 1, g, K)
        What they say by sources that were learned with the other gold, for each of `UNLABELED`, and counted on it.
    prior : array, shape (U + 1,)
        Probability beforehand of each of `said`.
    tally : array, shape (g, K)
        Votes for each class.
    fold : array of int, shape (g,)
    by_group : array, shape (g, K, G), or None
        `said` of `OWN_SLOPES_OF`, group of sources by group; None where they have no slopes of their own.
    """

    class_balance: Floats
    truth: Codes
    plain: Floats
    said: Floats
    prior: Floats
    tally: Floats
    fold: Ints
    by_group: Floats | None = None

    def reading(self, which: Places) -> GoldReadings:
        """The same with some of `said`, and no slopes of their own for the sources."""
        return replace(self, said=self.said[which], prior=self.prior[which], by_group=None)

    def take(self, places: Places) -> GoldReadings:
        """Some of the gold points."""
        return replace(
            self,
            truth=self.truth[places],
            plain=self.plain[places],
            said=self.said[:, places],
            tally=self.tally[places],
            fold=self.fold[places],
            by_group=None if self.by_group is None else self.by_group[places],
        )


def read_gold(ballots: Ballots, consensus: Consensus, rng: np.random.Generator) -> GoldReadings:
    """Learn the sources from all gold but a part, and read that part, for every part.

    Parameters
    ----------
    consensus : Consensus
        Learned without gold.
    """
    balance = consensus.class_balance
    some, standing_for = ballots.thinned(FOLD_VOTES)
    places = np.flatnonzero(ballots.truth >= 0)
    in_some = np.flatnonzero(some.truth >= 0)
    gold_votes, truth = ballots.votes.take(places), ballots.truth[places]
    fold = rng.permutation(len(places)) % FOLDS
    said = np.zeros((len(UNLABELED) + 1, len(places), len(balance)))
    by_group = None
    if len(ballots.groups) <= MOST_SLOPES and len(places) <= MOST_GOLD:
        by_group = np.zeros((len(places), len(balance), len(ballots.groups)))
    for part in range(min(FOLDS, len(places))):
        left_out = np.flatnonzero(fold == part)
        rest = some.without(in_some[left_out])
        of_part = gold_votes.take(left_out)
        for k, worth in enumerate(UNLABELED):
            evidence = learn(rest, balance, standing_for * worth).evidence
            said[k, left_out] = evidence.of(of_part)
            if by_group is not None and worth == OWN_SLOPES_OF:
                by_group[left_out] = evidence.by_group(of_part)
        others = np.flatnonzero(fold != part)
        said[-1, left_out] = gold_evidence(ballots, gold_votes.take(others), truth[others]).of(of_part)
    plain = consensus.evidence.of(gold_votes)
    counted = COUNTED ** (len(balance) - 1)
    prior = np.append((1 - counted) * np.array(list(UNLABELED.values())), counted)
    return GoldReadings(balance, truth, plain, said, prior, ballots.tally[places], fold, by_group)


@dataclass(frozen=True, eq=False)
class Weighed:
    """Readings with the weights that gold gives them.

    Parameters
    ----------
    pool : Pool
        Without the evidence that it takes: `GoldReadings.plain` where there is a reading that needs no gold, all of
        `GoldReadings.said`, and that of `OWN_SLOPES_OF` once for each row of `slopes`.
    slopes : array, shape (S, G)
        What each group of sources is multiplied by, over the slope of the reading.
    """

    pool: Pool
    slopes: Floats

    def of(self, gold: GoldReadings, *plain: Floats) -> Floats:
        """Probabilities of gold points, shape (g, K); `plain` is that of the gold points, if the pool takes it."""
        own = [] if gold.by_group is None else np.einsum("gkj,sj->sgk", gold.by_group, self.slopes)
        return self.pool.mixed([*plain, *gold.said, *own], gold.tally)


def weigh_readings(gold: GoldReadings, without: Pool | None = None) -> Weighed:
    """Weigh all readings by how well they explain gold.

    Parameters
    ----------
    without : Pool, optional
        That needs no gold; it is among the readings, and takes `GoldReadings.plain`.
    """
    grid = np.array(list(product(range(len(gold.said)), SLOPES, REPETITIONS)))
    beforehand = np.log(gold.prior[grid[:, 0].astype(np.intp)])
    learned, slope, repetition = grid[:, 0].astype(np.intp), grid[:, 1], grid[:, 2]
    K = len(gold.class_balance)
    voted = gold.tally.sum(axis=1) > 0
    seen = gold.take(np.flatnonzero(voted)[:: max(1, len(gold.truth) // MOST_GOLD)])
    prior = np.log(gold.class_balance)
    scale = slope[:, None] * discount(seen.tally.sum(axis=1), repetition[:, None])
    base = prior + scale[:, :, None] * seen.said[learned]
    counted = np.log(majority(seen.tally, gold.class_balance)) - prior
    features = np.concatenate([counted[:, :, None], np.broadcast_to(np.eye(K), (len(seen.truth), K, K))], axis=2)
    error = np.array([COUNT_ERROR, *[SHIFT_ERROR] * K])
    fitted, evidence = laplace(base, features, seen.truth, 1 / error**2)
    evidence += beforehand - np.log(np.exp(beforehand).sum())
    slopes = np.zeros((0, 0 if seen.by_group is None else seen.by_group.shape[2]))
    if seen.by_group is not None and len(seen.truth):
        of = list(UNLABELED).index(OWN_SLOPES_OF)
        best = int(np.where(learned == of, evidence, -np.inf).argmax())
        parts = slope[best] * discount(seen.tally.sum(axis=1), repetition[best])[:, None, None] * seen.by_group
        slopes, also_fitted, also = _own_slopes(base[best], parts, features, seen.truth, error)
        chance = sum(OWN_SLOPES.values())
        evidence = np.append(evidence + np.log(1 - chance), also + np.log(list(OWN_SLOPES.values())))
        fitted = np.concatenate([fitted, also_fitted])
        learned = np.append(learned, len(gold.said) + np.arange(len(slopes)))
        slope, repetition = (np.append(values, [values[best]] * len(slopes)) for values in (slope, repetition))
    silent = np.bincount(gold.truth[~voted], minlength=K)
    pool = Pool(
        gold.class_balance,
        (SILENT_WORTH * gold.class_balance + silent) / (SILENT_WORTH + silent.sum()),
        (),
        weight=np.exp((evidence - evidence.max()) / DOUBT),
        slope=slope,
        repetition=repetition,
        count=fitted[:, 0],
        shift=fitted[:, 1:],
        learned=learned,
    )
    if without is None:
        return Weighed(_kept(pool), slopes)
    # Half of that for the mixture as it is, half for its readings, any of which may be right by itself.
    chances = np.log([1 - WITHOUT_GOLD, WITHOUT_GOLD / 2, *(WITHOUT_GOLD / 2 * without.weight)])
    chances[0] += evidence.max() + np.log(np.exp(evidence - evidence.max()).sum())
    for k, reading in enumerate([without, *without.single]):
        p = reading.mixed([seen.plain], seen.tally)[np.arange(len(seen.truth)), seen.truth]
        chances[1 + k] += np.log(np.maximum(p, 1e-300)).sum()
    # Of more classes each gold label tells more, and luck less.
    share = np.exp((chances - chances.max()) / (1 + 1 / (K - 1)))
    share /= share.sum()
    kept = max(1 - share[0], CAUTION / (CAUTION + len(gold.truth)))
    share[1] += kept - (1 - share[0])
    plain = replace(without, weight=(share[1] * without.weight + share[2:]) / kept)
    return Weighed(_joined(plain, _kept(pool), kept), slopes)


def _own_slopes(
    base: Floats, parts: Floats, features: Floats, truth: Codes, error: Floats
) -> tuple[Floats, Floats, Floats]:
    """Slopes of groups of sources over that of all of them, shape (S, G), the other coefficients, and log evidence.

    Parameters
    ----------
    base : array, shape (g, K)
        Scores with one slope for all.
    parts : array, shape (g, K, G)
        What each group adds to them.
    features, error
        Of the other coefficients, as in `laplace`.
    """
    G = parts.shape[2]
    both = np.concatenate([parts, features], axis=2)
    found, evidence = [], []
    for deviation in OWN_SLOPES:
        precision = 1 / np.append(np.full(G, deviation), error) ** 2
        coefficients, log_evidence = laplace(base[None], both, truth, precision)
        found.append(coefficients[0])
        evidence.append(log_evidence[0])
    fitted = np.array(found)
    return 1 + fitted[:, :G], fitted[:, G:], np.array(evidence)


def _kept(pool: Pool) -> Pool:
    """Without readings that have little weight."""
    share = pool.weight / pool.weight.sum()
    kept = np.flatnonzero(share >= min(KEPT, share.max()))
    return replace(
        pool,
        weight=share[kept] / share[kept].sum(),
        slope=pool.slope[kept],
        repetition=pool.repetition[kept],
        count=pool.count[kept],
        shift=pool.shift[kept],
        learned=pool.learned[kept],
    )


def _joined(first: Pool, second: Pool, share: float) -> Pool:
    """The readings of both; the first has that share of the weight, and its evidence comes first."""
    return replace(
        second,
        evidence=first.evidence,
        weight=np.append(share * first.weight, (1 - share) * second.weight),
        slope=np.append(first.slope, second.slope),
        repetition=np.append(first.repetition, second.repetition),
        count=np.append(first.count, second.count),
        shift=np.concatenate([first.shift, second.shift]),
        learned=np.append(first.learned, 1 + second.learned),
    )
