"""The learning curve of gold alone."""

from __future__ import annotations

import numpy as np

from karat._types import AnyArray, Bools, Floats
from karat.estimate.votes_fit import VotesFit
from karat.losses import log_losses
from karat.naive_bayes import softmax
from karat.value.curve import Curve
from karat.value.judge import Judge
from karat.value.learning_curve import LearningCurve
from karat.value.steps import Steps
from karat.votes import Votes

# Numbers of gold labels at which the curve is drawn.
SIZES = (*(round(5 * 2 ** (k / 2)) for k in range(22)), 20_000, 80_000, 320_000, 1_000_000)
PARTS = (20, 40, 80, 160, 320, 640)  # gold labels that models learn from, to be judged by the rest
LARGEST_PART = 0.8  # of the gold labels, at most so many
_ROOM = 4_000_000  # numbers in one block of losses


def labeled_curve(judge: Judge, votes_fit: VotesFit, rng: np.random.Generator, steps: Steps) -> LearningCurve:
    """Risk of models of n gold labels, for every n."""
    population, rows = judge.population, judge.rows
    at_once = max(1, _ROOM // population.joint.size)
    on_rows, risks = [], []
    for n in SIZES:
        drawn = [
            labeled_losses(votes_fit, rows, population.draw(n, size, rng), rows) for size in _sizes(trials(n), at_once)
        ]
        risks.append(np.concatenate([population.expected(part) for part in drawn]))
        on_rows.append(np.sum([part.sum(axis=0) for part in drawn], axis=0) / trials(n))
        steps.done()
    most = int(LARGEST_PART * judge.n)
    on_gold = {}
    for n in (*(part for part in PARTS if part < most), most):
        on_gold[n] = _held_out(judge, votes_fit, n, rng)
    steps.done()
    return LearningCurve.of(judge, Curve.of_draws(SIZES, risks), on_rows, on_gold)


def trials(n: int) -> int:
    """Samples of n gold labels whose mean risk is known well enough: the fewer labels, the more their risks differ."""
    return 200 if n <= 120 else 60 if n <= 1_500 else 20


def _sizes(number: int, at_once: int) -> list[int]:
    return [min(at_once, number - start) for start in range(0, number, at_once)]


def _held_out(judge: Judge, votes_fit: VotesFit, n: int, rng: np.random.Generator) -> Floats:
    """Loss on each gold point of models of n other gold points, on average; shape (G,)."""
    gold = judge.gold
    one_hot = np.eye(len(gold.votes.classes))[gold.truth]
    total, number = np.zeros(judge.n), np.zeros(judge.n)
    for size in _sizes(trials(n), max(1, _ROOM // one_hot.size)):
        seen: Bools = rng.random((size, judge.n)).argsort(axis=1) < n
        losses = labeled_losses(votes_fit, gold.votes, seen[:, :, None] * one_hot, gold.votes)
        own = losses[:, np.arange(judge.n), gold.truth]
        total += (own * ~seen).sum(axis=0)
        number += (~seen).sum(axis=0)
    # A point that was in every sample stands for the others.
    return np.where(number > 0, total / np.maximum(number, 1), total.sum() / number.sum())


def labeled_losses(votes_fit: VotesFit, learned_from: Votes, weights: AnyArray, rows: Votes) -> Floats:
    """Log losses, shape (S, P, K), on rows of votes, of the labeled models of S samples of gold.

    The models are those of `karat.labeled`; besides, votes say nothing of a class that a sample does not show.

    Parameters
    ----------
    weights : array, shape (S, R, K)
        How often each of the R points of `learned_from` is in each sample, with each class.
    """
    floor = 1 / np.maximum(weights.sum(axis=(1, 2)), 2)
    kind, balance = votes_fit.solution.problem.kind, votes_fit.solution.class_balance
    scores = kind.labeled_scores(learned_from, weights.astype(np.float64), rows, votes_fit.groups, floor)
    return log_losses(softmax(scores + np.log(balance)))
