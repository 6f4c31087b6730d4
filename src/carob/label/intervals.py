"""How good each source is and how common each class, with intervals, from draws of the posterior of the labels.

In each draw the readings with independent sources are learned from reweighted points (a Bayesian bootstrap), every
other time from nearly the majority vote, so that intervals are wide where EM has several places to end in; the
weights of the readings and the corrections by gold are drawn from what is known of them (where the dependent reading
weighs most, corrections are never of the smallest scale), and the classes of the points from the probabilities that
follow. Accuracies and class balance are those of the draw. Their intervals are normal, with the root mean square of the
distance of the draws from the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from carob._types import Codes, Floats, Places
from carob.label.model import OWN, SCALES, Components, Learned, Mixture
from carob.label.readings import KINDS, learn_reading
from carob.label.training import TrainingVotes, known_classes

DRAWS = 24
MOST_VOTES = 30_000  # that draws are made from: of more the spread is taken to be as wide
_SHARP = 4  # power of the count of votes that every other draw starts from
_LIGHT = 0.01  # weight of a reading that is not learned anew


@dataclass(frozen=True, eq=False)
class Estimates:
    """What is told of sources and classes; arrays of shape (m,) and (K,), and ends of intervals."""

    accuracy: Floats
    low: Floats
    high: Floats
    balance: Floats
    balance_low: Floats
    balance_high: Floats


def estimates(
    learned: Learned, mixture: Mixture, truth: Codes, labels: Floats, speaks_for: Floats, level: float
) -> Estimates:
    """Accuracies and class balance with intervals of this level.

    `labels`, shape (n, K): what the mixture and gold say of the points. `speaks_for`, shape (m, V, K): 1 where an
    output of a source counts as a vote for the class.
    """
    m = learned.training.m
    told = _numbers(learned.training, speaks_for, labels)
    rows = _some(learned, truth)
    some = Learned(
        learned.training.take(rows), learned.readings, learned.prior, learned.components.take(rows), learned.given
    )
    middle = _numbers(some.training, speaks_for, known_classes(truth[rows], some.probabilities(mixture)))
    spread = np.sqrt(((_draws(some, speaks_for, truth[rows]) - middle) ** 2).mean(axis=0))
    half = NormalDist().inv_cdf((1 + level) / 2) * spread
    low, high = np.clip(told - half, 0, 1), np.clip(told + half, 0, 1)
    if learned.given is not None:
        told[m:] = low[m:] = high[m:] = learned.given
    return Estimates(told[:m], low[:m], high[:m], told[m:], low[m:], high[m:])


def _some(learned: Learned, truth: Codes) -> Places:
    """All gold points, and as many of the others, evenly spread, as have votes enough."""
    every = -(-len(learned.training.entries[0]) // MOST_VOTES)
    kept = truth >= 0
    kept[::every] = True
    return np.flatnonzero(kept)


def _numbers(training: TrainingVotes, speaks_for: Floats, p: Floats) -> Floats:
    """Share of each source's votes that are right, and of each class, shape (m + K,)."""
    point, source, output = training.entries
    right = (p[point] * speaks_for[source, output]).sum(axis=1)
    total = np.maximum(training.cast.sum(axis=1), 1)
    return np.concatenate([training.per_source(right) / total, p.mean(axis=0)])


def _draws(learned: Learned, speaks_for: Floats, truth: Codes) -> Floats:
    """The same in draws, shape (DRAWS, m + K)."""
    training, rng = learned.training, np.random.default_rng(0)
    gold = learned.fit_gold(truth)
    roots = np.linalg.inv(np.linalg.cholesky(gold.curvature)).transpose(0, 2, 1)
    ends, m, n = np.cumsum(gold.share), training.m, training.n
    point, source, output = training.entries
    unheard = np.setdiff1d(np.arange(m), gold.used)
    total = np.maximum(training.cast.sum(axis=1), 1)
    majority = learned.components.count**_SHARP
    majority /= majority.sum(axis=1, keepdims=True)
    found = []
    for draw in range(DRAWS):
        times = rng.standard_exponential(n)
        averaged = list(learned.components.averaged)
        for k, kind in enumerate(KINDS):
            if kind != "dependent" and gold.weights[k] > _LIGHT:
                start = (averaged[k], majority)[draw % 2]
                averaged[k] = learn_reading(training, kind, start, np.ones(m), learned.given, times=times)[1]
        weights = rng.standard_gamma(gold.weights + 1e-9) + 1e-9
        place = max(int(np.searchsorted(ends, (draw + 0.5) / DRAWS * ends[-1])), int(weights.argmax() == 0))
        correction = gold.correction(1.0, gold.modes[place] + roots[place] @ rng.standard_normal(len(roots[place])))
        wander = SCALES[place] * OWN * rng.standard_normal(len(unheard))
        correction.own[unheard] += wander[:, None, None] * training.counts_for[unheard]
        drawn = learned.mixture(weights / weights.sum(), [correction])
        parts = Components(
            tuple(averaged),
            learned.components.dependent,
            learned.components.count,
            [training.sums(correction.own)],
        )
        p = known_classes(truth, drawn.probabilities(parts, training.votes.number > 0))
        right = (p[point] * speaks_for[source, output]).sum(axis=1)
        noise = np.sqrt(training.per_source(right * (1 - right))) * rng.standard_normal(m) / total
        shares = p.mean(axis=0) + np.sqrt((p * (1 - p)).sum(axis=0)) / n * rng.standard_normal(training.K)
        found.append(np.concatenate([training.per_source(right) / total + noise, shares]))
    return np.array(found)
