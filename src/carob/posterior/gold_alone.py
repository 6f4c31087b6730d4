r"""Gold alone: naive Bayes from sources that are counted on gold, whatever samples of gold are asked for.

As in the paper, the share of output o among the gold points of class y is cut to [1/n, 1 - 1/n], with n the number of
gold labels; an output that gold does not show says nothing, and votes say nothing of a class that it does not show.
The class balance is that of the sample, with one point more of each class, where it is not given.
"""

from __future__ import annotations

import numpy as np

from carob._types import Bools, Floats, Group
from carob.posterior.naive_bayes import softmax
from carob.posterior.source_model import gold_balance
from carob.votes import GoldPoints, Votes
from carob.votes.outputs import joint_output


def gold_alone_probabilities(
    points: GoldPoints, samples: Bools, given: Floats | None, groups: tuple[Group, ...], asked: Votes
) -> Floats:
    """Probabilities of the points asked for, shape (S, a, K), by S models of the gold in each sample.

    `samples`, shape (S, g): which gold points each model learns from. `given`, shape (K,): the class balance. `groups`:
    sources that are taken as one, and every other source alone.
    """
    weights = samples[:, :, None] * np.eye(len(asked.classes))[points.truth]
    of_class = weights.sum(axis=1)
    balance = np.array([gold_balance(counts) for counts in of_class]) if given is None else given[None]
    floor = (1 / np.maximum(samples.sum(axis=1), 2))[:, None, None]
    scores = np.zeros((len(samples), len(asked), weights.shape[2]))
    by_class = np.ascontiguousarray(weights.transpose(0, 2, 1))
    for group in groups:
        sizes = [asked.outputs.sizes[i] for i in group]
        learned, wanted = (
            joint_output([votes.values[:, i] + np.int64(1) for i in group], sizes) for votes in (points.votes, asked)
        )
        outputs, place = np.unique(np.concatenate([learned, wanted]), return_inverse=True)
        table = by_class @ (place[: len(learned), None] == np.arange(len(outputs)))
        shown = table.any(axis=1, keepdims=True)
        total = of_class[:, :, None]
        pooled = table.sum(axis=1, keepdims=True) / np.maximum(total.sum(axis=1, keepdims=True), 1)
        table = np.where(total > 0, table / np.maximum(total, 1), pooled)
        table = np.where(shown, np.clip(table, floor, 1 - floor), 0)
        table /= np.maximum(table.sum(axis=2, keepdims=True), 1e-300)
        scores += np.log(np.where(shown, table, 1))[:, :, place[len(learned) :]].transpose(0, 2, 1)
    scores[:, asked.number == 0] = 0  # nobody looked, which tells nothing
    return softmax(scores + np.log(balance)[:, None])
