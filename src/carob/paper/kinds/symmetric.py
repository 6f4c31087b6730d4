r"""Symmetric sources: one accuracy per source, whatever the class, and wrong in every way alike.

With K classes and A_ij the share of agreement where both vote, ``b_ij = (K A_ij - 1) / (K - 1)`` and
``x_i = (K p_i - 1) / (K - 1)`` for accuracy p_i. For two classes and votes of -1 and +1 this is the paper's
``E[l_i l_j]`` and ``a_i = E[l_i Y]``. Saying nothing says nothing about the class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from carob._types import AnyArray, Bools, Floats, Group, Ints
from carob.count.moments import Moments
from carob.count.statistics import TripleSums
from carob.errors import NotIdentifiedError
from carob.paper.aggregate import aggregate_triplets
from carob.paper.kinds.kind import Features, Kind, Positions, dependent, weighted_median
from carob.posterior.source_model import SourceModel
from carob.votes import GoldPoints, Outputs
from carob.votes.outputs import SILENT, joint_output


class Symmetric(Kind):
    """One accuracy per source."""

    words = "one accuracy per source"

    def features(self, moments: Moments, pairs: Positions) -> Features:
        """One feature per source; two sources that each vote for one class only agree always or never."""
        m = len(moments.sources)
        one_sided = _one_sided(moments)
        allowed = (moments.together > 0) & ~np.outer(one_sided, one_sided) & ~dependent(m, pairs)
        return Features(np.arange(m), np.full(m, -1, dtype=np.intp), allowed, 1 - 1 / moments.n)

    def products(self, moments: Moments, features: Features, balance: Floats) -> Floats:
        """Agreement beyond chance, where 1 is always."""
        K = len(balance)
        return (K * moments.agree / np.maximum(moments.together, 1) - 1) / (K - 1)

    def tables(self, moments: Moments, features: Features, x: Floats, balance: Floats) -> Floats:
        """Tables with accuracy (1 + (K - 1) x) / K."""
        n, K = moments.n, len(balance)
        right = np.clip((1 + (K - 1) * x) / K, 1 / n, 1 - 1 / n)
        return symmetric_tables(right, moments.coverage / n, K)

    def class_balance(
        self, moments: Moments, triples: TripleSums | None, sums: Ints | None, pairs: Positions
    ) -> Floats:
        """From ``P(vote u) = x_i P(Y = u) + (1 - x_i) / K`` among the votes of source i: least squares over sources."""
        K = len(moments.classes)
        features = self.features(moments, pairs)
        b = self.products(moments, features, np.full(K, 1 / K))
        x, _ = aggregate_triplets(np.where(b == 0, 1 / moments.n, b), features.allowed, limit=features.limit)
        usable = np.isfinite(x)
        if not usable.any():
            raise NotIdentifiedError(
                f"the class balance cannot be estimated: no triplet of sources is usable{self.hint(moments)}. Give it "
                "(class_balance=; --class-balance) or some gold labels."
            )
        x, n = x[usable], moments.coverage[usable]
        shares = moments.single[usable] / n[:, None]
        found = ((n * x)[:, None] * (shares - (1 - x)[:, None] / K)).sum(axis=0) / (n * x**2).sum()
        found = np.maximum(found, 1 / moments.n)  # a point at least is of every class
        return found / found.sum()

    def joint_table(self, joint: Ints, with_others: Ints, model: SourceModel, group: Group) -> Floats:
        """How the votes of the group lie around the true class, from how they lie around what other sources say.

        Classes are alike, so votes are counted by their distance r from a class around the circle of classes. With t[r]
        the share of r around the true class among points whose votes are alike but for a turn of that circle, it is
        ``x_k t[r] + (1 - p_k) / (K - 1)`` around the votes of a source k outside that is right with probability p_k.
        The median of what this gives is taken, weighted by how well each source tells. Where one of the group votes
        alone, its own accuracy tells. All of it is then brought to the accuracies that the model has.
        """
        outputs, K = Outputs(model.sizes), len(model.classes)
        sizes = tuple(outputs.sizes[i] for i in group)
        others = [k for k in range(len(model.sources)) if k not in group]
        every = np.stack(np.unravel_index(np.arange(len(joint)), sizes))  # output of each member, shape (w, J)
        turned = [_around(every, np.full(len(joint), y), K, sizes) for y in range(K)]
        spoken = (every != SILENT).sum(axis=0)
        if not others and joint[spoken >= 2].any():
            names = ", ".join(repr(model.sources[i]) for i in group)
            raise NotIdentifiedError(
                f"the known pairs tie all sources together ({names}); none is left to tell how they vote as one."
            )
        of_class = with_others.reshape(len(joint), len(model.sources), K)[:, others]
        around = np.zeros((len(others), len(joint)))  # points with each distance from the vote of each other source
        for y, place in enumerate(turned):
            np.add.at(around.T, place, of_class[:, :, y])
        alike = sum(around[:, place] for place in turned)  # points whose votes are alike but for a turn
        p = model.accuracy[others][:, None]
        x = (K * p - 1) / (K - 1)
        told = (around / np.maximum(alike, 1) - (1 - p) / (K - 1)) / np.where(x == 0, 1, x)
        weights = alike * x**2
        found = np.ones(len(joint))  # as if all that is known were what each source says by itself
        for member, i in enumerate(group):
            found *= _accuracies(model.accuracy[i], every[member], K)
        seen = (spoken >= 2) & (weights.sum(axis=0) > 0)
        n = int(joint.sum())
        if seen.any():
            found[seen] = np.maximum(weighted_median(told[:, seen], weights[:, seen]), 1 / n)
        often = sum(joint[place] for place in turned) / n
        shares = found * often
        # Every output as frequent as it is, and every member as accurate as the model has it: in turn, until both hold.
        for _ in range(50):  # a few are enough where that fits together
            for member, i in enumerate(group):
                shares = _with_accuracy(shares, every[member] == SILENT + 1, every[member] != SILENT, model.accuracy[i])
            shares *= often / np.maximum(sum(shares[place] for place in turned), 1e-300)
        return np.stack([shares[place] for place in turned]).reshape(K, *sizes)

    def labeled_table(self, points: GoldPoints, group: Group, floor: float) -> Floats:
        """Share of votes that are right; of a group, shares of how its votes lie around the true class.

        Classes are alike, so votes of a group are counted by their distance from the true class, around the circle of
        classes.
        """
        votes, K = points.votes, len(points.votes.classes)
        if len(group) == 1:
            cast, right = _votes_and_right(points.select((votes.sources[group[0]],)))
            # A source that never votes on a gold point is taken to be at chance.
            p = np.where(cast > 0, right / np.maximum(cast, 1), 1 / K)
            return symmetric_tables(np.clip(p, floor, 1 - floor), cast / len(points), K)[0]
        sizes = tuple(votes.outputs.sizes[i] for i in group)
        J = votes.outputs.number(group)
        given = votes.values[:, list(group)].T + np.int64(1)
        shares = np.bincount(_around(given, points.truth, K, sizes), minlength=J) / len(points)
        every = np.stack(np.unravel_index(np.arange(J), sizes))
        table = np.stack([shares[_around(every, np.full(J, y), K, sizes)] for y in range(K)])
        table = np.where(table.any(axis=0), np.clip(table, floor, 1 - floor), 0)
        return (table / table.sum(axis=1, keepdims=True)).reshape(K, *sizes)

    def hint(self, moments: Moments) -> str:
        """Sources that vote for one class only."""
        count = int(_one_sided(moments).sum())
        if count == 0:
            return ""
        return (
            f"; {count} of the sources vote for one class only, so that their agreement with each other tells nothing"
        )


def symmetric_tables(right: Floats, votes: Floats, K: int) -> Floats:
    """Tables, shape (m, K, K + 1), of sources that are right with one probability, wrong in every way alike.

    `right`, shape (m,): probability that a vote is right. `votes`, shape (m,): probability of a vote, the same for
    every class.
    """
    table = np.empty((len(right), K, K + 1))
    table[:, :, SILENT] = (1 - votes)[:, None]
    table[:, :, SILENT + 1 :] = (votes * (1 - right) / (K - 1))[:, None, None]
    for y in range(K):
        table[:, y, SILENT + 1 + y] = votes * right
    return table


def _around(outputs: Ints, truth: AnyArray, K: int, sizes: Sequence[int]) -> Ints:
    """Joint output of votes that are counted from the true class on, around the circle of classes; shape of `truth`.

    `outputs`, shape (w, points). `truth`, shape (points,).
    """
    return joint_output(list(np.where(outputs == SILENT, SILENT, (outputs - 1 - truth) % K + 1)), sizes)


def _one_sided(moments: Moments) -> Bools:
    """Sources that vote for one class only."""
    one_sided: Bools = (moments.single > 0).sum(axis=1) == 1
    return one_sided


def _votes_and_right(points: GoldPoints) -> tuple[Ints, Ints]:
    """How many votes each source cast on gold points, and how many of them are right."""
    values = points.votes.values
    return (values >= 0).sum(axis=0), (values == points.truth[:, None]).sum(axis=0)


def _with_accuracy(shares: Floats, right: Bools, spoke: Bools, accuracy: float) -> Floats:
    """Shares of outputs, scaled so that a source is right on this share of the points on which it votes."""
    total, now = shares[spoke].sum(), shares[right].sum()
    more = accuracy * total / max(now, 1e-300)
    less = (1 - accuracy) * total / max(total - now, 1e-300)
    return np.where(right, shares * more, np.where(spoke, shares * less, shares))


def _accuracies(right: float, output: Ints, K: int) -> Floats:
    """Probability of a distance from the true class, given as an output: none, right, or one of the wrong ones."""
    return np.where(output == SILENT, 1.0, np.where(output == SILENT + 1, right, (1 - right) / (K - 1)))
