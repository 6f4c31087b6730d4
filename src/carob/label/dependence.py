"""What the class alone explains of how sources agree: what pairs are tested against.

Sources are independent given the class, except that the log-likelihood of a vote counts for what the dependent reading
takes it for, 1 / (1 + d_j): copies do not make themselves the class. Tables are at their maximum likelihood, without a
prior: a prior that draws them together would leave agreement over that is nobody's dependence.
"""

from __future__ import annotations

import numpy as np

from carob._types import Floats
from carob.label.readings import source_weights
from carob.label.training import TrainingVotes
from carob.posterior.naive_bayes import softmax
from carob.posterior.source_model import SourceModel

_ROUNDS = 7  # of learning what votes count for
_STEPS = 200  # of EM, at most
_MOVED = 1e-4  # a step that moves no probability by more is the last
_ADDED = 0.5  # to the count of every output, so that none is impossible


def class_model(training: TrainingVotes, start: Floats) -> SourceModel:
    """How sources vote given the class, learned by EM from labels to start with, shape (n, K)."""
    votes, p = training.votes, start**2 / (start**2).sum(axis=1, keepdims=True)
    weight = source_weights(training, start)
    for _ in range(_ROUNDS):
        for _ in range(_STEPS):
            before, shares = p, (p.sum(axis=0) + 1) / (len(p) + training.K)
            table = training.counts(p) + _ADDED
            said = np.log(table / table.sum(axis=1, keepdims=True))
            p = softmax(np.log(shares) + training.sums(weight[:, None, None] * said))
            if np.abs(p - before).max(initial=0) < _MOVED:
                break
        weight = source_weights(training, p)
    silence = np.maximum(p.sum(axis=0) - training.counts(p).sum(axis=1), _ADDED)[:, None]
    tables = np.concatenate([silence, table], axis=1).transpose(0, 2, 1)
    tables /= tables.sum(axis=2, keepdims=True)
    sized = [of_source[:, :size] for of_source, size in zip(tables, votes.outputs.sizes, strict=True)]
    return SourceModel.independent(votes.sources, votes.classes, shares, sized)
