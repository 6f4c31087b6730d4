r"""Class-conditional sources: for two classes, one probability of every output in either class.

Any 0/1 feature f of an output has ``cov(f, g) = pi (1 - pi) D_f D_g``, with ``D_f = P(f | Y = 1) - P(f | Y = 0)`` and
pi = P(Y = 1); so b is the covariance over pi (1 - pi), and x is D. Saying nothing is an output like any other, and a
source that only ever votes for one class is a source like any other. This is the paper's quadratic system in closed
form.
"""

from __future__ import annotations

import numpy as np

from carob._types import Bools, Floats, Group, Ints, Places
from carob.count.moments import Moments
from carob.count.statistics import TripleSums
from carob.errors import NotIdentifiedError
from carob.paper.kinds.kind import Features, Kind, Positions, dependent, weighted_median
from carob.paper.third_moments import balance_from_triples, signed_covariances, strongest_triples
from carob.posterior.source_model import SourceModel
from carob.votes import GoldPoints, Outputs
from carob.votes.outputs import SILENT, joint_output

_NO, _YES = SILENT + 1, SILENT + 2  # votes for the first class and for the second


class ClassConditional(Kind):
    """One accuracy per source and class."""

    words = "one accuracy per source and class"

    def suits(self, moments: Moments) -> bool:
        """Two classes, unless most sources leave out points and vote for both classes on the rest.

        Crowd workers do; then who is asked says nothing about the class, and taking silence for an output would make
        evidence of it.
        """
        if self.refuses(len(moments.classes)):
            return False
        picky = (moments.coverage < moments.n) & (moments.single > 0).all(axis=1)
        return not picky.mean() > 0.5

    def refuses(self, K: int) -> str:
        """More than two classes."""
        if K == 2:
            return ""
        return (
            f"class-conditional triplets are for two classes; there are {K}. Use one accuracy per source "
            "(symmetric=True)."
        )

    def features(self, moments: Moments, pairs: Positions) -> Features:
        """Every output that occurs; of a source that always votes, its vote for the first class is the rest."""
        outputs = moments.outputs
        always = moments.coverage == moments.n
        used = (moments.counts > 0) & ~(always[outputs.source] & (outputs.spoken == _NO))
        output = np.flatnonzero(used)
        source = outputs.source[output]
        allowed: Bools = ~dependent(len(outputs), pairs)[np.ix_(source, source)]
        return Features(source, output, allowed, None)

    def products(self, moments: Moments, features: Features, balance: Floats) -> Floats:
        """Covariances over pi (1 - pi)."""
        sign = _sign(moments.outputs, features.output)
        return signed_covariances(moments, features.output, sign) / (balance[0] * balance[1])

    def tables(self, moments: Moments, features: Features, x: Floats, balance: Floats) -> Floats:
        """P(f | Y = 1) = P(f) + (1 - pi) D_f and P(f | Y = 0) = P(f) - pi D_f."""
        n, m = moments.n, len(moments.sources)
        floor = 1 / n
        table = np.zeros((m, 2, max(moments.outputs.sizes)))
        p = moments.counts[features.output] / n
        D = x * _sign(moments.outputs, features.output)
        spoken = moments.outputs.spoken[features.output]
        table[features.source, 0, spoken] = np.clip(p - balance[1] * D, floor, 1 - floor)
        table[features.source, 1, spoken] = np.clip(p + balance[0] * D, floor, 1 - floor)
        # What is left is the output without a feature: nothing said, or the first class where a source always votes.
        always = moments.coverage == n
        table[np.arange(m), :, np.where(always, _NO, SILENT)] = np.maximum(1 - table.sum(axis=2), floor)
        return table / table.sum(axis=2, keepdims=True)

    def balance_triples(self, moments: Moments, pairs: Positions) -> tuple[Places, Ints, Places] | None:
        """The strongest triples of features of different sources."""
        features = self.features(moments, pairs)
        b = self.products(moments, features, np.array([0.5, 0.5]))
        strength = np.where(features.allowed, np.abs(np.where(b == 0, 1 / moments.n, b)), 0)
        return features.output, _sign(moments.outputs, features.output), strongest_triples(strength)

    def class_balance(
        self, moments: Moments, triples: TripleSums | None, sums: Ints | None, pairs: Positions
    ) -> Floats:
        """From third moments."""
        if triples is None or sums is None:
            raise TypeError("third moments were not counted")
        return balance_from_triples(moments, triples, sums)

    def joint_table(self, joint: Ints, with_others: Ints, model: SourceModel, group: Group) -> Floats:
        """A joint output is a 0/1 feature like any other, and has a D.

        With every output f of a source outside the group, ``cov(x, f) = pi (1 - pi) D_x D_f``. D_f is known from
        `model`; D_x is the median of the ratios, weighted by how well each is known.
        """
        outputs = Outputs(model.sizes)
        n = int(joint.sum())
        p, pi = joint / n, model.class_balance[1]
        ratios, weights = [], []
        for f, (i, spoken) in enumerate(zip(outputs.source, outputs.spoken, strict=True)):
            share = with_others[:, f].sum() / n
            D = model.source_tables[i][1, spoken] - model.source_tables[i][0, spoken]
            if i not in group and 0 < share < 1 and D != 0:
                ratios.append((with_others[:, f] / n - p * share) / (pi * (1 - pi) * D))
                weights.append(D**2 / (share * (1 - share)))
        if not ratios:
            names = ", ".join(repr(model.sources[i]) for i in group)
            raise NotIdentifiedError(
                f"the known pairs tie all sources together ({names}); none is left to tell how they vote as one."
            )
        D_x = weighted_median(np.array(ratios), np.array(weights))
        table = np.stack([p - pi * D_x, p + (1 - pi) * D_x])
        table = np.where(p > 0, np.clip(table, 1 / n, 1 - 1 / n), 0)
        return (table / table.sum(axis=1, keepdims=True)).reshape(2, *(outputs.sizes[i] for i in group))

    def labeled_table(self, points: GoldPoints, group: Group, floor: float) -> Floats:
        """Shares of the joint outputs among the gold points of each class."""
        sizes = [points.votes.outputs.sizes[i] for i in group]
        K = len(points.votes.classes)
        given = [points.votes.values[:, i] + np.int64(1) for i in group]
        place = joint_output([points.truth, *given], [K, *sizes])
        counts = np.bincount(place, minlength=K * points.votes.outputs.number(group)).reshape(K, *sizes)
        table = counts / points.counts.reshape(-1, *[1] * len(sizes))
        # An output that gold shows in no class stays impossible: it then says nothing about the class.
        table = np.where(table.any(axis=0), np.clip(table, floor, 1 - floor), 0)
        return table / table.sum(axis=tuple(range(1, table.ndim)), keepdims=True)


def _sign(outputs: Outputs, output: Places) -> Ints:
    """1 for votes for the second class and -1 for the others: those are rarer where the class is the second."""
    return np.where(outputs.spoken[output] == _YES, 1, -1)
